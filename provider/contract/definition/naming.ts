/**
 * Names in the contract (snake_case) and in programs (camelCase). Values are renamed by shape: the
 * named members of objects change, at any depth, and the keys of free maps never do.
 */
import type { z } from "zod";
import type { Resource } from "./define";
import { shapeOf, type ObjectField, type Shape } from "./shape";
import { isRecord, onceFor, type Values } from "./values";

/** `server_id` → `serverId`. */
export const camel = (name: string): string =>
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** `serverId` → `server_id`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `cloud_provider` → `CloudProvider`. */
export const pascal = (name: string): string => {
  const key = camel(name);
  return key.charAt(0).toUpperCase() + key.slice(1);
};

/** Members by contract name, of which only the schemas are read: a resource's fields or filters. */
type Members = Readonly<Record<string, { readonly schema: z.ZodType }>>;

/** `server_id` → `serverId`, nested members included. Unknown keys stay. */
export const toCamel = (members: Members, values: Values): Record<string, unknown> =>
  renameMembers(values, renamingOfMembers(members), "camel");

/** `serverId` → `server_id`, nested members included. Unknown keys stay. */
export const toSnake = (members: Members, values: Values): Record<string, unknown> =>
  renameMembers(values, renamingOfMembers(members), "snake");

/** A record as programs see it: fields in camelCase, and what no field owns in `properties`. */
export const itemOf = (
  { fields }: Resource,
  record: { readonly fields: Values; readonly properties: Values },
): Record<string, unknown> => ({
  ...toCamel(fields, record.fields),
  properties: record.properties,
});

/** The other name of each member, and its shape: read only where a value may have members. */
type Names = ReadonlyMap<string, { readonly into: string; readonly shape: () => Shape }>;

interface Renaming {
  readonly camel: Names;
  readonly snake: Names;
}

const renamingOf = (all: readonly (readonly [name: string, shape: () => Shape])[]): Renaming => ({
  camel: new Map(all.map(([name, shape]) => [name, { into: camel(name), shape }])),
  snake: new Map(all.map(([name, shape]) => [camel(name), { into: name, shape }])),
});

// One renaming per description, because a list may have ten thousand records.
const renamingOfMembers = onceFor((members: Members) =>
  renamingOf(Object.entries(members).map(([name, { schema }]) => [name, () => shapeOf(schema)])),
);
const renamingOfShape = onceFor((fields: Readonly<Record<string, ObjectField>>) =>
  renamingOf(Object.entries(fields).map(([name, { shape }]) => [name, () => shape])),
);

function renameMembers(
  values: Values,
  renaming: Renaming,
  to: keyof Renaming,
): Record<string, unknown> {
  const names = renaming[to];
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const known = names.get(key);
      return known ? [known.into, rename(value, known.shape, to)] : [key, value];
    }),
  );
}

function rename(value: unknown, shapeOfIt: () => Shape, to: keyof Renaming): unknown {
  if (typeof value !== "object" || value === null) return value;
  const shape = shapeOfIt();
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((element) => rename(element, () => shape.of, to));
  }
  if (!isRecord(value)) return value;
  if (shape.kind === "map") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, rename(inner, () => shape.of, to)]),
    );
  }
  return shape.kind === "object" ? renameMembers(value, renamingOfShape(shape.fields), to) : value;
}
