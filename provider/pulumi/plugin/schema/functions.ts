/** Every lookup of the service as functions of the schema. */
import { camel, pascal, shapeOf, type Resource } from "../../../contract";
import { AUTH_TOKEN, listKey, listToken, oneToken, PACKAGE } from "../values/tokens";
import type { FunctionSpec, ObjectSpec, PropertySpec } from "./spec";
import { propertyOf, typeOf, type NamedTypes } from "./types";

export function functionsOf(
  types: NamedTypes,
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

const words = (name: string): string => name.replace(/_/g, " ");

/** All that the service says of one object. */
function recordOf(types: NamedTypes, resource: Resource): ObjectSpec {
  const fields = Object.entries(resource.fields).filter(([, field]) => !field.secret);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(
        fields.map(([name, field]) => [
          camel(name),
          propertyOf(types, pascal(resource.name), name, field, field.doc),
        ]),
      ),
      properties: {
        type: "object",
        additionalProperties: { $ref: "pulumi.json#/Any" },
        description: "Further fields of the service, under their own names.",
      },
    },
    required: ["id", "properties"],
  };
}

function oneOf(types: NamedTypes, resource: Resource): FunctionSpec {
  const by = ["id", ...("name" in resource.fields ? ["name"] : [])];
  return {
    description: `One of the ${words(resource.plural)}, by ${by.join(" or by ")}; none and several are errors. ${resource.doc}`,
    inputs: {
      type: "object",
      properties: Object.fromEntries(
        by.map((name) => [
          name,
          { type: "string", description: `The ${name} to look for; give exactly one.` } as const,
        ]),
      ),
    },
    outputs: recordOf(types, resource),
  };
}

function listOf(types: NamedTypes, resource: Resource): FunctionSpec {
  const record = `${PACKAGE}:index:${pascal(resource.name)}Record`;
  types.set(record, { ...recordOf(types, resource), description: resource.doc });
  const filters: [string, PropertySpec][] = [
    ...Object.entries(resource.fields)
      .filter(([, { filter }]) => filter !== undefined)
      .map(([name, field]): [string, PropertySpec] => [
        camel(name),
        propertyOf(
          types,
          pascal(resource.name),
          name,
          field,
          `Only those with this ${words(name)}.`,
        ),
      ]),
    ...Object.entries(resource.filters ?? {}).map(([name, filter]): [string, PropertySpec] => [
      camel(name),
      {
        ...typeOf(types, pascal(resource.name), name, shapeOf(filter.schema)),
        description: filter.doc,
      },
    ]),
  ];
  return {
    description: `All ${words(resource.plural)} that the filters let through. ${resource.doc}`,
    ...(filters.length > 0 && {
      inputs: { type: "object", properties: Object.fromEntries(filters) } as const,
    }),
    outputs: {
      type: "object",
      properties: {
        [listKey(resource)]: {
          type: "array",
          items: { $ref: `#/types/${record}` },
          description: `The ${words(resource.plural)}, the newest first.`,
        },
      },
      required: [listKey(resource)],
    },
  };
}

const auth: FunctionSpec = {
  description: "What the key in use is and may do; never the key itself.",
  outputs: {
    type: "object",
    properties: {
      authenticated: { type: "boolean", description: "Whether the service knows the key." },
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
          "`limit` and `remaining` requests, and when the window ends (`reset`); absent where the service does not tell.",
      },
    },
    required: ["authenticated", "keyId", "permissions"],
  },
};
