/** JSON Schemas of what is on the wire. */
import * as z from "zod";
import { addressForms, addressOrRange, dateBound } from "../definition/common";
import { scopeNames, scopeNameSchema } from "../service/scopes";

export type Json = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that is looked into here. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

type Made = z.core.JSONSchema.BaseSchema;

/** What a schema says as it is sent: a format stands for its pattern, a refinement for its words. */
export function jsonSchema(schema: z.ZodType, change?: (made: Made) => void): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema: made }) => {
      if (zodSchema === scopeNameSchema) made.enum = [...scopeNames];
      if (zodSchema === dateBound) made.anyOf = [{ format: "date-time" }, { format: "date" }];
      if (zodSchema === addressOrRange)
        made.anyOf = addressForms.map((form) => ({ pattern: z.toJSONSchema(form).pattern ?? "" }));
      // Tools know times by their format. What else a format takes differs from tool to tool.
      if (made.format?.startsWith("date") === true) delete made.pattern;
      else delete made.format;
      // The bounds of what a number holds exactly, which say nothing of the service.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      change?.(made);
    },
  });
  // zod gives any JSON Schema; our definitions use the members above.
  return json as JsonSchema;
}

const READ = ["type", "format", "items", "properties", "required", "additionalProperties"];

/**
 * The same as it is read: types, members and times. Other formats and limits are not checked, so
 * that whoever reads by this document takes what a later release of the service adds.
 */
export const lenientSchema = (schema: z.ZodType): JsonSchema =>
  jsonSchema(schema, (made) => {
    for (const name of Object.keys(made)) if (!READ.includes(name)) delete made[name];
    if (made.format !== "date-time") delete made.format;
    if (made.additionalProperties === false) delete made.additionalProperties;
  });

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Something that a call may carry. */
export const parameter = (
  place: "header" | "query",
  name: string,
  description: string,
  schema: Json,
): Json => ({ name, in: place, required: false, description, schema });

export const content = (schema: Json): Json => ({ "application/json": { schema } });
