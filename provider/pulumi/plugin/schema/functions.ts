/** Every lookup of the service as functions of the schema. */
import { camel, pascal, shapeOf, type Field, type Resource } from "../../../contract";
import { noun } from "../../../messages";
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

/** Everything that the service answers about one object. */
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
  const by = ["id", ...("name" in resource.fields ? ["name"] : [])];
  return {
    description: `One of the ${noun(resource.plural)}, by ${by.join(" or by ")}. It is an error if none or several match. ${resource.doc}`,
    inputs: {
      type: "object",
      properties: Object.fromEntries(
        by.map((name) => [
          name,
          {
            type: "string",
            description: `The ${name} to look for. Set exactly one input.`,
          } as const,
        ]),
      ),
    },
    outputs: recordOf(types, resource),
  };
}

function listOf(types: SchemaTypes, resource: Resource): FunctionSpec {
  const record = types.add(`${pascal(resource.name)}Record`, {
    ...recordOf(types, resource),
    description: resource.doc,
  });
  const filters: [string, PropertySpec][] = [
    ...Object.entries(resource.fields)
      .filter(([, { filter }]) => filter !== undefined)
      .map(([name, field]): [string, PropertySpec] => [
        camel(name),
        types.property(pascal(resource.name), name, field, `Only those with this ${noun(name)}.`),
      ]),
    ...Object.entries(resource.filters ?? {}).map(([name, filter]): [string, PropertySpec] => [
      camel(name),
      {
        ...types.typeOf(pascal(resource.name), name, shapeOf(filter.schema)),
        description: filter.doc,
      },
    ]),
  ];
  return {
    description: `All ${noun(resource.plural)} that match the filters. ${resource.doc}`,
    ...(filters.length > 0 && {
      inputs: { type: "object", properties: Object.fromEntries(filters) } as const,
    }),
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

const auth: FunctionSpec = {
  description: "The id, the scopes and the rate limit of the key in use; never the key itself.",
  outputs: {
    type: "object",
    properties: {
      authenticated: { type: "boolean", description: "Whether the service accepts the key." },
      keyId: { type: "string", description: "Id of the key." },
      permissions: {
        type: "array",
        items: { type: "string" },
        description: "Scopes of the key.",
      },
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
