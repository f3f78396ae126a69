/** Every lookup of the service as functions of the schema. */
import { camel, pascal, shapeOf, type Field, type Resource } from "../../../contract";
import { noun } from "../../../messages";
import { selectorsOf, type LookupForm } from "../../../resources";
import { AUTH_TOKEN, listKey, listToken, oneToken } from "../values/tokens";
import type { FunctionSpec, ObjectSpec, PropertySpec } from "./spec";
import type { SchemaTypes } from "./types";

export function functionsOf(
  types: SchemaTypes,
  resources: readonly Resource[],
): Record<string, FunctionSpec> {
  return Object.fromEntries([
    ...resources.flatMap((resource) => [
      [oneToken(resource), oneOf(types, resource)] as const,
      [listToken(resource), listOf(types, resource)] as const,
    ]),
    [AUTH_TOKEN, auth] as const,
  ]);
}

function recordOf(types: SchemaTypes, resource: Resource): ObjectSpec {
  const fields = Object.entries(resource.fields).filter(([, field]) => !field.secret);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(
        fields.map(([name, field]) => [
          camel(name),
          types.property(pascal(resource.name), name, field, field.doc),
        ]),
      ),
      properties: {
        type: "object",
        additionalProperties: { $ref: "pulumi.json#/Any" },
        description: "Further fields of the service, under their own names.",
      },
    },
    required: [
      "id",
      "properties",
      ...fields.filter(([, field]) => isAlwaysAnswered(field)).map(([name]) => camel(name)),
    ],
  };
}

/** A field that creation needs is answered too, if the contract itself has it. */
const isAlwaysAnswered = ({ always, use, source }: Field): boolean =>
  always === true || (use === "required" && source === "documented");

function oneOf(types: SchemaTypes, resource: Resource): FunctionSpec {
  return {
    description: `The one of the ${noun(resource.plural)} that matches every argument. If several match, it fails and lists their ids, unless \`mostRecent\` is true. ${resource.doc}`,
    inputs: inputsOf(types, resource, "one"),
    outputs: recordOf(types, resource),
  };
}

function listOf(types: SchemaTypes, resource: Resource): FunctionSpec {
  const record = types.add(`${pascal(resource.name)}Record`, {
    ...recordOf(types, resource),
    description: resource.doc,
  });
  return {
    description: `All ${noun(resource.plural)}, or those that match every argument. ${resource.doc}`,
    inputs: inputsOf(types, resource, "many"),
    outputs: {
      type: "object",
      properties: {
        [listKey(resource)]: {
          type: "array",
          items: { $ref: record },
          description: `The ${noun(resource.plural)}, newest first.`,
        },
      },
      required: [listKey(resource)],
    },
  };
}

const inputsOf = (types: SchemaTypes, resource: Resource, form: LookupForm): ObjectSpec => ({
  type: "object",
  properties: Object.fromEntries(
    selectorsOf(resource, form).map(({ name, schema, doc }): [string, PropertySpec] => [
      camel(name),
      { ...types.typeOf(pascal(resource.name), name, shapeOf(schema)), description: doc },
    ]),
  ),
});

const auth: FunctionSpec = {
  description: "The id, the scopes and the rate limit of the key in use; never the key itself.",
  outputs: {
    type: "object",
    properties: {
      authenticated: { type: "boolean", description: "Whether the service accepts the key." },
      keyId: { type: "string", description: "Id of the key." },
      permissions: { type: "array", items: { type: "string" }, description: "Scopes of the key." },
      rateLimit: {
        type: "object",
        additionalProperties: { $ref: "pulumi.json#/Any" },
        description:
          "`limit` and `remaining` requests, and when the window ends (`reset`). Absent where the service does not report it.",
      },
    },
    required: ["authenticated", "keyId", "permissions"],
  },
};
