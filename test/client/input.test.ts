import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  camel,
  InvalidInput,
  camelValue,
  resolveContract,
  snakeValue,
  toCamel,
  type ObjectField,
  type Shape,
} from "../../provider/contract";
import { bodyFrom, listRequest } from "../../provider/client/people/input";

const { resources } = resolveContract();

const name = fc.stringMatching(/^[a-z]{1,4}(_[a-z]{1,4}){0,2}$/);
const leaf: fc.Arbitrary<{ shape: Shape; value: unknown }> = fc.oneof(
  fc.string().map((value) => ({ shape: { kind: "string" as const }, value })),
  fc.boolean().map((value) => ({ shape: { kind: "boolean" as const }, value })),
  fc.jsonValue().map((value) => ({ shape: { kind: "any" as const }, value })),
  fc
    .dictionary(name, fc.integer())
    .map((value) => ({ shape: { kind: "map" as const, of: { kind: "integer" as const } }, value })),
);
/** A shape with a value that has it, nested. */
const { node } = fc.letrec<{ node: { shape: Shape; value: unknown } }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("node").map(({ shape, value }) => ({
      shape: { kind: "list" as const, of: shape },
      value: [value, value],
    })),
    fc.dictionary(name, tie("node"), { maxKeys: 4 }).map((members) => {
      const entries = Object.entries(members);
      const fields: Record<string, ObjectField> = {};
      for (const [key, { shape }] of entries) fields[key] = { shape, required: true, doc: "" };
      return {
        shape: { kind: "object" as const, fields },
        value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      };
    }),
  ),
}));

describe("names", () => {
  test("names change to camelCase and back without loss at every depth", () => {
    fc.assert(
      fc.property(node, ({ shape, value }) => {
        expect(snakeValue(shape, camelValue(shape, value))).toEqual(value);
      }),
    );
  });

  test("the keys of a map stay, and the members of a known object are renamed", () => {
    const shape: Shape = {
      kind: "object",
      fields: {
        ip_list: {
          shape: { kind: "map", of: { kind: "string" } },
          required: true,
          doc: "",
        },
      },
    };
    const value = { ip_list: { a_b: "x" }, other_one: 1 };
    expect(camelValue(shape, value)).toEqual({ ipList: { a_b: "x" }, other_one: 1 });
  });

  test("objects in a map are renamed, and its keys are not", () => {
    const person: Shape = {
      kind: "object",
      fields: { first_name: { shape: { kind: "string" }, required: true, doc: "" } },
    };
    const shape: Shape = { kind: "map", of: { kind: "list", of: person } };
    expect(camelValue(shape, { on_call: [{ first_name: "Ada" }] })).toEqual({
      on_call: [{ firstName: "Ada" }],
    });
  });

  test("the fields of a record are renamed, and unknown members keep their names", () => {
    const { fields } = resources.server.definition;
    const record = { id: "srv_1", created_at: "2026-01-01T00:00:00Z", ram_gb: 4 };
    expect(toCamel(fields, record)).toEqual({
      id: "srv_1",
      createdAt: "2026-01-01T00:00:00Z",
      ram_gb: 4,
    });
  });

  test("every field of every resource has a name that leads back to it", () => {
    for (const { definition } of Object.values(resources)) {
      const names = Object.keys(definition.fields);
      expect(new Set(names.map(camel)).size).toBe(names.length);
    }
  });
});

describe("input", () => {
  const fault = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof InvalidInput) return error.message;
      throw error;
    }
    throw new Error("it was accepted");
  };

  test("an input becomes a body under wire names, with properties at its top level", () => {
    const input = {
      name: "erp",
      serverId: "srv_1",
      version: undefined,
      properties: { zone_id: 3 },
    };
    expect(bodyFrom(resources.instance, input, "create")).toEqual({
      name: "erp",
      server_id: "srv_1",
      zone_id: 3,
    });
    const team = { name: "ops", members: [{ email: "ada@example.com", role: "admin" }] };
    expect(bodyFrom(resources.team, team, "create")).toEqual(team);
  });

  test("an input uses the wire names of the profile", () => {
    const profile = { resources: { server: { fields: { name: "label" } } } };
    const { server } = resolveContract(profile).resources;
    expect(bodyFrom(server, { name: "n" }, "create")).toEqual({ label: "n" });
    expect(fault(() => bodyFrom(server, { name: "n", properties: { label: 1 } }, "create"))).toBe(
      "create server: properties.label belongs to the field name; set that instead.",
    );
  });

  test.each([
    [{}, "name is required"],
    [{ name: "" }, "name "],
    [{ name: null }, "name "],
    [{ name: "n", status: "running" }, "status is decided by the service and cannot be set"],
    [
      { name: "n", nmae: 1 },
      "nmae is not a known field. Known fields are name; put others into properties.",
    ],
    [{ name: "n", properties: { name: "m" } }, "properties.name belongs to the field name"],
    [{ name: "n", properties: [] }, "properties must be an object"],
    ["n", "create server: must be an object."],
  ])("a server from %j is refused: %s", (input, sentence) => {
    expect(fault(() => bodyFrom(resources.server, input, "create"))).toContain(sentence);
  });

  test("a fault inside a value is named by its path", () => {
    const members = [{ email: "ada@example.com" }, { email: "bob", rolle: "x" }];
    const sentence = fault(() => bodyFrom(resources.team, { name: "t", members }, "create"));
    expect(sentence).toContain("members[1].rolle is not a known member; there are email and role");
    expect(sentence).toContain("members[1].email");
    const snake = fault(() =>
      bodyFrom(resources.instance, { name: "n", server_id: "s" }, "create"),
    );
    expect(snake).toContain("server_id is not a known field; use serverId");
  });

  test("an immutable field is refused in an update", () => {
    expect(fault(() => bodyFrom(resources.instance, { serverId: "srv_2" }, "update"))).toContain(
      "serverId cannot be changed after creation",
    );
    expect(bodyFrom(resources.instance, { version: "18.0" }, "update")).toEqual({
      version: "18.0",
    });
  });

  test.each([
    [{ perPage: 101 }, "perPage "],
    [{ page: 0 }, "page "],
    [{ order: "up" }, "order "],
    [
      { colour: "red" },
      "colour is not a parameter of this list; there are page, perPage, sort, order and status",
    ],
  ])("a list with %j is refused: %s", (input, sentence) => {
    expect(fault(() => listRequest(resources.server, input))).toContain(sentence);
  });

  test("filters use wire names, and sort takes fields by their TypeScript names", () => {
    const input = { createdAfter: "2026-01-01", sort: "createdAt", order: "asc", page: 2 } as const;
    expect(listRequest(resources.backup, input)).toEqual({
      page: 2,
      perPage: undefined,
      query: { created_after: "2026-01-01", sort: "created_at", order: "asc" },
    });
    expect(fault(() => listRequest(resources.backup, { createdAfter: "soon" }))).toContain(
      "createdAfter must be an ISO 8601 timestamp or date",
    );
  });
});
