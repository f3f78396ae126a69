/** Operations of a collection, and the two other calls. */
import {
  debugHeaders,
  listParameters,
  pascal,
  rateHeaders,
  type OperationName,
  type Resource,
} from "../../../provider/contract";
import { filtersOf, METHODS, OPERATIONS, pathOf } from "../contract/resources";
import { jsonSchema } from "../types";
import { errorResponses } from "./errors";
import { content, envelope, reference, type Json } from "./schemas";

/** Every call may fail with these. */
const COMMON = [401, 403, 429, 500];

const headers: Json = {
  ...Object.fromEntries(
    Object.values(rateHeaders).map((name) => [name, { schema: { type: "string" } }]),
  ),
  ...Object.fromEntries(
    Object.keys(debugHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
};

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const debug = header("X-Debug-Auth", "`true` asks for the X-Auth headers.");
const idempotency = header(
  "Idempotency-Key",
  "A string that the client chooses, the same on every retry.",
);
const id: Json = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "string", minLength: 1 },
};

const success = (description: string, data: Json, paged = false): Json => ({
  description,
  headers,
  content: content(envelope(data, paged)),
});

/** Paths of one resource, with the operations that it offers. */
export function collectionPaths(resource: Resource): Json {
  const paths = new Map<string, Record<string, unknown>>();
  for (const name of OPERATIONS) {
    if (resource.operations[name] === undefined) continue;
    const path = pathOf(resource, name);
    paths.set(path, {
      ...paths.get(path),
      ...(path.includes("{id}") && { parameters: [id] }),
      [METHODS[name].toLowerCase()]: operation(resource, name),
    });
  }
  return Object.fromEntries(paths);
}

function operation(resource: Resource, name: OperationName): Json {
  const title = pascal(resource.name);
  const scope = resource.scopes[name]?.scope;
  return {
    operationId: name === "list" ? `list${pascal(resource.plural)}` : `${name}${title}`,
    tags: [resource.name],
    description: scope === undefined ? resource.doc : `Needs the scope \`${scope}\`.`,
    "x-said-by": resource.operations[name],
    parameters: [
      ...(name === "list" ? query(resource) : name === "create" ? [idempotency] : []),
      debug,
    ],
    ...body(title, name),
    responses: { ...successes(resource, name), ...errorResponses([...COMMON, ...refusals[name]]) },
  };
}

const refusals: Readonly<Record<OperationName, readonly number[]>> = {
  list: [422],
  create: [409, 422],
  update: [404, 422],
  delete: [404, 409],
};

const body = (title: string, name: OperationName): Json => {
  const schema = { create: `${title}Create`, update: `${title}Update` }[name as string];
  return schema === undefined
    ? {}
    : { requestBody: { required: true, content: content(reference(schema)) } };
};

function successes(resource: Resource, name: OperationName): Json {
  const record = reference(pascal(resource.name));
  switch (name) {
    case "list":
      return { "200": success("one page", { type: "array", items: record }, true) };
    case "create":
      return { "201": success("created", record) };
    case "update":
      return { "200": success("changed", record) };
    case "delete":
      return { "200": success("deleted", reference("Deleted")) };
  }
}

function query(resource: Resource): Json[] {
  const common = Object.entries(listParameters).map(([name, parameter]) => ({
    name,
    in: "query",
    required: false,
    description: parameter.doc,
    schema: { ...jsonSchema(parameter.schema), default: parameter.default },
  }));
  const filters = filtersOf(resource).map(({ name, doc, source }) => ({
    name,
    in: "query",
    required: false,
    description: doc,
    "x-said-by": source,
    schema: { type: "string" },
  }));
  return [...common, ...filters];
}

export const authTest: Json = {
  get: {
    operationId: "testAuth",
    description: "What the key in use is and what it may do.",
    "x-said-by": "documented",
    parameters: [debug],
    responses: { "200": success("the key", reference("AuthTest")), ...errorResponses(COMMON) },
  },
};

export const rotate: Json = {
  parameters: [id],
  post: {
    operationId: "rotateApiKey",
    tags: ["api_key"],
    description: "Creates a new key in place of this one, which continues to work for a while.",
    "x-said-by": "documented",
    parameters: [idempotency, debug],
    responses: {
      "200": success("the new key", reference("Rotation")),
      ...errorResponses([...COMMON, 404, 409, 422]),
    },
  },
};
