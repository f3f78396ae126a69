/** What the demo must notice of keys, of previews, of what an engine prints and writes, and in the service's journal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { Operator, type Installation } from "../../demo/operator";
import { readExpectation } from "../../demo/pulumi";
import { expectBackupFirst, expectReadsOnly, Service, type ApiKey } from "../../demo/service";
import { readExitCode } from "../../demo/terraform";
import type { Emulator } from "../../emulator";
import { newEmulator } from "../emulator/support";
import { folder as newFolder } from "../support/folder";

let emulator: Emulator;
let service: Service;
let folder: string;

beforeEach(async () => {
  emulator = await newEmulator();
  service = new Service(emulator);
  folder = newFolder();
});

const createKey = (more: object = {}): ApiKey =>
  emulator.createKey({ name: "pipeline", permissions: ["servers:read"], ...more });

test("the demo takes a key for working only if the service lets it in", async () => {
  await service.expectWorks("the key", createKey());
  const elsewhere = createKey({ ip_whitelist: ["203.0.113.0/24"] });
  await expect(service.expectWorks("the key", elsewhere)).rejects.toThrow("403 ip_not_allowed");
  const unknown = { id: "key_9", value: "erp_test_unknown_0123456789abcdef" };
  await expect(service.expectWorks("the key", unknown)).rejects.toThrow("401 invalid_token");
});

test("the demo takes a key for ended only if the service refuses it", async () => {
  const end = new Date(Date.parse(emulator.clock().now) + 60_000).toISOString();
  const key = createKey({ expires_at: end });
  await expect(service.expectEnded("the key", key)).rejects.toThrow("still works");
  expect(service.remainingMs(key.id)).toBeLessThanOrEqual(60_000);
  emulator.advance("2m");
  await service.expectEnded("the key", key);
});

test("the demo does not take a key without an end for one in its grace period", () => {
  const { id } = createKey();
  expect(() => service.remainingMs(id)).toThrow(`nothing says when the old key ${id} ends`);
});

test("the demo counts the calls that it makes itself", async () => {
  await service.expectWorks("the key", createKey());
  expect(service.probes).toBe(emulator.journal().length);
});

const ended = (code: number, output: string) => ({ code, output, stdout: output });

test.each([
  ["nothing", ended(0, "")],
  ["changes", ended(7, "error: no changes were expected for preview but changes were proposed")],
  ["failure", ended(7, "error: the program crashed")],
  ["failure", ended(255, "TypeError: undefined is not a function")],
])("the demo reads %s from what a preview of Pulumi said", (found, result) => {
  expect(readExpectation(result).found).toBe(found);
});

test.each([
  ["nothing", 0],
  ["changes", 2],
  ["failure", 1],
])("the demo reads %s from Terraform's exit code %d", (found, code) => {
  expect(readExitCode(ended(code, "")).found).toBe(found);
});

/** An engine of which the demo needs no more than a key, a state and files. */
const hostWith = (key: ApiKey, plainFiles: readonly string[] = []): Installation => {
  const unused = (): never => {
    throw new Error("not needed here");
  };
  return {
    commands: { preview: "look", up: "make", refresh: "read", destroy: "delete" },
    folder,
    secret: { how: "kept", plainFiles },
    key: () => Promise.resolve(key),
    ...{ set: unused, preview: unused, refresh: unused, previewRefresh: unused, up: unused },
    ...{ destroy: unused, planned: unused, changesIn: unused, remove: unused },
  };
};

test("the demo notices a secret in a file that an engine wrote", async () => {
  const key = createKey();
  const file = join(folder, "trace.log");
  writeFileSync(file, `Authorization: ${key.value}`);
  await expect(new Operator(hostWith(key), emulator.adminKey).key()).rejects.toThrow(file);
  const kept = new Operator(hostWith(key, [file]), emulator.adminKey);
  expect(await kept.key()).toBe(key);
  writeFileSync(join(folder, "other.log"), emulator.adminKey);
  await expect(kept.key()).rejects.toThrow("other.log");
});

test("the demo notices a secret that an engine printed", async () => {
  const key = createKey();
  const operator = new Operator(hostWith(key), emulator.adminKey);
  await operator.key();
  const printed = ended(0, `value = ${key.value}`);
  expect(() => operator.succeeded(printed, "make")).toThrow("the engine printed 1 secrets");
});

test.each([
  ["failure", "changes", "look failed (exit code 1)"],
  ["nothing", "changes", "look found nothing, not changes"],
  ["changes", "nothing", "look found changes, not nothing"],
] as const)("a preview that found %s is not one with %s", async (found, wanted, message) => {
  const operator = new Operator(hostWith(createKey()), emulator.adminKey);
  const looking = Promise.resolve({ code: 1, output: "", found });
  await expect(operator.found(looking, wanted)).rejects.toThrow(message);
});

const journalOf = (...lines: readonly string[]) =>
  lines.map((line) => {
    const [method = "", path = ""] = line.split(" ");
    return { method, path };
  });

test.each([
  ["with no backup", ["PATCH /instances/ins_1"], "no backup was made before the upgrade of ins_1"],
  ["before its backup", ["PATCH /instances/ins_1", "POST /backups"], "no backup was made before"],
  ["of another instance", ["POST /backups", "PATCH /instances/ins_2"], "ins_1 was not changed"],
])("the demo notices an upgrade %s", (_, lines, message) => {
  expect(() => expectBackupFirst(journalOf(...lines), "ins_1")).toThrow(message);
});

test("the demo notices a write where nothing but reads is due", () => {
  expect(() =>
    expectReadsOnly(journalOf("GET /servers", "PATCH /servers/srv_1"), "the refresh"),
  ).toThrow("the refresh sent PATCH /servers/srv_1");
});
