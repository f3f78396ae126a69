/** Shapes of the definitions as types of the schema. Every nested object gets a name. */
import { camel, pascal, shapeOf, type Field, type Shape } from "../../../contract";
import { PACKAGE } from "../values/tokens";
import type { ObjectSpec, PropertySpec, TypeSpec } from "./spec";

/** `members` of `Team` → `TeamMember`. */
export const nameOf = (owner: string, field: string, many: boolean): string =>
  `${owner}${pascal(many ? field.replace(/s$/, "") : field)}`;

/** Describes fields, and collects the object types that they need. */
export class SchemaTypes {
  private readonly objects = new Map<string, ObjectSpec>();

  get named(): Record<string, ObjectSpec> {
    return Object.fromEntries(this.objects);
  }

  /** Adds an object type, and returns the reference to it. */
  add(title: string, type: ObjectSpec): string {
    this.objects.set(`${PACKAGE}:index:${title}`, type);
    return `#/types/${PACKAGE}:index:${title}`;
  }

  /** A field as a property, without what only inputs or only outputs have. */
  property(owner: string, name: string, field: Field, description: string): PropertySpec {
    return {
      ...this.typeOf(owner, name, shapeOf(field.schema)),
      description,
      ...(field.secret && { secret: true }),
    };
  }

  /** @param owner the title of what has the field, for the names of nested types */
  typeOf(owner: string, name: string, shape: Shape): TypeSpec {
    switch (shape.kind) {
      case "any":
        return { $ref: "pulumi.json#/Any" };
      case "list":
        return {
          type: "array",
          items: this.typeOf(owner, shape.of.kind === "object" ? `${name}[]` : name, shape.of),
        };
      case "map":
        return { type: "object", additionalProperties: this.typeOf(owner, name, shape.of) };
      case "object":
        return { $ref: this.objectType(owner, name, shape) };
      default:
        return { type: shape.kind };
    }
  }

  private objectType(owner: string, name: string, shape: Extract<Shape, { kind: "object" }>) {
    const title = nameOf(owner, name.replace("[]", ""), name.endsWith("[]"));
    const members = Object.entries(shape.fields);
    return this.add(title, {
      type: "object",
      properties: Object.fromEntries(
        members.map(([member, { shape: inner, doc }]) => [
          camel(member),
          { ...this.typeOf(title, member, inner), description: doc },
        ]),
      ),
      required: members.flatMap(([member, { required }]) => (required ? [camel(member)] : [])),
    });
  }
}
