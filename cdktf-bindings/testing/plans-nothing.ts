/** Whether a stack, applied after another version of itself, would change nothing. */
import type { TerraformStack } from "cdktf";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../provider/contract";
import { kinds, type Kind } from "../../provider/resources";
import { changesIn, type Change } from "./changes";
import { changesOfSources } from "./sources";
import { changesOfState } from "./state";
import { configurationOf, type Block, type Configuration, type Verdict } from "./synthesised";

/** Arguments whose change shows in no plan: they only tell the engine and the provider how to work. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "//",
  "connection",
  "depends_on",
  "idempotency_token",
  "lifecycle.create_before_destroy",
  "lifecycle.ignore_changes",
  "lifecycle.postcondition",
  "lifecycle.precondition",
  "lifecycle.prevent_destroy",
]);
/** Write-only arguments are in no plan; a change of their version is, and sends them. */
const WRITE_ONLY = /_wo$/;
/** Arguments that `ignore_changes` does not reach, not even with `all`. */
const NEVER_IGNORED = /^(?:count|for_each|lifecycle\..+|provider)$/;
const OURS = "erphost_";
/** An address, wherever a text refers to it. */
const ADDRESS = /(?<![\w.-])[a-z]\w*\.[\w-]+/g;

const RENAME = "An object keeps its place under another path with moveConstruct(old, renamed).";
const MIGRATION =
  "If the state is copied to its new place before the apply, say so: toPlanNothingAfter(before, { stateIsMigrated: true }).";

type Blocks = ReadonlyMap<string, Block>;

/** Options of the comparison. */
export interface PlansNothingOptions {
  /** Whether the state is copied to its new place before the next apply; default: false. */
  readonly stateIsMigrated?: boolean;
}

/**
 * Compares two configurations as a plan would, with the renames that the later one declares.
 * @param before the earlier version: a stack, or its `cdk.tf.json` as text
 */
export function plansNothing(
  after: TerraformStack,
  before: TerraformStack | string,
  { stateIsMigrated = false }: PlansNothingOptions = {},
): Verdict {
  const now = configurationOf(after);
  const moves = new Map(now.moved.map((each) => [String(each["from"]), String(each["to"])]));
  const then = renamed(configurationOf(before), moves);
  const state = stateIsMigrated ? [] : changesOfState(then, now);
  const changes = [
    ...state,
    ...changesOfObjects(then, now, moves),
    ...changesOfSources(then, now),
    ...changesOfOutputs(then.output, now.output),
    ...importsIn(then, now),
  ];
  const path = after.node.path;
  if (changes.length === 0) {
    const renames = moves.size === 0 ? "" : `, with ${moves.size} renamed`;
    return { pass: true, message: `The stack ${path} plans nothing${renames}.` };
  }
  const isRename = changes.some(({ kind }) => kind === "deleted");
  const message = [
    `The stack ${path} plans changes:`,
    ...changes.map(({ text }) => `  ${text}`),
    ...(isRename ? [RENAME] : []),
    ...(state.length > 0 ? [MIGRATION] : []),
  ];
  return { pass: false, message: message.join("\n") };
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

/** Resources by address, and modules, whose resources a plan changes with their arguments. */
const blocksOf = ({ resource, module }: Configuration): Blocks =>
  new Map(
    Object.entries({ ...resource, module }).flatMap(([type, blocks]) =>
      Object.entries(blocks).map(([name, block]) => [`${type}.${name}`, block] as const),
    ),
  );

/** What differs between two versions of a block, but for what is no longer compared. */
function changesOf(address: string, before: Block | undefined, after: Block): Change[] {
  if (before === undefined) return [];
  const kind = kindAt(address);
  const [then, now] = [ignoredIn(before), ignoredIn(after)];
  return [
    ...changesIn(flat(before), flat(after), {
      name: address,
      isWithoutEffect: (argument) =>
        WITHOUT_EFFECT.has(argument) ||
        WRITE_ONLY.test(argument) ||
        (isIn(now, argument) && !NEVER_IGNORED.test(argument)),
      isSecret: (argument) => kind?.fields[argument]?.secret === true,
      consequence: (argument) =>
        forcesReplacement(kind, argument) ? ", which forces replacement" : "",
    }),
    ...then
      .filter((argument) => !isIn(now, argument))
      .map((argument): Change => {
        const what = argument === ALL ? "any argument" : argument;
        return { kind: "changed", text: `${address} would no longer ignore changes of ${what}` };
      }),
  ];
}

/** A block with what is in its lifecycle as arguments of their own. */
function flat({ lifecycle, ...block }: Block): Block {
  const inner = isRecord(lifecycle) ? Object.entries(lifecycle) : [];
  return {
    ...block,
    ...Object.fromEntries(inner.map(([name, value]) => [`lifecycle.${name}`, value])),
  };
}

const ALL = "all";

/** What the engine does not compare; what it did not compare before may have changed since. */
function ignoredIn({ lifecycle }: Block): readonly string[] {
  const ignored = isRecord(lifecycle) ? lifecycle["ignore_changes"] : undefined;
  return (Array.isArray(ignored) ? ignored : [ignored]).filter((each) => typeof each === "string");
}

const isIn = (ignored: readonly string[], argument: string): boolean =>
  ignored.includes(ALL) || ignored.includes(argument);

function kindAt(address: string): Kind | undefined {
  const [type = ""] = address.split(".");
  return type.startsWith(OURS) ? kinds[type.slice(OURS.length)] : undefined;
}

const forcesReplacement = (kind: Kind | undefined, argument: string): boolean =>
  kind?.fields[argument]?.immutable === true || !!kind?.reading.replaceOn?.includes(argument);

/** An output under another name is gone for whoever reads it. */
function changesOfOutputs(then: Configuration["output"], now: Configuration["output"]): Change[] {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  return names.flatMap((name): Change[] => {
    const [before, after] = [then[name], now[name]];
    if (!after) return [{ kind: "deleted", text: `the output ${name} would be deleted` }];
    if (!before) return [{ kind: "created", text: `the output ${name} would be created` }];
    return changesIn(visible(before), visible(after), {
      name: `the output ${name}`,
      isWithoutEffect: () => false,
      isSecret: () => [before, after].some(({ sensitive }) => sensitive === true),
    });
  });
}

/** What a plan shows of an output. */
const visible = ({ value, sensitive }: Block): Block => ({ value, sensitive: sensitive === true });

const importsIn = (then: Configuration, now: Configuration): Change[] =>
  now.import
    .filter((each) => !then.import.some((known) => isDeepStrictEqual(known, each)))
    .map(({ to }) => ({ kind: "imported", text: `${String(to)} would be imported` }));
