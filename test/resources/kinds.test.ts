import { describe, expect, test } from "@jest/globals";
import { resources, shapeOf } from "../../provider/contract";
import { kinds, lookups } from "../../provider/resources";
import { kindOf } from "../../provider/resources/define";

const all = Object.values(kinds);
const optionsOf = (name: string): string[] =>
  Object.entries(kinds[name]?.fields ?? {})
    .filter(([, { origin }]) => origin === "option")
    .map(([field]) => field)
    .sort();

test("every resource that can be created is a kind, and every list a lookup", () => {
  expect(Object.keys(kinds).sort()).toEqual([
    "api_key",
    "api_key_rotation",
    "backup",
    "instance",
    "server",
    "team",
  ]);
  expect(lookups.map(({ name }) => name).sort()).toEqual(Object.keys(resources).sort());
});

test("only server_id of an instance, a field of a backup and the key of a rotation force replacement", () => {
  const replacing = all.flatMap((kind) =>
    kind.inputs
      .filter(([name, { immutable }]) => immutable || (kind.reading.replaceOn ?? []).includes(name))
      .map(([name]) => `${kind.name}.${name}`),
  );
  expect(replacing.sort()).toEqual([
    "api_key_rotation.key_id",
    "backup.instance_id",
    "backup.server_id",
    "backup.triggers",
    "instance.server_id",
  ]);
});

test("a kind has exactly the options that mean something for it", () => {
  const free = ["properties", "secret_properties"];
  const waits = ["ready_states", "wait"];
  expect(optionsOf("server")).toEqual([...free, ...waits, "deletion_protection"].sort());
  expect(optionsOf("instance")).toEqual(
    [...free, ...waits, "backup_before_upgrade", "deletion_protection"].sort(),
  );
  expect(optionsOf("backup")).toEqual([...free, ...waits, "triggers"].sort());
  expect(optionsOf("team")).toEqual(free);
  expect(optionsOf("api_key")).toEqual(
    [...free, "allow_self_rotation", "recipient", "rotate_after", "triggers"].sort(),
  );
});

describe.each(all.map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
  test(`every field of ${kind.name} is documented, and has a shape for every face`, () => {
    expect(kind.doc).toMatch(/\.$/);
    for (const [, field] of Object.entries(kind.fields)) {
      expect(field.doc).toMatch(/\.$/);
      shapeOf(field.schema);
    }
  });

  test(`every example of ${kind.name} passes its own schema`, () => {
    for (const [, { example, schema }] of Object.entries(kind.fields)) {
      if (example !== undefined) expect(schema.safeParse(example).success).toBe(true);
    }
  });

  test(`${kind.name} refers only to resources that exist`, () => {
    for (const { references } of Object.values(kind.fields)) {
      if (references !== undefined) expect(Object.keys(resources)).toContain(references);
    }
  });
});

test("a definition with an option that would hide a field of the service is refused", () => {
  const { status, ...fields } = resources.server.fields;
  const hiding = { ...resources.server, fields: { ...fields, ...(status && { wait: status }) } };
  expect(() => kindOf(hiding, { name: "server" })).toThrow("hides a field");
});
