/** Lookups in programs of constructs: what they write, what they find, and what synthesis refuses. */
import { describe, expect, test } from "@jest/globals";
import type { TerraformStack } from "cdktf";
import { ApiKey, Backup, Instance, l1, Server, Team } from "../../cdktf-bindings";
import { camel, snake } from "../../provider/contract";
import { newStack, only, synth, synthOf, variable, expressionIn } from "./support/stack";

describe("synthesis refuses a lookup", () => {
  test.each<[string, (stack: TerraformStack) => unknown, RegExp]>([
    [
      "by a time that is none, by its construct and in its names",
      (stack) => Backup.lookupAll(stack, "all", { createdAfter: "yesterday" }),
      /\[erp\/all\] createdAfter must be an ISO 8601 timestamp or date, such as 2026-01-31/,
    ],
    [
      "of one object that says nothing about it",
      (stack) => Backup.fromLookup(stack, "it", { mostRecent: true }),
      /\[erp\/it\] At least one of id, instance, server, status, createdAfter or createdBefore is required/,
    ],
    [
      "that a generated construct makes",
      (stack) => new l1.dataErphostBackups.DataErphostBackups(stack, "all", { limit: 0 }),
      /\[erp\/all\] limit must be at least 1/,
    ],
    [
      "that names an id where a construct is expected",
      // As a program in JavaScript may do.
      (stack) => Instance.fromLookup(stack, "it", { server: "srv_1" } as object),
      /\[erp\/it\] server must be a construct that refers to a server/,
    ],
  ])("%s", (_, build, fault) => expect(() => synthOf(build)).toThrow(fault));

  test("only for what is known: a variable passes", () => {
    const { data } = synthOf((stack) =>
      Backup.lookupAll(stack, "all", { createdAfter: variable(stack).stringValue }),
    );
    expect(only(data, "erphost_backups")).toEqual({ created_after: "${var.given}" });
  });
});

type Find<T> = (stack: TerraformStack, wanted: string) => T;
const byId: Readonly<Record<string, Find<object>>> = {
  serverId: (stack, wanted) => Server.fromServerId(stack, "it", wanted),
  instanceId: (stack, wanted) => Instance.fromInstanceId(stack, "it", wanted),
  backupId: (stack, wanted) => Backup.fromBackupId(stack, "it", wanted),
  teamId: (stack, wanted) => Team.fromTeamId(stack, "it", wanted),
  apiKeyId: (stack, wanted) => ApiKey.fromApiKeyId(stack, "it", wanted),
};
const byName = {
  "a server": (stack, wanted) => Server.fromServerName(stack, "it", wanted),
  "an instance": (stack, wanted) => Instance.fromInstanceName(stack, "it", wanted),
  "a team": (stack, wanted) => Team.fromTeamName(stack, "it", wanted),
  "a key": (stack, wanted) => ApiKey.fromApiKeyName(stack, "it", wanted),
} satisfies Readonly<Record<string, Find<object>>>;
const bySelection = {
  "a server": (stack: TerraformStack) => Server.fromLookup(stack, "it", { status: "running" }),
  "an instance": (stack: TerraformStack) => Instance.fromLookup(stack, "it", { version: "17.0" }),
  "a backup": (stack: TerraformStack) => Backup.fromLookup(stack, "it", { mostRecent: true }),
  "a team": (stack: TerraformStack) => Team.fromLookup(stack, "it", { mostRecent: true }),
  "a key": (stack: TerraformStack) => ApiKey.fromLookup(stack, "it", { mostRecent: true }),
};

test.each(Object.entries(byId))("a reference by %s adds no data source", (id, find) => {
  const stack = newStack();
  expect(find(stack, "id_1")).toMatchObject({ [id]: "id_1" });
  expect(synth(stack)).not.toHaveProperty("data");
});

test.each<[string, Find<object>]>([...Object.entries(byId), ...Object.entries(byName)])(
  "a reference with an empty key is refused: %s",
  (_, find) => {
    const fault =
      /\[erp\/it\] (?:name must not be empty\. Or use from\w+Id\.|\w+Id must not be empty\. (?:Or use from\w+Name|Copy it))/;
    for (const wanted of ["", " ", undefined]) {
      expect(() => synthOf((stack) => find(stack, wanted as never))).toThrow(fault);
    }
  },
);

const attributes: Readonly<Record<string, readonly string[]>> = {
  server: ["status", "createdAt", "properties"],
  instance: ["version", "edition", "status", "createdAt", "properties"],
  backup: ["status", "createdAt", "properties"],
  team: ["members", "createdAt", "properties"],
  api_key: ["permissions", "createdAt", "properties"],
};

test.each([
  ...Object.entries(byName).map(([name, find]) => [`${name} by its name`, find] as const),
  ...Object.entries(bySelection),
])("%s has the attributes that the plan reads", (_, find) => {
  const stack = newStack();
  const object = find(stack, "erp");
  const kind = object.data.terraformResourceType.replace("erphost_", "");
  // The line's id, which rotations do not change, where a service has it.
  const id = kind === "api_key" ? "it.lineage_id, data.erphost_api_key.it.id)" : "it.id}";
  expect(expressionIn(stack, Reflect.get(object, `${camel(kind)}Id`))).toContain(id);
  for (const name of attributes[kind] ?? ["no such kind"]) {
    // Of a set, the expression says that it is a list.
    const read = expressionIn(stack, Reflect.get(object, name));
    expect(read).toContain(`data.erphost_${kind}.it.${snake(name)}`);
  }
});

test("what a program does not use of a found object is not made", () => {
  const stack = newStack();
  const server = Server.fromServerName(stack, "it", "web");
  new Instance(stack, "erp", { server, version: server.status });
  const { resource, data } = synth(stack);
  const version = "${data.erphost_server.it.status}";
  expect(only(resource, "erphost_instance")).toMatchObject({ version });
  expect(Object.keys(only(data, "erphost_server"))).toEqual(["name"]);
});
