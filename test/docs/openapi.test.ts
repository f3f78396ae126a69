import { describe, expect, test } from "@jest/globals";
import { errorCodes, eventNames, IDEMPOTENCY_KEY_LENGTH_MAX } from "../../provider/contract";
import { isRecord } from "../../provider/contract";
import { openApiDocument, pascal, resolveContract, resources } from "../../provider/contract";
import { scopeNames, type Profile, type Resource } from "../../provider/contract";
import { openapi } from "../../scripts/generate/contract/page";

type Step = string | number;
const baseUrl = "http://127.0.0.1:4010/v1";
// As a reader of the file has it: without members that are undefined.
const read: unknown = JSON.parse(openapi()["docs/reference/openapi.json"] ?? "");
const all: readonly Resource[] = Object.values(resources);
const methods = { list: "get", create: "post", update: "patch", delete: "delete" } as const;
const actions = ["list", "create", "update", "delete"] as const;

const within = (whole: unknown, path: readonly Step[]): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)] as unknown;
    return isRecord(value) ? value[key] : undefined;
  }, whole);
const at = (...path: readonly Step[]): unknown => within(read, path);
const schema = (...path: readonly Step[]): unknown => at("components", "schemas", ...path);
const keysAt = (...path: readonly Step[]): string[] => Object.keys(at(...path) ?? {});
type Found = { readonly path: readonly Step[]; readonly value: unknown };

/** Every value below, with the keys that lead to it. */
function* walk(value: unknown, path: readonly Step[] = []): Generator<Found> {
  yield { path, value };
  const inner: (readonly [Step, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(isRecord(value) ? value : {});
  for (const [key, each] of inner) yield* walk(each, [...path, key]);
}

const operations = [...walk(at("paths"))].flatMap(({ value }) =>
  isRecord(value) && "operationId" in value && "responses" in value ? [value] : [],
);
const parameter = (operation: unknown, name: string): unknown => {
  const list = within(operation, ["parameters"]);
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  const found = all.find((each) => within(each, ["name"]) === name);
  return within(found, ["schema"]);
};

describe("docs/reference/openapi.json", () => {
  test("the OpenAPI document is of version 3.1, and every reference in it resolves", () => {
    expect(at("openapi")).toBe("3.1.0");
    const references = [...walk(read)].flatMap(({ path, value }) =>
      path.at(-1) === "$ref" && typeof value === "string" ? [value] : [],
    );
    expect(references.length).toBeGreaterThan(50);
    const target = (reference: string) => at(...reference.replace("#/", "").split("/"));
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([]);
  });

  test("the OpenAPI document names every operation once and says in a few words what it does", () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    const some = ["testAuth", "rotateApiKey", "listCloudProviders"];
    expect(names).toEqual(expect.arrayContaining(some));
    expect(operations.filter(({ summary }) => typeof summary !== "string")).toEqual([]);
    expect(at("paths", "/instances", "post", "summary")).toBe("Create an instance");
    expect(at("paths", "/api-keys", "get", "summary")).toBe("List API keys");
  });

  test.each(all)("the OpenAPI document offers for $name just what the service does", (resource) => {
    const offered = actions.filter((name) => {
      const path = name === "list" || name === "create" ? resource.path : `${resource.path}/{id}`;
      return at("paths", path, methods[name]) !== undefined;
    });
    expect(offered).toEqual(actions.filter((name) => resource.operations[name] !== undefined));
  });

  test.each(all)("the OpenAPI document has every field of $name and its source", (resource) => {
    const title = pascal(resource.name);
    for (const [name, field] of Object.entries(resource.fields)) {
      expect(schema(title, "properties", name, "x-said-by")).toBe(field.source);
      if (resource.operations.create === undefined) continue;
      const taken = schema(`${title}Create`, "properties", name) !== undefined;
      expect(taken).toBe(field.use !== "output");
    }
  });

  test("the OpenAPI document requires of a record what the contract shows of every one", () => {
    expect(schema("Server", "required")).toEqual(["id", "name", "created_at"]);
    expect(schema("ApiKey", "required")).toEqual(["id", "name", "permissions", "created_at"]);
    // An assumed field may be absent.
    expect(schema("Instance", "required")).toEqual(["id", "created_at"]);
    expect(schema("ApiKeyCreated", "allOf", 1, "required")).toEqual(["value"]);
  });

  test("a record may have null for what it may lack in the OpenAPI document, but for a new secret", () => {
    const typeOf = (...path: readonly Step[]) => schema("ApiKey", "properties", ...path, "type");
    expect(["id", "expires_at"].map((name) => typeOf(name))).toEqual([
      "string",
      ["string", "null"],
    ]);
    expect(schema("ApiKeyCreated", "allOf", 1, "properties", "value", "type")).toBe("string");
  });

  test("the OpenAPI document gives every time its format", () => {
    const times = [...walk(read)].filter(
      ({ path }) =>
        /^(?:created_at|expires_at|expired_at|timestamp)$/.test(String(path.at(-1))) &&
        path.at(-2) === "properties",
    );
    expect(times.length).toBeGreaterThan(15);
    const formless = times.filter(({ value }) => within(value, ["format"]) !== "date-time");
    expect(formless.map(({ path }) => path.join("."))).toEqual([]);
  });

  test("the OpenAPI document lists what lists can be sorted by, and which permissions there are", () => {
    const fields = ["id", "created_at", "name", "status"];
    const sort = parameter(at("paths", "/servers", "get"), "sort");
    expect(sort).toMatchObject({ enum: fields, default: "created_at" });
    const ofKeys = parameter(at("paths", "/api-keys", "get"), "sort");
    expect(within(ofKeys, ["enum"])).not.toContain("value");
    const permissions = ["properties", "permissions", "items", "enum"];
    expect(schema("ApiKeyCreate", ...permissions)).toEqual(scopeNames);
    // Read leniently: a later release of the service may have more.
    expect(schema("ApiKey", ...permissions)).toBeUndefined();
  });

  test("a change takes null in the OpenAPI document for exactly the fields that may be absent", () => {
    const takesNull = (name: string) =>
      keysAt("components", "schemas", name, "properties").filter((field) =>
        JSON.stringify(schema(name, "properties", field, "type")).includes('"null"'),
      );
    expect(takesNull("InstanceUpdate")).toEqual(["version", "edition"]);
    expect(takesNull("ServerUpdate")).toEqual([]);
    // A new object lacks the member either way.
    expect(takesNull("InstanceCreate")).toEqual(["version", "edition"]);
  });

  test("the OpenAPI document says what a POST may carry to be repeated, and what it is answered", () => {
    for (const path of ["/servers", "/api-keys/{id}/rotate"]) {
      const key = { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX };
      expect(parameter(at("paths", path, "post"), "Idempotency-Key")).toEqual(key);
      const status = path === "/servers" ? "201" : "200";
      const headers = keysAt("paths", path, "post", "responses", status, "headers");
      expect(headers).toContain("Idempotent-Replayed");
    }
  });

  test("rotation takes an optional JSON object in the OpenAPI document", () => {
    expect(at("paths", "/api-keys/{id}/rotate", "post", "requestBody")).toMatchObject({
      required: false,
      content: { "application/json": { schema: { type: "object" } } },
    });
  });
});

test("an object that was created or listed leads to the operations on it", () => {
  const links = (status: string, ...path: readonly Step[]) =>
    at("paths", ...path, "responses", status, "links");
  expect(links("201", "/servers", "post")).toEqual({
    updateServer: { operationId: "updateServer", parameters: { id: "$response.body#/data/id" } },
    deleteServer: { operationId: "deleteServer", parameters: { id: "$response.body#/data/id" } },
  });
  expect(Object.keys(links("201", "/api-keys", "post") ?? {})).toContain("rotateApiKey");
  expect(links("201", "/backups", "post")).toBeUndefined();
  const target = [...walk(read)].flatMap(({ path, value }) =>
    path.includes("links") && path.at(-1) === "operationId" ? [value] : [],
  );
  const known = operations.map(({ operationId }) => operationId);
  expect(target.filter((name) => !known.includes(name))).toEqual([]);
});

test("the document says whom to ask, and which texts are addresses", () => {
  expect(at("info", "contact", "url")).toBe("https://github.com/erphost/erphost");
  expect(schema("ApiKeyCreate", "properties", "notification_email")).toMatchObject({
    pattern: expect.any(String),
  });
  expect(parameter(at("paths", "/servers", "get"), "page")).toMatchObject({ maximum: 999_999_999 });
  expect(at("components", "headers", "WWW-Authenticate", "required")).toBe(true);
});

describe("errors of docs/reference/openapi.json", () => {
  test("the OpenAPI document has a schema for every error", () => {
    const codes = Object.keys(errorCodes);
    const code = ["properties", "error", "properties", "code", "const"];
    expect(codes.map((each) => schema(`${pascal(each)}Answer`, ...code))).toEqual(codes);
  });

  test("a 429 of the OpenAPI document tells the limit and how long to wait", () => {
    const headers = keysAt("components", "responses", "Error429", "headers");
    const telling = ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Reset"];
    expect(headers).toEqual(expect.arrayContaining(telling));
  });

  test("the OpenAPI document has a 405 where an operation is assumed, and a 413 where a body is sent", () => {
    const wrong = operations.filter((operation) => {
      const has = (status: string) => within(operation, ["responses", status]) !== undefined;
      const isAssumed = operation["x-said-by"] === "assumed";
      return has("405") !== isAssumed || has("413") !== "requestBody" in operation;
    });
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("the OpenAPI document has a 507 where something is written, and a 409 where a key gives up its rights", () => {
    const ids = (status?: string) =>
      operations
        .filter((each) => status === undefined || within(each, ["responses", status]) !== undefined)
        .map(({ operationId }) => String(operationId));
    expect(ids("507")).toEqual(ids().filter((id) => /^(?:create|update|delete|rotate)/.test(id)));
    expect(ids("409").filter((id) => id.startsWith("update"))).toEqual(["updateApiKey"]);
    expect(ids("409")).toContain("deleteApiKey");
  });

  test("generators of clients find a name of its own for every object of the OpenAPI document", () => {
    // What they call an object without a name: the name that holds it, and the member's.
    const names = [...walk(at("components", "schemas"))].flatMap(({ path, value }) => {
      const isNamed = path.length === 1;
      const isInner = isRecord(value) && value["type"] === "object" && path.at(-2) === "properties";
      const members = path.filter((key) => key !== "properties").map(String);
      return isNamed || isInner ? [members.map(pascal).join("").toLowerCase()] : [];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    // A union of one is a second name for the same thing.
    const single = [...walk(read)].filter(
      ({ path, value }) => path.at(-1) === "anyOf" && Array.isArray(value) && value.length < 2,
    );
    expect(single).toEqual([]);
  });
});

test("the OpenAPI document has every event with its payload", () => {
  expect(keysAt("webhooks")).toEqual(eventNames);
  const reference = at(
    ...["webhooks", "instance.deployed", "post", "requestBody", "content", "application/json"],
    ...["schema", "$ref"],
  );
  expect(reference).toBe("#/components/schemas/InstanceDeployedEvent");
  const data = ["properties", "data", "required"];
  const members = ["instance_id", "server_id", "status"];
  expect(schema("InstanceDeployedEvent", ...data)).toEqual(members);
  expect(schema("ServerCreatedEvent", ...data)).toBeUndefined();
});

describe("the OpenAPI document of another service", () => {
  const under = (profile: Profile, strict = false) =>
    openApiDocument(resolveContract(profile), { baseUrl, strict });

  test("a profile moves paths and names of the OpenAPI document, and adds what it switches on", () => {
    const document = under({
      rotatePath: "/keys/{id}/renew",
      resources: {
        server: { path: "/machines", operations: { get: true }, fields: { name: "label" } },
        team: { updateMethod: "PUT" },
      },
    });
    const paths = Object.keys(within(document, ["paths"]) ?? {});
    expect(paths).toEqual(expect.arrayContaining(["/machines/{id}", "/keys/{id}/renew"]));
    expect(paths).not.toContain("/servers");
    expect(within(document, ["paths", "/machines/{id}", "get", "x-said-by"])).toBe("profile");
    expect(within(document, ["paths", "/teams/{id}", "put", "operationId"])).toBe("updateTeam");
    expect(within(document, ["paths", "/teams/{id}", "put", "summary"])).toBe("Replace a team");
    expect(within(document, ["components", "schemas", "TeamUpdate", "required"])).toEqual(["name"]);
    const server = ["components", "schemas", "ServerCreate"];
    expect(within(document, [...server, "required"])).toEqual(["label"]);
    const sort = parameter(within(document, ["paths", "/machines", "get"]), "sort");
    expect(within(sort, ["enum"])).toEqual(["id", "created_at", "label", "status"]);
  });

  test("a strict OpenAPI document has documented operations only", () => {
    const paths = within(under({}, true), ["paths"]) ?? {};
    expect(Object.keys(paths)).not.toContain("/api-keys");
    expect(Object.keys(paths)).toContain("/api-keys/{id}/rotate");
    const assumed = [...walk(paths)].filter(
      ({ path, value }) => path.at(-1) === "x-said-by" && path.length === 3 && value === "assumed",
    );
    expect(assumed).toEqual([]);
  });
});
