/** Between contract names, program names and the wire; reading is lenient, writing strict. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import * as z from "zod";
import { pathText } from "../../provider/messages";
import * as contract from "../../provider/contract";
import type { Resource } from "../../provider/contract";
import fixture from "../fixtures/profile.json";

const { camel, InvalidInput, issueAt, pascal, resources, snake, toCamel, toSnake } = contract;
const { canonicalJson, decodeRecord, encodeBody, isOdd, itemOf, ownedProperties } = contract;

const { server, team, api_key: apiKey } = contract.resolveContract().resources;
const other = contract.resolveContract(fixture).resources.server;

describe("a record", () => {
  test("a record needs an id and nothing else", () => {
    const record = { id: "s", fields: { id: "s" }, properties: {} };
    expect(decodeRecord(server, { id: "s" })).toEqual(record);
  });

  test.each([
    ["no object", 5],
    ["null", null],
    ["a list", []],
    ["without an id", { name: "a" }],
    ["with an empty id", { id: "" }],
    ["with a number for an id", { id: 5 }],
    ["whose id begins a new line", { id: "srv_1\nterraform destroy" }],
    ["whose id clears the terminal", { id: "srv_1\u001b[2J" }],
  ])("a malformed record is odd and not an error: %s", (_, answer) => {
    expect(isOdd(decodeRecord(server, answer))).toBe(true);
  });

  test("a field that is null counts as absent", () => {
    const read = decodeRecord(server, { id: "s", name: null, status: null });
    expect(read).toMatchObject({ fields: { id: "s" } });
  });

  test("the shapes of a record are checked, and formats are not", () => {
    const fields = { created_at: "yesterday", rotation_period: "2w" };
    expect(decodeRecord(apiKey, { id: "k", ...fields })).toMatchObject({ fields });
    expect(decodeRecord(apiKey, { id: "k", permissions: "all" })).toEqual({
      id: "k",
      problem: { code: "record_value", parts: { at: "permissions", type: "list" } },
    });
    expect(isOdd(decodeRecord(team, { id: "t", members: [{ role: "x" }] }))).toBe(true);
  });

  test("unknown fields of a record are kept as they came", () => {
    expect(decodeRecord(server, { id: "s", name: "a", Region: { x: 1 } })).toMatchObject({
      fields: { name: "a" },
      properties: { Region: { x: 1 } },
    });
  });

  test("a record uses the wire names of the profile", () => {
    expect(decodeRecord(other, { id: "s", label: "a", name: "free" })).toMatchObject({
      fields: { name: "a" },
      properties: { name: "free" },
    });
    expect(encodeBody(other, { name: "a" }, { size: 1 })).toEqual({ label: "a", size: 1 });
    const owned = ownedProperties(other, { label: 1, name: 1, size: 1 });
    expect(owned.map(({ path }) => path[1])).toEqual(["label", "name"]);
  });

  test("an encoded body is decoded to the same fields", () => {
    fc.assert(
      fc.property(
        fc.record({ name: fc.string(), status: fc.string() }),
        fc.dictionary(fc.stringMatching(/^x[a-z]{1,8}$/), fc.jsonValue()),
        (fields, properties) => {
          const read = decodeRecord(other, { id: "s", ...encodeBody(other, fields, properties) });
          expect(read).toEqual({ id: "s", fields: { ...fields, id: "s" }, properties });
        },
      ),
    );
  });
});

test("canonical JSON is the same for equal values, whatever the order of their keys", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, each]) => [key, reversed(each)] as const);
    return Object.fromEntries(members.reverse());
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("an InvalidInput has a sentence for each place, and a remedy", () => {
  expect(pathText(["members", 0, "email"])).toBe("members[0].email");
  const error = new InvalidInput("team", [
    issueAt(["a", 1], "required", {}),
    issueAt([], "stated", { text: "fails", remedy: "Mend it." }),
  ]);
  expect(error.message).toBe("team: a[1] is required; fails. Mend it.");
  expect(error.code).toBe("invalid_input");
});

const all: readonly Resource[] = Object.values(resources);

const name = fc.stringMatching(/^[a-z]{1,4}(_[a-z]{1,4}){0,2}$/);
interface Typed {
  readonly schema: z.ZodType;
  readonly value: unknown;
}
const leaf: fc.Arbitrary<Typed> = fc.oneof(
  fc.string().map((value) => ({ schema: z.string(), value })),
  fc.boolean().map((value) => ({ schema: z.boolean(), value })),
  fc.jsonValue().map((value) => ({ schema: z.unknown(), value })),
  fc
    .dictionary(name, fc.integer())
    .map((value) => ({ schema: z.record(z.string(), z.int()), value })),
);
/** A schema with a value that has its shape, nested. */
const { node } = fc.letrec<{ node: Typed }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("node").map(({ schema, value }) => ({ schema: z.array(schema), value: [value, value] })),
    fc
      .tuple(tie("node"), fc.uniqueArray(name, { maxLength: 3 }))
      .map(([{ schema, value }, keys]) => ({
        schema: z.record(z.string(), schema),
        value: Object.fromEntries(keys.map((key) => [key, value])),
      })),
    fc
      .dictionary(name, tie("node"), { minKeys: 1, maxKeys: 4 })
      .map((members) => ({
        schema: z.object(
          Object.fromEntries(Object.entries(members).map(([k, m]) => [k, m.schema])),
        ),
        value: Object.fromEntries(Object.entries(members).map(([k, m]) => [k, m.value])),
      })),
  ),
}));

test("values are renamed to camelCase and back without loss, at any depth", () => {
  fc.assert(
    fc.property(node, ({ schema, value }) => {
      const members = { some_field: { schema } };
      const renamed = toCamel(members, { some_field: value });
      expect(Object.keys(renamed)).toEqual(["someField"]);
      expect(toSnake(members, renamed)).toEqual({ some_field: value });
    }),
  );
});

test("a free map keeps its keys, and the named members of the objects in it are renamed", () => {
  const members = {
    ip_list: { schema: z.record(z.string(), z.string()) },
    by_role: { schema: z.record(z.string(), z.object({ first_name: z.string() })) },
  };
  const values = {
    ip_list: { a_b: "x" },
    by_role: { main_contact: { first_name: "Ada", last_name: "free" } },
    other_one: 1,
  };
  const renamed = toCamel(members, values);
  expect(renamed).toEqual({
    ipList: { a_b: "x" },
    byRole: { main_contact: { firstName: "Ada", last_name: "free" } },
    other_one: 1,
  });
  expect(toSnake(members, renamed)).toEqual(values);
});

test("free maps and unknown keys of an instance keep their names both ways", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (free) => {
      const values = { server_id: "s", properties: free, un_known: free };
      const { fields } = resources.instance;
      const renamed = toCamel(fields, values);
      expect(renamed).toMatchObject({ serverId: "s" });
      expect(renamed["properties"]).toEqual(free);
      expect(toSnake(fields, renamed)).toEqual(values);
    }),
  );
});

test("every field of every resource has a name in programs that leads back to it", () => {
  for (const { fields } of all) {
    const names = Object.keys(fields);
    const values = Object.fromEntries(names.map((each) => [each, each]));
    const renamed = toCamel(fields, values);
    expect(Object.keys(renamed)).toEqual(names.map(camel));
    expect(new Set(Object.keys(renamed)).size).toBe(names.length);
    expect(names.map(camel).map(snake)).toEqual(names);
    expect(toSnake(fields, renamed)).toEqual(values);
  }
});

test("kinds and fields have names in camelCase and PascalCase", () => {
  expect(camel("rotation_period")).toBe("rotationPeriod");
  expect(pascal("cloud_provider")).toBe("CloudProvider");
});

test("unknown fields of a record are in the item's properties, under their own names", () => {
  const [createdAt, properties] = ["2026-01-01T00:00:00Z", { ram_gb: 4 }];
  const fields = { id: "srv_1", created_at: createdAt, name: "n" };
  const item = { id: "srv_1", createdAt, name: "n", properties };
  expect(itemOf(resources.server, { fields, properties })).toEqual(item);
});
