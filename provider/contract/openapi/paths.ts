/** Operations of a collection, and the two other calls. */
import type { ResolvedResource } from "../contract";
import { listFiltersOf } from "../definition/define";
import { pascal } from "../definition/naming";
import { listParameters } from "../service/envelope";
import { a, noun } from "../../messages";
import { errorResponses } from "./errors";
import { answerHeaders, debugParameter, idempotencyParameter, replayedHeader } from "./headers";
import { content, jsonSchema, parameter, reference, type Json } from "./json";
import { createdSchema, envelope } from "./schemas";

/** What can be done with a collection; `get` is there by a profile only. */
export const actions = ["list", "create", "get", "update", "delete"] as const;
export type Action = (typeof actions)[number];

const callOf = (
  { path, itemPath, updateMethod }: ResolvedResource,
  action: Action,
): { readonly path: string; readonly method: string } => ({
  path: action === "list" || action === "create" ? path : itemPath,
  method: { list: "GET", create: "POST", get: "GET", update: updateMethod, delete: "DELETE" }[
    action
  ],
});

/** Every call may fail with these. */
const COMMON = [401, 403, 429, 500];
/** What else each action may fail with. One that is only assumed may not exist. */
const refusals: Readonly<Record<Action, readonly number[]>> = {
  list: [422],
  create: [409, 413, 422, 507],
  get: [404],
  update: [404, 413, 422, 507],
  delete: [404, 409, 507],
};

const idParameter = (): Json => ({
  name: "id",
  in: "path",
  required: true,
  description: "Id of the object.",
  schema: { type: "string", minLength: 1 },
});

export function collectionPaths(resource: ResolvedResource): (readonly [string, Json])[] {
  return actions.flatMap((action) => {
    const source = resource.operations[action];
    if (source === undefined) return [];
    const { path, method } = callOf(resource, action);
    return [[path, { [method.toLowerCase()]: operation(resource, action, source) }] as const];
  });
}

/** Operations by path; those of one object share the parameter of its id. */
export function joined(parts: readonly (readonly [string, Json])[]): Json {
  const paths = new Map<string, Json>();
  for (const [path, operations] of parts) {
    const shared = path.includes("{id}") ? { parameters: [idParameter()] } : {};
    paths.set(path, { ...shared, ...paths.get(path), ...operations });
  }
  return Object.fromEntries(paths);
}

function operation(resource: ResolvedResource, action: Action, source: string): Json {
  const { name, plural, doc, scopes } = resource.definition;
  const title = pascal(name);
  // An action that a profile has switched on may lack a scope: that of lists is enough.
  const scope = ((action === "get" ? undefined : scopes[action]) ?? scopes.list)?.scope;
  const assumed = source === "assumed" ? [405] : [];
  // A key may not take its own rights.
  const own = name === "api_key" && action === "update" ? [409] : [];
  return {
    operationId: action === "list" ? `list${pascal(plural)}` : `${action}${title}`,
    summary: summaries[action](resource),
    tags: [name],
    description: scope === undefined ? doc : `Needs the scope \`${scope}\`.`,
    "x-said-by": source,
    parameters: [
      ...(action === "list"
        ? query(resource)
        : action === "create"
          ? [idempotencyParameter()]
          : []),
      debugParameter(),
    ],
    ...requestBody(title, action),
    responses: {
      ...answers(resource, action),
      ...errorResponses([...COMMON, ...assumed, ...own, ...refusals[action]]),
    },
  };
}

const summaries: Readonly<Record<Action, (resource: ResolvedResource) => string>> = {
  list: ({ definition }) => `List ${noun(definition.plural)}`,
  create: ({ definition }) => `Create ${a(definition.name)}`,
  get: ({ definition }) => `Read ${a(definition.name)}`,
  update: ({ definition, updateMethod }) =>
    `${updateMethod === "PUT" ? "Replace" : "Change"} ${a(definition.name)}`,
  delete: ({ definition }) => `Delete ${a(definition.name)}`,
};

const requestBody = (title: string, action: Action): Json => {
  const body = { create: "Create", update: "Update" }[action as string];
  return body === undefined
    ? {}
    : { requestBody: { required: true, content: content(reference(`${title}${body}`)) } };
};

const success = (
  description: string,
  data: Json,
  { paged = false, headers = [] as readonly string[], links = {} } = {},
): Json => ({
  description,
  headers: answerHeaders(...headers),
  ...(Object.keys(links).length > 0 && { links }),
  content: content(envelope(data, paged)),
});

function linksTo({ definition, operations }: ResolvedResource): Json {
  const title = pascal(definition.name);
  const offered = (["get", "update", "delete"] as const).filter((action) => operations[action]);
  const names = offered.map((action) => `${action}${title}`);
  if (definition.name === "api_key") names.push(ROTATE);
  const parameters = { id: "$response.body#/data/id" };
  return Object.fromEntries(names.map((operationId) => [operationId, { operationId, parameters }]));
}

const ROTATE = "rotateApiKey";

function answers(resource: ResolvedResource, action: Action): Json {
  const record = reference(pascal(resource.definition.name));
  switch (action) {
    case "list":
      return { "200": success("one page", { type: "array", items: record }, { paged: true }) };
    case "create": {
      const created = reference(createdSchema(resource));
      const links = linksTo(resource);
      return { "201": success("created", created, { headers: [replayedHeader], links }) };
    }
    case "get":
      return { "200": success("the object", record) };
    case "update":
      return { "200": success("changed", record) };
    case "delete":
      return { "200": success("deleted", reference("Deleted")) };
  }
}

function query(resource: ResolvedResource): Json[] {
  const { fields } = resource.definition;
  const wire = (name: string) => resource.wireNames[name] ?? name;
  const sortable = Object.keys(fields).filter((name) => fields[name]?.secret !== true);
  const common = Object.entries(listParameters).map(([name, { doc, schema, default: absent }]) =>
    parameter("query", name, doc, {
      ...jsonSchema(schema),
      ...(name === "sort" && { enum: sortable.map(wire) }),
      default: name === "sort" ? wire(absent as string) : absent,
    }),
  );
  const filters = listFiltersOf(resource.definition).map(
    ({ name, doc, source, schema, field }) => ({
      ...parameter("query", field ? wire(name) : name, doc, { ...jsonSchema(schema) }),
      "x-said-by": source,
    }),
  );
  return [...common, ...filters];
}

/** `GET /auth/test` (contract, part 4). */
export const authTest = (tag: string): Json => ({
  get: {
    operationId: "testAuth",
    summary: "Test the key",
    tags: [tag],
    description: "What the key in use is and what it may do.",
    "x-said-by": "documented",
    parameters: [debugParameter()],
    responses: { "200": success("the key", reference("AuthTest")), ...errorResponses(COMMON) },
  },
});

/** `POST /api-keys/{key_id}/rotate` (contract, part 4). */
export const rotate = (tag: string): Json => ({
  post: {
    operationId: ROTATE,
    summary: "Rotate an API key",
    tags: [tag],
    description: "Creates a new key in place of this one, which continues to work for a while.",
    "x-said-by": "documented",
    parameters: [idempotencyParameter(), debugParameter()],
    // The contract needs none, and asks for a JSON body with every POST: clients may send `{}`.
    requestBody: {
      required: false,
      description: "None is needed. Every POST may carry a JSON object.",
      content: content({ type: "object" }),
    },
    responses: {
      "200": success("the new key", reference("Rotation"), { headers: [replayedHeader] }),
      ...errorResponses([...COMMON, 404, 409, 413, 422, 507]),
    },
  },
});
