/** Whether a stack, applied after another version of itself, would change nothing. */
import type { TerraformStack } from "cdktf";
import { isDeepStrictEqual } from "node:util";
import { kinds } from "../../provider/resources";
import { configurationOf, type Block, type Configuration, type Verdict } from "./synthesised";

/** Arguments whose change shows in no plan: they only tell the engine and the provider how to work. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "//",
  "connection",
  "depends_on",
  "idempotency_token",
  "lifecycle",
]);
const OURS = "erphost_";
/** An address, wherever a text refers to it. */
const ADDRESS = /(?<![\w.-])[a-z]\w*\.[\w-]+/g;

type Blocks = ReadonlyMap<string, Block>;

/**
 * Compares two configurations as a plan would, with the renames that the later one declares.
 * @param before the earlier version: a stack, or its `cdk.tf.json` as text
 */
export function plansNothing(after: TerraformStack, before: TerraformStack | string): Verdict {
  const now = configurationOf(after);
  const moves = new Map(now.moved.map((each) => [String(each["from"]), String(each["to"])]));
  const then = renamed(configurationOf(before), moves);
  const changes = [
    ...changesOfObjects(then, now, moves),
    ...changesOfOutputs(then.output, now.output),
    ...importsIn(then, now),
  ];
  const path = after.node.path;
  if (changes.length === 0) {
    const renames = moves.size === 0 ? "" : `, with ${moves.size} renamed`;
    return { pass: true, message: `The stack ${path} plans nothing${renames}.` };
  }
  const isRename = changes.some(({ kind }) => kind === "deleted");
  const hint = "An object keeps its place under another path with moveConstruct(old, renamed).";
  const lines = changes.map(({ text }) => `  ${text}`);
  const message = [`The stack ${path} plans changes:`, ...lines, ...(isRename ? [hint] : [])];
  return { pass: false, message: message.join("\n") };
}

interface Change {
  readonly kind: "created" | "deleted" | "changed" | "imported";
  readonly text: string;
}

/** The earlier configuration with every reference to what has been renamed since. */
function renamed(before: Configuration, moves: ReadonlyMap<string, string>): Configuration {
  const text = JSON.stringify(before).replace(ADDRESS, (address) => moves.get(address) ?? address);
  // The same configuration, but for addresses in its texts; names of blocks hold no dot.
  return JSON.parse(text) as Configuration;
}

function changesOfObjects(
  then: Configuration,
  now: Configuration,
  moves: ReadonlyMap<string, string>,
): Change[] {
  const old = blocksOf(then);
  const present = blocksOf(now);
  const kept = new Map([...old].map(([address, block]) => [moves.get(address) ?? address, block]));
  const gone = [...old.keys()].filter((address) => !present.has(moves.get(address) ?? address));
  const made = [...present.keys()].filter((address) => !kept.has(address));
  return [
    ...gone.map((each): Change => ({ kind: "deleted", text: `${each} would be deleted` })),
    ...made.map((each): Change => ({ kind: "created", text: `${each} would be created` })),
    ...[...present].flatMap(([address, block]) => changesOf(address, kept.get(address), block)),
  ];
}

const blocksOf = ({ resource }: Configuration): Blocks =>
  new Map(
    Object.entries(resource).flatMap(([type, blocks]) =>
      Object.entries(blocks).map(([name, block]) => [`${type}.${name}`, block] as const),
    ),
  );

/** One line for each argument that differs. */
function changesOf(address: string, before: Block | undefined, after: Block): Change[] {
  if (before === undefined) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => !WITHOUT_EFFECT.has(name) && !isDeepStrictEqual(before[name], after[name]))
    .map((name): Change => {
      const forces = forcesReplacement(address, name) ? ", which forces replacement" : "";
      const values = `${shown(before[name])} → ${shown(after[name])}`;
      return { kind: "changed", text: `${address} would change: ${name} ${values}${forces}` };
    });
}

function forcesReplacement(address: string, name: string): boolean {
  const [type = ""] = address.split(".");
  const kind = type.startsWith(OURS) ? kinds[type.slice(OURS.length)] : undefined;
  return kind?.fields[name]?.immutable === true || !!kind?.reading.replaceOn?.includes(name);
}

/** An output under another name is gone for whoever reads it. */
function changesOfOutputs(then: Configuration["output"], now: Configuration["output"]): Change[] {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  return names.flatMap((name): Change[] => {
    const [before, after] = [then[name]?.["value"], now[name]?.["value"]];
    if (isDeepStrictEqual(before, after)) return [];
    if (!(name in now)) return [{ kind: "deleted", text: `the output ${name} would be deleted` }];
    if (!(name in then)) return [{ kind: "created", text: `the output ${name} would be created` }];
    const values = `${shown(before)} → ${shown(after)}`;
    return [{ kind: "changed", text: `the output ${name} would change: ${values}` }];
  });
}

const importsIn = (then: Configuration, now: Configuration): Change[] =>
  now.import
    .filter((each) => !then.import.some((known) => isDeepStrictEqual(known, each)))
    .map(({ to }) => ({ kind: "imported", text: `${String(to)} would be imported` }));

const shown = (value: unknown): string =>
  value === undefined ? "(not set)" : JSON.stringify(value);
