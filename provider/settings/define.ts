/** The types of settings: how each reads a value from a program, a stack or the environment. */
import { durationMs, isRecord, jsonOf, limitOf, type LimitWindow } from "../contract";
import { message, type Message } from "../messages";

/** A value, or why there is none: a message that continues a sentence starting with the place. */
export type Reading<T> = { readonly value: T } | { readonly fault: Message; readonly at?: number };

/**
 * One setting. Its name is its key in the table; every other spelling is derived from that.
 * `T` is what it is read as, `G` what a program gives.
 */
export interface Setting<T = unknown, G = unknown> {
  /** What it is, in one sentence for all faces; no name of a field or setting in it. */
  readonly doc: string;
  /** What schemas say of it. */
  readonly type: "string" | "integer" | "number" | "boolean" | "strings";
  /** What follows "must be", where the type alone does not say it. */
  readonly range?: string;
  /** The value where it is not set. */
  readonly fallback: T;
  /** The fallback in words; left out where there is none. */
  readonly fallbackText?: string;
  readonly required?: true;
  /** Whoever gives an empty text means a value, such as a variable that nobody set. */
  readonly neverBlank?: true;
  readonly secret?: true;
  /** Only true of one account, its key or its address: another account of a program has its own. */
  readonly perAccount?: true;
  /** Only true of one run or one machine: no state keeps it. */
  readonly perRun?: true;
  /** For documentation. */
  readonly example: string;
  /** Reads text, as variables and stacks hold it, or a value of the type itself. */
  readonly read: (given: unknown) => Reading<T>;
  /** Nothing at run time: it carries the type of what a program gives. */
  readonly given?: G;
}

type Described = Pick<Setting, "doc" | "example" | "perAccount" | "perRun">;

const refused = (expected: string, at?: number): Reading<never> => ({
  fault: message("invalid_setting", { expected }),
  ...(at !== undefined && { at }),
});

/** A text that may be left out. `check` answers what is wrong with it, or how it is written. */
export const text = ({
  check = (given) => ({ value: given }),
  ...described
}: Described & {
  fallbackText?: string;
  neverBlank?: true;
  secret?: true;
  check?: (given: string) => Reading<string>;
}): Setting<string | undefined, string> => ({
  ...described,
  type: "string",
  fallback: undefined,
  read: (given) => (typeof given === "string" ? check(given) : refused("a string")),
});

/** One that must be there. */
export const requiredText = (described: Parameters<typeof text>[0]): ReturnType<typeof text> => ({
  ...text(described),
  required: true,
});

/** One of a few words. */
export const choice = <const V extends string, F extends V | undefined>({
  values,
  fallback,
  ...described
}: Described & { values: readonly V[]; fallback: F }): Setting<V | F, string> => {
  const expected = `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
  return {
    ...described,
    type: "string",
    range: expected,
    fallback,
    ...(fallback !== undefined && { fallbackText: fallback }),
    read: (given) => {
      const known = values.find((value) => value === given);
      return known === undefined ? refused(expected) : { value: known };
    },
  };
};

/** A number of anything that has to be in a range, which `expected` says in words. */
const ranged = <G>(
  {
    expected,
    fallback,
    ...described
  }: Described & Pick<Setting, "type"> & { expected: string; fallback: G & (string | number) },
  read: (given: unknown) => number,
  isIn: (value: number) => boolean,
): Setting<number, G> => ({
  ...described,
  range: expected,
  fallback: read(fallback),
  fallbackText: String(fallback),
  read: (given) => {
    const value = read(given);
    return isIn(value) ? { value } : refused(expected);
  },
});

/**
 * A duration such as `30s`, read as milliseconds. Digits alone, as in a variable, are seconds; a number
 * of a program is refused, because half of all programs would mean milliseconds.
 */
export const duration = ({
  least,
  most,
  ...described
}: Described & Record<"least" | "most" | "fallback", string>): Setting<number, string> => {
  const ms = (given: unknown): number =>
    (typeof given === "string" ? durationMs(given, "s") : undefined) ?? Number.NaN;
  const expected = `a duration from ${least} to ${most}, such as ${described.example}`;
  const isIn = (value: number) => value >= ms(least) && value <= ms(most);
  return ranged({ ...described, type: "string", expected }, ms, isIn);
};

/** A number in a range, of which `above` is not a part. */
export const number = ({
  above,
  most,
  ...described
}: Described & Record<"above" | "most" | "fallback", number>): Setting<number, number> => {
  const expected = `a number above ${above} and at most ${most}`;
  const isIn = (value: number) => value > above && value <= most;
  return ranged({ ...described, type: "number", expected }, numberOf, isIn);
};

export const integer = ({
  least,
  most,
  ...described
}: Described & Record<"least" | "most" | "fallback", number>): Setting<number, number> => {
  const expected = `an integer from ${least} to ${most}`;
  const isIn = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return ranged({ ...described, type: "integer", expected }, numberOf, isIn);
};

const numberOf = (given: unknown): number =>
  typeof given === "string" || typeof given === "number" ? Number(given) : Number.NaN;

/** True or false; false where it is left out. */
export const flag = (described: Described): Setting<boolean, boolean> => ({
  ...described,
  type: "boolean",
  fallback: false,
  fallbackText: "false",
  read: (given) => {
    if (given === true || given === "true") return { value: true };
    return given === false || given === "false" ? { value: false } : refused("true or false");
  },
});

const WINDOW_MAX_MS = 31 * 86_400_000;
const LIMIT = "requests per duration, such as 100/2s or 1000/1h";

/** A list, a JSON list, or texts with commas between them; undefined for an element that is not one. */
const list = <T, G>(
  described: Described & Pick<Setting, "fallbackText" | "range">,
  expected: string,
  element: (given: unknown) => T | undefined,
): Setting<readonly T[], readonly G[]> => ({
  ...described,
  type: "strings",
  fallback: [],
  read: (given) => {
    const found = listOf(given).map(element);
    const odd = found.indexOf(undefined);
    // None is undefined then.
    return odd < 0 ? { value: found as T[] } : refused(expected, odd);
  },
});

/** Rate limits, as texts or windows. */
export const limits = (described: Described & { fallbackText: string }) =>
  list<LimitWindow, LimitWindow | string>({ ...described, range: LIMIT }, LIMIT, (given) => {
    const window = typeof given === "string" ? limitOf(given) : given;
    return isWindow(window) ? { requests: window.requests, windowMs: window.windowMs } : undefined;
  });

const ID = "an id such as srv_1; several have commas between them";

/** Ids. What a shell or a person makes of a list names no object, and would be none in silence. */
export const ids = (described: Described & { fallbackText: string }) =>
  list<string, string>(described, ID, (given) => {
    const id = typeof given === "string" ? given.trim() : "";
    return /^[^\s'"[\]]+$/.test(id) ? id : undefined;
  });

function listOf(given: unknown): readonly unknown[] {
  if (typeof given !== "string") return Array.isArray(given) ? given : [given];
  if (!given.trimStart().startsWith("[")) return given.split(",");
  const list = jsonOf(given);
  return Array.isArray(list) ? list : [given];
}

const isWindow = (window: unknown): window is LimitWindow =>
  isRecord(window) &&
  Number.isInteger(window["requests"]) &&
  Number(window["requests"]) >= 1 &&
  typeof window["windowMs"] === "number" &&
  window["windowMs"] >= 1 &&
  window["windowMs"] <= WINDOW_MAX_MS;

/** An object, or text that says where it comes from; whoever uses it reads it further. */
export const raw = (described: Described): Setting => ({
  ...described,
  type: "string",
  fallback: undefined,
  read: (value) => ({ value }),
});

/** What a setting is, what it takes and what holds without it: whole sentences, in Markdown. */
export function describeSetting({ doc, range, fallbackText }: Setting): string {
  const takes = range === undefined ? [] : [`Must be ${range}.`];
  return [doc, ...takes, ...(fallbackText === undefined ? [] : [`Default: ${fallbackText}.`])].join(
    " ",
  );
}
