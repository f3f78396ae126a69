/** Between contract names (snake_case) and program names (camelCase), by shape: free maps keep their keys. */
import { camel, type Fields } from "./define";
import { shapeOf, type Shape } from "./shape";
import { isRecord, type Values } from "./values";

type Direction = "camel" | "snake";

/** Renames the members of one value that its shape owns; every other key stays. */
function rename(value: unknown, shape: Shape, to: Direction): unknown {
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((element) => rename(element, shape.of, to));
  }
  if (shape.kind !== "object" || !isRecord(value)) return value;
  const names = Object.entries(shape.fields).map(([name, member]) => [name, member.shape] as const);
  return renameMembers(value, names, to);
}

function renameMembers(
  value: Values,
  names: readonly (readonly [string, Shape])[],
  to: Direction,
): Record<string, unknown> {
  const byFrom = new Map(
    names.map(([name, shape]) =>
      to === "camel" ? [name, { into: camel(name), shape }] : [camel(name), { into: name, shape }],
    ),
  );
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const known = byFrom.get(key);
      return known ? [known.into, rename(inner, known.shape, to)] : [key, inner];
    }),
  );
}

const shapes = (fields: Fields) =>
  Object.entries(fields).map(([name, { schema }]) => [name, shapeOf(schema)] as const);

/** `server_id` → `serverId`, nested objects included. Unknown keys stay. */
export const toCamel = (fields: Fields, values: Values): Record<string, unknown> =>
  renameMembers(values, shapes(fields), "camel");

/** `serverId` → `server_id`, nested objects included. Unknown keys stay. */
export const toSnake = (fields: Fields, values: Values): Record<string, unknown> =>
  renameMembers(values, shapes(fields), "snake");
