/** Between contract names (snake_case) and program names (camelCase), by shape: free maps keep their keys. */
import type { Fields } from "./define";
import { shapeOf, type Shape } from "./shape";
import { isRecord, type Values } from "./values";

/** `server_id` → `serverId`. */
export const camel = (name: string): string =>
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** `cloud_provider` → `CloudProvider`. */
export const pascal = (name: string): string => {
  const key = camel(name);
  return key.charAt(0).toUpperCase() + key.slice(1);
};

/** What members are called on the other side, and what they hold. */
type Names = ReadonlyMap<string, { readonly into: string; readonly shape: Shape }>;

/** Made once for each description, in both directions: values are renamed by the thousand. */
interface Renaming {
  readonly camel: Names;
  readonly snake: Names;
}
const made = new WeakMap<object, Renaming>();

function renamingOf(
  described: object,
  shapes: () => readonly (readonly [string, Shape])[],
): Renaming {
  const known = made.get(described);
  if (known) return known;
  const all = shapes();
  const renaming = {
    camel: new Map(all.map(([name, shape]) => [name, { into: camel(name), shape }])),
    snake: new Map(all.map(([name, shape]) => [camel(name), { into: name, shape }])),
  };
  made.set(described, renaming);
  return renaming;
}

/**
 * Renames the members of one value that its shape owns, inside lists and maps as well. The keys of
 * a map are data and stay, as every unknown key does.
 */
function rename(value: unknown, shape: Shape, to: keyof Renaming): unknown {
  // Most values are plain.
  if (typeof value !== "object") return value;
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((element) => rename(element, shape.of, to));
  }
  if (shape.kind === "map" && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, rename(inner, shape.of, to)]),
    );
  }
  if (shape.kind !== "object" || !isRecord(value)) return value;
  const { fields } = shape;
  const renaming = renamingOf(fields, () =>
    Object.entries(fields).map(([name, member]) => [name, member.shape]),
  );
  return renameMembers(value, renaming, to);
}

function renameMembers(
  value: Values,
  renaming: Renaming,
  to: keyof Renaming,
): Record<string, unknown> {
  const names = renaming[to];
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const known = names.get(key);
      return known ? [known.into, rename(inner, known.shape, to)] : [key, inner];
    }),
  );
}

const renamingOfFields = (fields: Fields): Renaming =>
  renamingOf(fields, () =>
    Object.entries(fields).map(([name, { schema }]) => [name, shapeOf(schema)]),
  );

/** `server_id` → `serverId`, nested objects included. Unknown keys stay. */
export const toCamel = (fields: Fields, values: Values): Record<string, unknown> =>
  renameMembers(values, renamingOfFields(fields), "camel");

/** `serverId` → `server_id`, nested objects included. Unknown keys stay. */
export const toSnake = (fields: Fields, values: Values): Record<string, unknown> =>
  renameMembers(values, renamingOfFields(fields), "snake");

/** One value of a known shape in camelCase: objects in lists and maps included. */
export const camelValue = (shape: Shape, value: unknown): unknown => rename(value, shape, "camel");

/** The reverse of `camelValue`. */
export const snakeValue = (shape: Shape, value: unknown): unknown => rename(value, shape, "snake");
