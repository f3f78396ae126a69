/** References to objects of other accounts, in the same stack and in others. */
import { TerraformElement, TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { camel } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { Existing } from "../constructs/existing";
import { referredBy } from "../constructs/identity";
import { once } from "../synthesis";
import { accountOf, accountOfBlock, differ, type Account } from "./account";
import { blocksIn, inputOf, inputText, isOurs, nameOf, ownerOf, pathOf } from "./program";
import { providerOf, readProgram } from "./program";
import type { Block, Program } from "./program";
import { addressesIn } from "./references";

/** An object of another stack. */
interface Target {
  readonly construct: IConstruct;
  readonly account: Account;
  /** What declares it or looks it up; none where a program has only its id. */
  readonly block?: Block;
}

type Reference = readonly [field: string, kind: string];

/** An id is one of an account: in another one it is the id of another object, or of none. */
export const otherAccounts = (program: Program): Message[] =>
  program.declarations.flatMap(({ resource, kind }) =>
    kind.inputs.flatMap(([field, { references }]) => {
      if (references === undefined) return [];
      const reference = [field, references] as const;
      const it = { path: pathOf(resource), field };
      const about = { subject: { kind: kind.name } };
      return [...inThisStack(program, resource, reference), ...inOthers(resource, reference)].map(
        (other) => message("other_account", { ...it, ...other }, about),
      );
    }),
  );

/** In one stack, an account has the name of its provider block. */
function inThisStack(program: Program, resource: Block, [field, kind]: Reference) {
  const provider = providerOf(resource);
  const text = inputText(resource, field);
  if (text === "") return [];
  // References by this very id to an object whose account is stated.
  const stated = program.existing.filter(
    (each) => each.provider && Reflect.get(each, `${camel(kind)}Id`) === text,
  );
  return [
    ...blocksIn(program, text).map((block) => [pathOf(block), providerOf(block)] as const),
    ...stated.map((each) => [pathOf(each), nameOf(each.provider)] as const),
  ]
    .filter(([, targetProvider]) => targetProvider !== provider)
    .map(([target, targetProvider]) => ({ provider, target, targetProvider }));
}

function inOthers(resource: Block, reference: Reference) {
  const own = accountOfBlock(resource);
  return targetsElsewhere(resource, reference)
    .filter(({ construct, account }) =>
      differ(own, account, [resource.cdktfStack, TerraformStack.of(construct)]),
    )
    .map(({ construct, account }) => {
      return { provider: own.block, target: pathOf(construct), targetProvider: account.block };
    });
}

export function targetsElsewhere(resource: Block, [field, kind]: Reference): readonly Target[] {
  const own = givenElsewhere(ownerOf(resource), `${camel(kind)}Id`);
  return own.length > 0 ? own : declaredElsewhere(inputOf(resource, field), resource.cdktfStack);
}

/** What an expression refers to in other stacks. */
function declaredElsewhere(given: unknown, stack: TerraformStack): readonly Target[] {
  if (typeof given !== "string") return [];
  return Tokenization.reverseString(given).tokens.flatMap((token) => {
    const origin: unknown = Reflect.get(token, "originStack");
    if (!TerraformStack.isStack(origin) || origin === stack) return [];
    const addresses = addressesIn(String(Reflect.get(token, "identifier")));
    const { byAddress } = once(origin, readProgram);
    return [...new Set(addresses)]
      .flatMap((address) => byAddress.get(address) ?? [])
      .map((each) => ({ construct: each, account: accountOfBlock(each), block: each }));
  });
}

/** What a construct is given of other stacks; an id has an account only where one is stated. */
const givenElsewhere = (construct: IConstruct, id: string): readonly Target[] =>
  referredBy(construct)
    .filter((each) => id in each && TerraformStack.of(each) !== TerraformStack.of(construct))
    .flatMap((each) => {
      const [first] = each.node
        .findAll()
        .filter((below) => TerraformElement.isTerraformElement(below))
        .filter((below) => isOurs(below));
      if (first) return [{ construct: each, account: accountOfBlock(first), block: first }];
      const stated = each instanceof Existing ? each.provider : undefined;
      return stated ? [{ construct: each, account: accountOf(stated) }] : [];
    });
