/** Records, bodies and envelopes as JSON Schemas, under the names of the wire. */
import type { ResolvedResource } from "../contract";
import type { Field } from "../definition/define";
import { pascal } from "../definition/naming";
import { authTestSchema, metaSchema, paginationSchema, rotationSchema } from "../service/envelope";
import { jsonSchema, lenientSchema, reference, type Json, type JsonSchema } from "./json";

/** What a body may hold: everything, or only what can change later. */
type Body = "create" | "update";

/** `Server`, `ServerCreate` and so on, as far as the service offers them. */
export const recordSchemas = (all: readonly ResolvedResource[]): Json =>
  Object.fromEntries(all.flatMap(schemasOf));

function schemasOf(resource: ResolvedResource): (readonly [string, Json])[] {
  const { definition, operations } = resource;
  const title = pascal(definition.name);
  const schemas: (readonly [string, Json])[] = [[title, recordSchema(resource)]];
  if (operations.create !== undefined) {
    schemas.push([`${title}Create`, bodySchema(resource, "create")]);
    const secrets = secretsOf(resource);
    if (secrets.length > 0) {
      const properties = Object.fromEntries(secrets.map((name) => [name, { type: "string" }]));
      const shown = { type: "object", properties, required: secrets };
      schemas.push([createdSchema(resource), { allOf: [reference(title), shown] }]);
    }
  }
  if (operations.update !== undefined) {
    schemas.push([`${title}Update`, bodySchema(resource, "update")]);
  }
  return schemas;
}

/** What a create answers: the record, whose secrets are sure to be there this once. */
export const createdSchema = (resource: ResolvedResource): string =>
  `${pascal(resource.definition.name)}${secretsOf(resource).length > 0 ? "Created" : ""}`;

const secretsOf = (resource: ResolvedResource): string[] =>
  namesOf(resource, ({ secret }) => secret === true);

const wire = ({ wireNames }: ResolvedResource, name: string): string => wireNames[name] ?? name;

const namesOf = (resource: ResolvedResource, takes: (field: Field) => boolean): string[] =>
  Object.entries(resource.definition.fields)
    .filter(([, field]) => takes(field))
    .map(([name]) => wire(resource, name));

/** Required is what every record has by the contract: an assumed field may be absent, or null. */
function recordSchema(resource: ResolvedResource): Json {
  const { doc, fields } = resource.definition;
  const given = namesOf(
    resource,
    ({ use, source }) => use === "required" && source === "documented",
  );
  const required = ["id", ...given, wire(resource, "created_at")];
  return {
    type: "object",
    description: doc,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        wire(resource, name),
        described(
          field,
          nullable(lenientSchema(field.schema), !required.includes(wire(resource, name))),
        ),
      ]),
    ),
    required,
    // Fields that the contract does not list are sent next to those that it does.
    additionalProperties: true,
  };
}

function bodySchema(resource: ResolvedResource, body: Body): Json {
  const { fields, exactlyOne } = resource.definition;
  const isCreate = body === "create";
  const takes = ({ use, immutable }: Field) => use !== "output" && !(immutable && !isCreate);
  const taken = Object.entries(fields).filter(([, field]) => takes(field));
  return {
    type: "object",
    properties: Object.fromEntries(
      taken.map(([name, field]) => [
        wire(resource, name),
        described(field, nullable(jsonSchema(field.schema), field.use === "optional")),
      ]),
    ),
    ...((isCreate || resource.updateMethod === "PUT") && {
      required: namesOf(resource, (field) => field.use === "required" && takes(field)),
    }),
    ...(isCreate &&
      exactlyOne && {
        oneOf: exactlyOne.map((name) => ({
          required: [wire(resource, name)],
          properties: { [wire(resource, name)]: { type: "string" } },
        })),
      }),
    additionalProperties: true,
  };
}

/** Null stands for what is absent: a new object lacks the member, a changed one loses it. */
const nullable = (json: JsonSchema, isIt: boolean): object =>
  isIt ? { ...json, type: [json.type, "null"] } : json;

const described = ({ doc, source, example, secret }: Field, json: object): Json => ({
  ...json,
  description: doc,
  "x-said-by": source,
  ...(example !== undefined && { examples: [example] }),
  ...(secret === true && { format: "password" }),
});

/** Members of envelopes, and answers that hold something other than a record. */
export const envelopeSchemas = (): Json => ({
  Meta: jsonSchema(metaSchema),
  Pagination: jsonSchema(paginationSchema),
  AuthTest: jsonSchema(authTestSchema),
  Rotation: jsonSchema(rotationSchema),
  Deleted: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
});

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
