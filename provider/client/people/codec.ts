/** Between contract names (snake_case) and TypeScript's (camelCase), by shape, all the way down. */
import {
  camel,
  isRecord,
  shapeOf,
  type ResolvedResource,
  type ServiceRecord,
  type Shape,
  type Values,
} from "../../contract";

/** Renames the members of known objects; free maps and unknown members keep their names. */
export const toCamel = (shape: Shape, value: unknown): unknown => rename(shape, value, camelOf);

/** The reverse of `toCamel`. */
export const toSnake = (shape: Shape, value: unknown): unknown => rename(shape, value, snakeOf);

type Names = ReadonlyMap<string, { readonly name: string; readonly shape: Shape }>;
type ObjectShape = Extract<Shape, { kind: "object" }>;

function rename(shape: Shape, value: unknown, naming: (of: ObjectShape) => Names): unknown {
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((element) => rename(shape.of, element, naming));
  }
  if (shape.kind === "map" && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, rename(shape.of, inner, naming)]),
    );
  }
  if (shape.kind !== "object" || !isRecord(value)) return value;
  const names = naming(shape);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const known = names.get(key);
      return known ? [known.name, rename(known.shape, inner, naming)] : [key, inner];
    }),
  );
}

const cached = (make: (shape: ObjectShape) => Names) => {
  const seen = new WeakMap<ObjectShape, Names>();
  return (shape: ObjectShape): Names => {
    const known = seen.get(shape) ?? make(shape);
    seen.set(shape, known);
    return known;
  };
};

const camelOf = cached(
  ({ fields }) =>
    new Map(
      Object.entries(fields).map(([name, { shape }]) => [name, { name: camel(name), shape }]),
    ),
);
const snakeOf = cached(
  ({ fields }) =>
    new Map(Object.entries(fields).map(([name, { shape }]) => [camel(name), { name, shape }])),
);

const seen = new WeakMap<ResolvedResource, Names>();

/** Contract name → TypeScript's name and shape; made once per resource. */
function namesOf(resource: ResolvedResource): Names {
  const known = seen.get(resource);
  if (known) return known;
  const made: Names = new Map(
    Object.entries(resource.definition.fields).map(([name, { schema }]) => [
      name,
      { name: camel(name), shape: shapeOf(schema) },
    ]),
  );
  seen.set(resource, made);
  return made;
}

/** A record as a program sees it: camelCase fields, and `properties` for the rest. */
export function itemOf(resource: ResolvedResource, record: ServiceRecord): Values {
  const item: Record<string, unknown> = {};
  const names = namesOf(resource);
  for (const name of Object.keys(record.fields)) {
    const value = record.fields[name];
    const field = names.get(name);
    // Most values are plain: they need no renaming below.
    if (field) item[field.name] = typeof value === "object" ? toCamel(field.shape, value) : value;
    else item[name] = value;
  }
  item["properties"] = record.properties;
  return item;
}
