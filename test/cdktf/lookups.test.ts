/** Lookups in programs of constructs: what they write, and what synthesis refuses. */
import { describe, expect, test } from "@jest/globals";
import { TerraformOutput, TerraformVariable } from "cdktf";
import { ApiKey, Backup, Instance, l1, Server, Team } from "../../cdktf-bindings";
import { newStack, only, synth } from "./support/stack";

describe("a lookup by constructs", () => {
  test("of the newest backup of an instance refers to the construct, and has the id", () => {
    const stack = newStack();
    const instance = new Server(stack, "web").addInstance("erp");
    const newest = Backup.fromLookup(stack, "newest", {
      instance,
      status: "completed",
      mostRecent: true,
    });
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
    expect(only(data, "erphost_instances")).toEqual({
      created_after: "2026-01-01",
      limit: 5,
      server_id: "srv_1",
    });
    expect(output).toEqual({ ids: { value: "${data.erphost_instances.all.instances[*].id}" } });
  });

  test("is there for every kind", () => {
    const stack = newStack();
    Server.fromLookup(stack, "server", { name: "web" });
    Team.fromLookup(stack, "team", { name: "ops" });
    const key = ApiKey.fromLookup(stack, "key", { name: "ci" });
    Server.lookupAll(stack, "servers");
    Backup.lookupAll(stack, "backups");
    Team.lookupAll(stack, "teams");
    ApiKey.lookupAll(stack, "keys");
    new TerraformOutput(stack, "id", { value: key.apiKeyId });
    const { data, output } = synth(stack);
    expect(Object.keys(data ?? {})).toHaveLength(7);
    expect(output).toEqual({ id: { value: expect.stringMatching(/coalesce\(.*lineage_id/) } });
  });
});

describe("synthesis refuses a lookup", () => {
  test("by a time that is none, by its construct and in its names", () => {
    const stack = newStack();
    Backup.lookupAll(stack, "all", { createdAfter: "yesterday" });
    expect(() => synth(stack)).toThrow(
      /\[erp\/all\] createdAfter must be an ISO 8601 timestamp or date, such as 2026-01-31/,
    );
  });

  test("of one object that says nothing about it", () => {
    const stack = newStack();
    Backup.fromLookup(stack, "it", { mostRecent: true });
    expect(() => synth(stack)).toThrow(
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
    const stack = newStack();
    const server: unknown = "srv_1";
    // As a program in JavaScript may do.
    const selection = { server } as { server: Server };
    expect(() => Instance.fromLookup(stack, "it", selection)).toThrow(
      /\[erp\/it\] server must be a construct that refers to a server/,
    );
  });

  test("only for what is known: a variable passes", () => {
    const stack = newStack();
    const since = new TerraformVariable(stack, "since", { type: "string" });
    Backup.lookupAll(stack, "all", { createdAfter: since.stringValue });
    expect(only(synth(stack).data, "erphost_backups")).toEqual({ created_after: "${var.since}" });
  });
});
