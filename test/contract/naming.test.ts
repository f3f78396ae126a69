/** Contract names (snake_case) and names in programs (camelCase): values are renamed by shape. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import * as z from "zod";
import { camel, itemOf, pascal, resources, snake, toCamel, toSnake } from "../../provider/contract";
import type { Resource } from "../../provider/contract";

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
    fc.dictionary(name, tie("node"), { minKeys: 1, maxKeys: 4 }).map((members) => ({
      schema: z.object(Object.fromEntries(Object.entries(members).map(([k, m]) => [k, m.schema]))),
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
  const person = z.object({ first_name: z.string() });
  const members = {
    ip_list: { schema: z.record(z.string(), z.string()) },
    by_role: { schema: z.record(z.string(), person) },
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
