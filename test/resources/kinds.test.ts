/** What programs declare: derived from the contract, and what is said beyond it. */
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

test("only these replace: server_id of an instance, any field of a backup, the key of a rotation", () => {
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

test("options come where they mean something", () => {
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
  test("documents every field, and every face can say its shape", () => {
    expect(kind.doc).toMatch(/\.$/);
    for (const [, field] of Object.entries(kind.fields)) {
      expect(field.doc).toMatch(/\.$/);
      shapeOf(field.schema);
    }
  });

  test("gives examples that its own schemas take", () => {
    for (const [, { example, schema }] of Object.entries(kind.fields)) {
      if (example !== undefined) expect(schema.safeParse(example).success).toBe(true);
    }
  });

  test("refers to resources that exist", () => {
    for (const { references } of Object.values(kind.fields)) {
      if (references !== undefined) expect(Object.keys(resources)).toContain(references);
    }
  });
});

test("an option that would hide a field of the service is refused while building", () => {
  const hiding = {
    ...resources.server,
    fields: { ...resources.server.fields, wait: resources.server.fields.status },
  };
  expect(() => kindOf(hiding, { name: "server" })).toThrow("hides a field");
});
