/** Records, bodies and envelopes as JSON Schemas. */
import {
  authTestSchema,
  metaSchema,
  paginationSchema,
  pascal,
  rotationSchema,
  type Field,
  type Resource,
} from "../../../provider/contract";
import { jsonSchema, type JsonSchema } from "../types";

export type Json = Readonly<Record<string, unknown>>;

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** What an answer is, where all of it is one named schema. */
export const content = (schema: Json): Json => ({ "application/json": { schema } });

/** `Server`, `ServerCreate` and `ServerUpdate`, as far as the service offers them. */
export const recordSchemas = (all: readonly Resource[]): Json =>
  Object.fromEntries(all.flatMap(schemasOf));

function schemasOf(resource: Resource): (readonly [string, Json])[] {
  const title = pascal(resource.name);
  const { create, update } = resource.operations;
  const schemas: (readonly [string, Json])[] = [[title, recordSchema(resource)]];
  if (create) schemas.push([`${title}Create`, bodySchema(resource, () => true)]);
  if (update) {
    const changes = bodySchema(resource, (field) => !field.immutable);
    schemas.push([`${title}Update`, { ...changes, required: [] }]);
  }
  return schemas;
}

/** Lenient, like reading: an id and the types of known fields, whatever else the service adds. */
const recordSchema = (resource: Resource): Json => ({
  type: "object",
  description: resource.doc,
  properties: Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => [name, property(field, false)]),
  ),
  required: ["id"],
  additionalProperties: true,
});

function bodySchema(resource: Resource, takes: (field: Field) => boolean): Json {
  const fields = Object.entries(resource.fields).filter(
    ([, field]) => field.use !== "output" && takes(field),
  );
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, property(field, true)])),
    required: fields.filter(([, { use }]) => use === "required").map(([name]) => name),
    // Fields that the contract does not list are sent next to those that it does.
    additionalProperties: true,
  };
}

/** Writing is strict and reading lenient: a record's formats are not checked. */
function property(field: Field, strict: boolean): Json {
  const json = jsonSchema(field.schema);
  return {
    ...(strict ? json : lenient(json)),
    description: field.doc,
    "x-said-by": field.source,
    ...(field.example !== undefined && { examples: [field.example] }),
    ...(field.secret === true && { format: "password" }),
  };
}

function lenient(json: JsonSchema): Json {
  const { type, items, properties, additionalProperties, required } = json;
  return {
    ...(type !== undefined && { type }),
    ...(items && { items: lenient(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, lenient(inner)]),
      ),
    }),
    ...(required && { required }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: lenient(additionalProperties),
    }),
  };
}

export const envelopeSchemas = (): Json => ({
  Meta: jsonSchema(metaSchema),
  Pagination: jsonSchema(paginationSchema),
  AuthTest: jsonSchema(authTestSchema),
  Rotation: jsonSchema(rotationSchema),
  Deleted: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
});

/** A success around some data. */
export const envelope = (data: Json, paged = false): Json => ({
  type: "object",
  properties: {
    success: { const: true },
    data,
    meta: reference("Meta"),
    ...(paged && { pagination: reference("Pagination") }),
  },
  required: ["success", "data", "meta", ...(paged ? ["pagination"] : [])],
});
