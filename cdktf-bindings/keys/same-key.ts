/** A key has one rotator: of two, each would take the other's key for one that was rotated elsewhere. */
import type { TerraformStack } from "cdktf";
import { message, type Message } from "../../provider/messages";
import { once } from "../synthesis";
import { accountOfBlock, idOf, type Account } from "../checks/account";
import { stacksIn } from "../checks/app";
import { targetsElsewhere } from "../checks/other-accounts";
import { addressOf, blocksIn, inputText, pathOf, readProgram } from "../checks/program";
import type { Block, Declaration, Program } from "../checks/program";
import { outermostStageOf } from "../stages/names";

/** A declared key or a rotation, with what tells its key from others. */
interface Rotator extends Declaration {
  readonly key: string;
}

/** Rotations in a stack of keys that another construct of the app declares or rotates. */
export function sameKey(program: Program): Message[] {
  const { stack } = program;
  const own = rotatorsIn(program);
  if (!own.some(isRotation)) return [];
  const others = once(stack.node.root, stacksIn).filter((other) => other !== stack);
  return [...Map.groupBy(own, ({ key }) => key)].flatMap(([key, here]) => {
    // By stack, because Aspects of a later stack may add rotations.
    const elsewhere = others.flatMap((other) => once(other, rotatorsByKey).get(key) ?? []);
    const all = [...here, ...elsewhere];
    const [declared] = pathsOf(all.filter((each) => !isRotation(each)));
    if (declared !== undefined) {
      return pathsOf(here.filter(isRotation)).map((path) =>
        message("rotated_where_declared", { path, declared }),
      );
    }
    return all.length > 1 ? [message("rotated_twice", { paths: pathsOf(all).toSorted() })] : [];
  });
}

const pathsOf = (rotators: readonly Rotator[]): string[] =>
  rotators.map(({ resource }) => pathOf(resource));

const isRotation = ({ kind }: Declaration): boolean => kind.reading.rotates === "existing-key";

const rotatorsByKey = (stack: TerraformStack): ReadonlyMap<string, readonly Rotator[]> =>
  Map.groupBy(rotatorsIn(once(stack, readProgram)), ({ key }) => key);

const rotatorsIn = (program: Program): Rotator[] =>
  program.declarations
    .filter(({ kind }) => kind.reading.rotates !== undefined)
    .map((each) => ({ ...each, key: keyOf(program, each) }));

/** A key's account, and its name or its id; what only Terraform knows is one key in its stack alone. */
function keyOf(program: Program, rotator: Declaration): string {
  const { resource } = rotator;
  const key = isRotation(rotator) ? referredKey(program, resource) : resource;
  const name = inputText(key, "name");
  const id = key === resource ? inputText(resource, "key_id") : `\${${addressOf(key)}.id}`;
  const known = name === "" ? { id } : { name };
  const account = accountOfBlock(key);
  const home = JSON.stringify(known).includes("${") ? key.cdktfStack.node.path : "";
  const stage = name !== "" && isSetByStage(account) ? outermostStageOf(key.cdktfStack) : "";
  return JSON.stringify([idOf(account), known, home, stage]);
}

/** Whether the key is that of the environment or of a variable, which is another for each stage. */
const isSetByStage = ({ key }: Account): boolean => key === "" || key.includes("${");

/** The declared key that a rotation refers to, or a lookup of one; where there is none, itself. */
function referredKey(program: Program, rotation: Block): Block {
  const blocks = [
    ...targetsElsewhere(rotation, ["key_id", "api_key"]).map(({ block }) => block),
    ...blocksIn(program, inputText(rotation, "key_id")),
  ];
  return blocks.find((each) => each?.terraformResourceType === "erphost_api_key") ?? rotation;
}
