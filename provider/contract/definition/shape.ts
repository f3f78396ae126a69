/** The few shapes that every face can say, read from a zod schema through its public JSON Schema. */
import * as z from "zod";
import { onceFor } from "./values";

export type Shape =
  | { readonly kind: "string" | "integer" | "number" | "boolean" | "any" }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, ObjectField>> };

export interface ObjectField {
  readonly shape: Shape;
  readonly required: boolean;
  readonly doc: string;
}

type Json = z.core.JSONSchema.BaseSchema;
const one = (schema: z.core.JSONSchema._JSONSchema | undefined): Json =>
  typeof schema === "object" ? schema : {};

/** Reads a schema; throws where no face could say it. */
export const shapeOf = onceFor((schema: z.ZodType): Shape =>
  fromJson(z.toJSONSchema(schema, { io: "input" })),
);

function fromJson(json: Json): Shape {
  switch (json.type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { kind: json.type };
    case "array":
      return {
        kind: "list",
        of: fromJson(one(Array.isArray(json.items) ? undefined : json.items)),
      };
    case "object": {
      if (!json.properties) return { kind: "map", of: fromJson(one(json.additionalProperties)) };
      const needed = new Set(json.required);
      const fields = Object.entries(json.properties).map(([name, member]) => {
        const inner = one(member);
        return [
          name,
          { shape: fromJson(inner), required: needed.has(name), doc: inner.description ?? "" },
        ] as const;
      });
      return { kind: "object", fields: Object.fromEntries(fields) };
    }
    case undefined:
      return { kind: "any" };
    default:
      throw new Error(`no face can say JSON Schema type ${String(json.type)}`);
  }
}
