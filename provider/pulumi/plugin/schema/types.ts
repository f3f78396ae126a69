/** Shapes of the definitions as types of the schema; nested objects get a name of their own. */
import { camel, pascal, shapeOf, type Field, type Shape } from "../../../contract";
import { PACKAGE } from "../values/tokens";
import type { ObjectSpec, PropertySpec, TypeSpec } from "./spec";

/** Collects the object types that the fields need. */
export type NamedTypes = Map<string, ObjectSpec>;

/** `members` of `Team` → `TeamMember`. */
export const nameOf = (owner: string, field: string, many: boolean): string =>
  `${owner}${pascal(many ? field.replace(/s$/, "") : field)}`;

/** @param owner the title of what has the field, for the names of nested types */
export function typeOf(types: NamedTypes, owner: string, name: string, shape: Shape): TypeSpec {
  switch (shape.kind) {
    case "any":
      return { $ref: "pulumi.json#/Any" };
    case "list":
      return {
        type: "array",
        items: typeOf(types, owner, shape.of.kind === "object" ? `${name}[]` : name, shape.of),
      };
    case "map":
      return { type: "object", additionalProperties: typeOf(types, owner, name, shape.of) };
    case "object":
      return { $ref: objectType(types, owner, name, shape) };
    default:
      return { type: shape.kind };
  }
}

function objectType(
  types: NamedTypes,
  owner: string,
  name: string,
  shape: Extract<Shape, { kind: "object" }>,
): string {
  const many = name.endsWith("[]");
  const title = nameOf(owner, name.replace("[]", ""), many);
  const members = Object.entries(shape.fields);
  types.set(`${PACKAGE}:index:${title}`, {
    type: "object",
    properties: Object.fromEntries(
      members.map(([member, { shape: inner, doc }]) => [
        camel(member),
        { ...typeOf(types, title, member, inner), description: doc },
      ]),
    ),
    required: members.flatMap(([member, { required }]) => (required ? [camel(member)] : [])),
  });
  return `#/types/${PACKAGE}:index:${title}`;
}

/** A field as a property, without what only inputs or only outputs have. */
export function propertyOf(
  types: NamedTypes,
  owner: string,
  name: string,
  field: Field,
  description: string,
): PropertySpec {
  return {
    ...typeOf(types, owner, name, shapeOf(field.schema)),
    description,
    ...(field.secret && { secret: true }),
  };
}
