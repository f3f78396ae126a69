/** Where objects get their values from: other values there may change what refers to them. */
import { snake } from "../../provider/contract";
import { settings } from "../../provider/settings";
import { changesIn, type Change, type Comparison } from "./changes";
import type { Block, Configuration } from "./synthesised";

/** Lookups, provider blocks, variables and locals that differ; one that is new is read by nothing old. */
export const changesOfSources = (then: Configuration, now: Configuration): Change[] => [
  ...lookups(then, now),
  ...providers(then, now),
  ...variables(then, now),
  ...locals(then, now),
];

/** Arguments that only tell the engine when to look something up, and what to refuse. */
const ORDER: ReadonlySet<string> = new Set(["//", "depends_on", "lifecycle"]);

const lookups = (then: Configuration, now: Configuration): Change[] =>
  Object.entries(now.data).flatMap(([type, blocks]) =>
    changesOfEach(then.data[type] ?? {}, blocks, (name) => ({
      name: `data.${type}.${name}`,
      isWithoutEffect: (argument) => ORDER.has(argument),
    })),
  );

const OURS = "erphost";
/** Settings that decide how calls are made: not which objects there are, nor what they are like. */
const MANNERS: ReadonlySet<string> = new Set(
  (["concurrency", "intentsDir", "limits", "share", "timeout", "waitMax"] as const).map(snake),
);
const SECRETS: ReadonlySet<string> = new Set(
  Object.entries(settings)
    .filter(([, { secret }]) => secret)
    .map(([name]) => snake(name)),
);

/** The same objects in another account are other objects. */
function providers(then: Configuration, now: Configuration): Change[] {
  const types = [...new Set([...Object.keys(then.provider), ...Object.keys(now.provider)])].sort();
  return types.flatMap((type) => {
    const isOurs = type === OURS;
    return changesOfEach(byAlias(then, type), byAlias(now, type), (alias) => ({
      name: `the provider ${alias === "" ? type : `${type}.${alias}`}`,
      isWithoutEffect: (argument) => isOurs && MANNERS.has(argument),
      isSecret: (argument) => !isOurs || SECRETS.has(argument),
    }));
  });
}

/** Without a block, the environment configures a provider, as an empty block would. */
const byAlias = ({ provider }: Configuration, type: string): Readonly<Record<string, Block>> => ({
  "": {},
  ...Object.fromEntries(
    (provider[type] ?? []).map((block) => {
      const { alias } = block;
      return [typeof alias === "string" ? alias : "", block];
    }),
  ),
});

const variables = (then: Configuration, now: Configuration): Change[] =>
  changesOfEach(then.variable, now.variable, (name) => ({
    name: `the variable ${name}`,
    isWithoutEffect: (argument) => ["//", "description", "validation"].includes(argument),
    isSecret: () => [then, now].some(({ variable }) => variable[name]?.["sensitive"] === true),
  }));

const locals = (then: Configuration, now: Configuration): Change[] =>
  changesOfEach(asBlocks(then.locals), asBlocks(now.locals), (name) => ({
    name: `the local ${name}`,
    isWithoutEffect: () => false,
  }));

const asBlocks = (values: Configuration["locals"]): Readonly<Record<string, Block>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));

function changesOfEach(
  then: Readonly<Record<string, Block>>,
  now: Readonly<Record<string, Block>>,
  comparisonOf: (name: string) => Comparison,
): Change[] {
  return Object.entries(now).flatMap(([name, after]) => {
    const before = then[name];
    return before === undefined ? [] : changesIn(before, after, comparisonOf(name));
  });
}
