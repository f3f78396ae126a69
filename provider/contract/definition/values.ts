/** Plain values: what JSON can hold. */

/** Field values under contract names. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a value is a plain object and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of a plain object, and never what every object inherits, such as `constructor`. */
export const ownMember = (record: Values, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Whether stars or dots stand there, or inside, in the place of a secret. */
export const hasMask = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some(hasMask)
    : typeof value === "string" && /^[*\u2022]+$/.test(value);

/** A merge by RFC 7396: objects member by member, null removes. */
export function fieldsMerged(target: Values, patch: Values): Values {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isRecord(value)) merged.set(key, fieldsMerged(isRecord(old) ? old : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** Whether a value is nested more than this many levels deep. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** Whether a whole number has the fewest digits by which a double is known: as JSON carries it. */
export const isExact = (whole: string): boolean =>
  Number(whole)
    .toExponential()
    .replace(/\.|e.*/g, "") === whole.replace(/0+$/, "");

/** What a text of JSON says; undefined where it is none. */
export function jsonOf(text: string | undefined, reviver?: typeof exactNumber): unknown {
  try {
    return JSON.parse(text ?? "", reviver);
  } catch {
    return undefined;
  }
}

/** The list or the object that a text holds as JSON; undefined: none. */
export const jsonIn = (text: string): unknown => (/^\s*[[{]/.test(text) ? jsonOf(text) : undefined);

/** For JSON.parse: the digits of a whole number that JSON does not carry exactly stay as they are, in a text. */
export const exactNumber = (
  _: string,
  value: unknown,
  { source = "" }: { source?: string } = {},
): unknown =>
  typeof value === "number" && /^-?\d{16,}$/.test(source) && !isExact(source) ? source : value;

/** The objects in a list; none in anything else. */
export const recordsIn = (list: unknown): Values[] =>
  Array.isArray(list) ? list.filter(isRecord) : [];

/** JSON with sorted keys all the way down: equal values give equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );

/** Makes something of each object once, and has it for as long as the object is there. */
export function onceFor<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** A value with its texts and names in one form of Unicode (NFC); of names that become one the last. */
export function composed(value: unknown): unknown {
  if (typeof value === "string") return value.normalize();
  if (Array.isArray(value)) return value.map(composed);
  if (!isRecord(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, inner]) => [name.normalize(), composed(inner)]));
}
