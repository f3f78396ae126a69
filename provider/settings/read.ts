/** Reads settings: what is given wins over the environment, which wins over the default. */
import { issueAt, type InputIssue, type Values } from "../contract";
import type { Setting } from "./define";
import { nearest, variableOf } from "../messages";

type Table = Readonly<Record<string, Setting>>;

export type ValuesOf<T extends Table> = {
  readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never;
};

export type GivenOf<T extends Table> = {
  readonly [K in keyof T]?: (T[K] extends Setting<infer _, infer G> ? G : never) | undefined;
};

export interface Sources {
  /** Under the settings' own names; text or values of their types. Blank text is not set. */
  readonly given?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads every setting of a table. A faulty one has its fallback, and an issue at where it was set. */
export function readSettings<T extends Table>(
  table: T,
  sources: Sources,
): { readonly values: ValuesOf<T>; readonly issues: readonly InputIssue[] } {
  const { given = {}, env = {} } = sources;
  const issues: InputIssue[] = [];
  const values = Object.entries(table).map(([name, setting]): [string, unknown] => {
    const variable = variableOf(name);
    const own = filled(given[name]);
    const isBlank = own === undefined && typeof given[name] === "string";
    if (isBlank && setting.neverBlank) issues.push(issueAt([name], "blank_setting", { variable }));
    const value = own ?? filled(env[variable]);
    const place = own === undefined ? variable : name;
    if (value !== undefined) return [name, valueOf(place, setting, value, issues)];
    if (setting.required) issues.push(issueAt([name], "missing_setting", { name }));
    return [name, setting.fallback];
  });
  // Made of the very entries that the type is derived from.
  return { values: Object.fromEntries(values) as ValuesOf<T>, issues };
}

/** Names that nothing reads, each with the nearest one that there is. */
export function strangeNames(given: object, known: readonly string[]): readonly InputIssue[] {
  const stated = Object.entries(given).filter(([, value]) => value !== undefined);
  const odd = stated.map(([name]) => name).filter((name) => !known.includes(name));
  return odd.map((name) => {
    const near = nearest(name, known);
    return issueAt([name], "unknown_setting", { known: near === undefined ? known : [near] });
  });
}

/** The same of those that are like one that there is; any other may be read by somebody else. */
export function misspelledNames(given: object, known: readonly string[]): readonly InputIssue[] {
  const like = Object.entries(given).filter(([name]) => nearest(name, known) !== undefined);
  return strangeNames(Object.fromEntries(like), known);
}

/** What is wrong with the settings that are given, whatever the environment adds. */
export function issuesOfGiven(table: Table, given: Values): readonly InputIssue[] {
  return readSettings(table, { given }).issues.filter(({ code }) => code !== "missing_setting");
}

function valueOf(place: string, setting: Setting, given: unknown, issues: InputIssue[]): unknown {
  const reading = setting.read(given);
  if ("value" in reading) return reading.value;
  const path = reading.at === undefined ? [place] : [place, reading.at];
  issues.push({ ...reading.fault, path });
  return setting.fallback;
}

/** Undefined for what counts as not set. */
const filled = (value: unknown): unknown => {
  const trimmed = typeof value === "string" ? value.trim() : value;
  return trimmed === "" || trimmed === null ? undefined : trimmed;
};
