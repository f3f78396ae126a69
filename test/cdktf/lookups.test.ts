/** Lookups in programs of constructs: what they write, what they find, and what synthesis refuses. */
import { describe, expect, test } from "@jest/globals";
import { TerraformOutput, type TerraformStack } from "cdktf";
import { ApiKey, Backup, Instance, l1, Server, Team } from "../../cdktf-bindings";
import { snake } from "../../provider/contract";
import { newStack, only, synth, synthOf, variable, expressionIn } from "./support/stack";

describe("a lookup by constructs", () => {
  test("of the newest backup of an instance refers to the construct, and has the id", () => {
    const stack = newStack();
    const instance = new Server(stack, "web").addInstance("erp");
    const wanted = { instance, status: "completed", mostRecent: true };
    const newest = Backup.fromLookup(stack, "newest", wanted);
    new TerraformOutput(stack, "id", { value: newest.backupId });
    const { data, output } = synth(stack);
    expect(only(data, "erphost_backup")).toEqual({
      instance_id: expect.stringMatching(/^\$\{erphost_instance\..+\.id\}$/),
      most_recent: true,
      status: "completed",
    });
    expect(output).toEqual({ id: { value: "${data.erphost_backup.newest.id}" } });
  });

  test("of many has their ids", () => {
    const stack = newStack();
    const server = Server.fromServerId(stack, "web", "srv_1");
    const all = Instance.lookupAll(stack, "all", { server, createdAfter: "2026-01-01", limit: 5 });
    new TerraformOutput(stack, "ids", { value: all.ids });
    const { data, output } = synth(stack);
    const filter = { created_after: "2026-01-01", limit: 5, server_id: "srv_1" };
    expect(only(data, "erphost_instances")).toEqual(filter);
    expect(output).toEqual({ ids: { value: "${data.erphost_instances.all.instances[*].id}" } });
  });
});

describe("synthesis refuses a lookup", () => {
  test("by a time that is none, by its construct and in its names", () => {
    const createdAfter = "yesterday";
    expect(() => synthOf((stack) => Backup.lookupAll(stack, "all", { createdAfter }))).toThrow(
      /\[erp\/all\] createdAfter must be an ISO 8601 timestamp or date, such as 2026-01-31/,
    );
  });

  test("of one object that says nothing about it", () => {
    const mostRecent = true;
    expect(() => synthOf((stack) => Backup.fromLookup(stack, "it", { mostRecent }))).toThrow(
      /\[erp\/it\] At least one of id, instance, server, status, createdAfter or createdBefore is required/,
    );
  });

  test("that a generated construct makes", () => {
    const stack = newStack();
    new Server(stack, "web");
    new l1.dataErphostBackups.DataErphostBackups(stack, "all", { limit: 0 });
    expect(() => synth(stack)).toThrow(/\[erp\/all\] limit must be at least 1/);
  });

  test("that names an id where a construct is expected", () => {
    // As a program in JavaScript may do.
    const selection = { server: "srv_1" } as object;
    expect(() => Instance.fromLookup(newStack(), "it", selection)).toThrow(
      /\[erp\/it\] server must be a construct that refers to a server/,
    );
  });

  test("only for what is known: a variable passes", () => {
    const { data } = synthOf((stack) =>
      Backup.lookupAll(stack, "all", { createdAfter: variable(stack).stringValue }),
    );
    expect(only(data, "erphost_backups")).toEqual({ created_after: "${var.given}" });
  });
});

/** One found object of each kind, by name where that is possible, with how it was found. */
const found = {
  "a server by name": (stack: TerraformStack) => Server.fromServerName(stack, "it", "web"),
  "a server": (stack: TerraformStack) => Server.fromLookup(stack, "it", { status: "running" }),
  "an instance by name": (stack: TerraformStack) => Instance.fromInstanceName(stack, "it", "erp"),
  "an instance": (stack: TerraformStack) => Instance.fromLookup(stack, "it", { version: "17.0" }),
  "a backup": (stack: TerraformStack) => Backup.fromLookup(stack, "it", { mostRecent: true }),
  "a team by name": (stack: TerraformStack) => Team.fromTeamName(stack, "it", "operations"),
  "a team": (stack: TerraformStack) => Team.fromLookup(stack, "it", { mostRecent: true }),
  "a key by name": (stack: TerraformStack) => ApiKey.fromApiKeyName(stack, "it", "pipeline"),
  "a key": (stack: TerraformStack) => ApiKey.fromLookup(stack, "it", { mostRecent: true }),
};

const attributes: Readonly<Record<string, readonly string[]>> = {
  server: ["status", "createdAt", "properties"],
  instance: ["version", "edition", "status", "createdAt", "properties"],
  backup: ["status", "createdAt", "properties"],
  team: ["members", "createdAt", "properties"],
  api_key: ["permissions", "createdAt", "properties"],
};

describe("a found object", () => {
  test.each(Object.entries(found))("%s has the attributes that the plan reads", (_, find) => {
    const stack = newStack();
    const object = find(stack);
    const kind = object.data.terraformResourceType.replace("erphost_", "");
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
});
