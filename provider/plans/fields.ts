/** What changes in an object, which of its values may be shown, and how. */
import { isRecord, maskSecrets, secretNames, type Values } from "../contract";
import { visible } from "../messages";
import type { Kind } from "../resources";
import { HIDDEN, UNKNOWN_VALUE, type FieldChange } from "./plan";

/** Two sides of an object, by contract name. Undefined: there is no object. */
export interface Sides {
  readonly before: Values | undefined;
  readonly after: Values | undefined;
}

/** Another provider's objects have no kind. What a plan calls sensitive was marked before. */
function withoutSecrets(kind: Kind | undefined, values: Values): Values {
  const suspects = new Set(secretNames(values).filter((name) => kind?.fields[name] === undefined));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (kind?.fields[name]?.secret === true || suspects.has(name)) return [name, hidden(value)];
      return [name, withoutSuspects(value)];
    }),
  );
}

/** Both sides of an object without their secrets. */
export const openSides = (kind: Kind | undefined, { before, after }: Sides): Sides => ({
  before: before && withoutSecrets(kind, before),
  after: after && withoutSecrets(kind, after),
});

/** A mark in the place of a value; what is absent stays so, and an unknown value has nothing to hide yet. */
const hidden = (value: unknown): unknown =>
  value === undefined || value === null || value === UNKNOWN_VALUE ? value : HIDDEN;

/** A value without what looks like a secret, in it or by its own name. */
export function withoutSuspects(value: unknown, name?: string): unknown {
  if (name !== undefined && secretNames({ [name]: value }).length > 0) return hidden(value);
  if (Array.isArray(value)) return value.map((each) => withoutSuspects(each));
  if (!isRecord(value)) return value;
  const suspicious = new Set(secretNames(value));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      suspicious.has(name) ? hidden(inner) : withoutSuspects(inner),
    ]),
  );
}

/** A field, or a member of a free map within it; names of members may hold dots. */
export type Path = readonly string[];

/** Every field that differs; members of free maps by themselves. */
export function differing({ before, after }: Sides): Path[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((name) => {
    const [old, next] = [before?.[name], after?.[name]];
    if (isSame(old, next)) return [];
    if (!isRecord(old) || !isRecord(next)) return [[name]];
    return differing({ before: old, after: next }).map((member) => [name, ...member]);
  });
}

/** Whether two values are the same; nothing and null are. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if ((one ?? null) === null || (other ?? null) === null) return (one ?? null) === (other ?? null);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  return isRecord(one) && isRecord(other) && differing({ before: one, after: other }).length === 0;
}

export const changesAt = (paths: readonly Path[], { before, after }: Sides): FieldChange[] =>
  paths.map((path) => ({ path: path.join("."), before: at(before, path), after: at(after, path) }));

function at(values: unknown, [head, ...rest]: Path): unknown {
  if (head === undefined) return values;
  if (!isRecord(values)) return values === HIDDEN || values === UNKNOWN_VALUE ? values : undefined;
  return Object.hasOwn(values, head) ? at(values[head], rest) : undefined;
}

const DEPTH_MAX = 64;

/** `"17.0"`, `(secret)`, `(known after apply)`; undefined for nothing. */
export function valueText(value: unknown, hide: Hide = (text) => text): string | undefined {
  if (value === undefined || value === null) return undefined;
  return visible(nestedText(value, 0, hide));
}

/** Takes known values out of a text. */
export type Hide = (text: string) => string;

function nestedText(value: unknown, depth: number, hide: Hide): string {
  if (value === HIDDEN) return "(secret)";
  if (value === UNKNOWN_VALUE) return "(known after apply)";
  if (depth >= DEPTH_MAX) return "…";
  if (Array.isArray(value))
    return `[${value.map((each) => nestedText(each, depth + 1, hide)).join(", ")}]`;
  if (typeof value === "string") return JSON.stringify(maskSecrets(hide(value), "(secret)"));
  if (!isRecord(value)) return hide(JSON.stringify(value ?? null));
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(hide(name))}: ${nestedText(inner, depth + 1, hide)}`,
  );
  return `{${members.join(", ")}}`;
}
