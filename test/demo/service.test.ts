/**
 * What the demo must notice of keys, of previews, of what an engine prints and writes, in the
 * service's journal and in a state file.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Operator, type Installation } from "../../demo/operator";
import { readExpectation } from "../../demo/pulumi";
import { expectEncrypted, expectMarkedSensitive, expectSealed } from "../../demo/secrets";
import { expectBackupFirst, expectListsOnly, walksOf } from "../../demo/service";
import { Service, type ApiKey, type Call } from "../../demo/service";
import { readExitCode } from "../../demo/terraform";
import { startEmulator, type Emulator } from "../../emulator";
import { folder as newFolder } from "../support/folder";

let emulator: Emulator;
let service: Service;
let folder: string;

beforeEach(async () => {
  emulator = await startEmulator();
  service = new Service(emulator);
  folder = newFolder();
});
afterEach(() => emulator.close());

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
    secret: { how: "kept", expectKept: () => undefined, plainFiles },
    key: () => Promise.resolve(key),
    stateText: () => "{}",
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

/** A call that took the second after `at`. */
const call = (at: number, line: string, status = 200): Call => {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const time = (second: number): string => new Date(second * 1000).toISOString();
  return { method, path, query, status, started_at: time(at), ended_at: time(at + 1) };
};

describe("the demo's look at the journal", () => {
  const backup = call(1, "POST /backups", 201);
  const look = call(3, "GET /backups?page=1");
  const upgrade = call(5, "PATCH /instances/ins_1");

  test("an upgrade whose backup was made and looked at before passes", () => {
    expect(() => expectBackupFirst([backup, look, upgrade], "ins_1")).not.toThrow();
  });

  const late = "the backup was made after the upgrade of ins_1";
  const after = [call(7, "POST /backups", 201), call(9, "GET /backups")];
  const during = { ...backup, ended_at: "1970-01-01T00:00:06.000Z" };
  const other = call(5, "PATCH /instances/ins_2");
  const changed = (count: number) => `ins_1 was changed ${count} times instead of once`;

  test.each([
    ["without a backup", [upgrade], "no backup was made for the upgrade of ins_1"],
    ["with a refused backup", [{ ...backup, status: 422 }, look, upgrade], "no backup was made"],
    ["with a backup that came after it", [upgrade, ...after], late],
    ["sent while the backup was being made", [during, upgrade], late],
    ["that did not look whether the backup was finished", [backup, upgrade], "did not wait for"],
    ["that was not sent", [backup, look], changed(0)],
    ["sent twice", [backup, look, upgrade, { ...upgrade }], changed(2)],
    ["of another instance", [backup, look, other], changed(0)],
  ])("an upgrade %s is noticed by the demo", (_, journal, message) => {
    expect(() => expectBackupFirst(journal, "ins_1")).toThrow(message);
  });

  test("a list counts as read once for each first page that was answered", () => {
    const pages = ["?page=1", "?page=2", "?per_page=100", "?page=1&per_page=100"];
    const journal = pages.map((query, at) => call(at, `GET /instances${query}`));
    expect(walksOf([...journal, call(9, "GET /instances?page=1", 503)], "/instances")).toBe(3);
  });

  test.each([
    ["a write", ["GET /servers", "PATCH /servers/srv_1"], "the refresh sent PATCH /servers/srv_1"],
    ["an item that was read alone", ["GET /servers", "GET /servers/srv_1"], "GET /servers/srv_1"],
    ["a list that was not read", ["GET /servers"], "did not read /instances"],
  ])("the demo notices %s in a refresh", (_, lines, message) => {
    const journal = lines.map((line, at) => call(at, line));
    const lists = message.includes("/instances") ? ["/servers", "/instances"] : ["/servers"];
    expect(() => expectListsOnly(journal, lists)).toThrow(message);
  });
});

const SECRET = "erp_test_key2_0123456789abcdef";
const BASE64 = Buffer.from(`{"value":"${SECRET}"}`).toString("base64");

const ciphertext = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:abc:def",
};

/** Pulumi's checkpoint of the key, with what comes with its outputs. */
function checkpoint(outputs: object, more: object = {}): string {
  const key = { urn: "urn:pulumi:dev::p::t:ApiKey::pipeline", outputs, ...more };
  return JSON.stringify({ checkpoint: { latest: { resources: [key] } } });
}

const marking = (value: string) => [[{ type: "get_attr", value }]];

/** Terraform's state of the key, and an output. */
function state({ marks = marking("value"), sensitive = true, more = {} }: StateOptions): string {
  const attributes = { id: "key_2", value: SECRET };
  const instances = [{ attributes, sensitive_attributes: marks, ...more }];
  return JSON.stringify({
    outputs: { pipeline_key: { value: SECRET, ...(sensitive && { sensitive }) } },
    resources: [{ type: "erphost_api_key", instances }],
  });
}

interface StateOptions {
  readonly marks?: readonly unknown[];
  readonly sensitive?: boolean;
  readonly more?: object;
}

const PLAIN = "in plain text: checkpoint.latest.resources[0]";
const NOT_SEALED = "does not have the key's secret as ciphertext";
const INSTANCE = "resources[0].instances[0]";

describe("the demo's look at a state", () => {
  test("a Pulumi state with the secret as ciphertext passes", () => {
    expect(() => expectEncrypted(checkpoint({ value: ciphertext }), SECRET)).not.toThrow();
  });

  test.each([
    ["in plain text", checkpoint({ value: SECRET }), PLAIN],
    [
      "in plain text as well as its ciphertext",
      checkpoint({ value: ciphertext }, { inputs: { hint: `it is ${SECRET}` } }),
      `${PLAIN}.inputs.hint`,
    ],
    ["nowhere", checkpoint({}), NOT_SEALED],
    [
      "as an empty ciphertext",
      checkpoint({ value: { ...ciphertext, ciphertext: "" } }),
      NOT_SEALED,
    ],
    ["of no key", JSON.stringify({ checkpoint: {} }), "the state has no pipeline key"],
  ])("a Pulumi state with the secret %s is noticed by the demo", (_, text, message) => {
    expect(() => expectEncrypted(text, SECRET)).toThrow(message);
  });

  test("a Terraform state that marks the secret sensitive wherever it stands passes", () => {
    expect(() => expectMarkedSensitive(state({}), SECRET)).not.toThrow();
  });

  test.each([
    ["is not marked", state({ marks: [] }), `${INSTANCE}.attributes.value`],
    [
      "is marked under another name",
      state({ marks: marking("name") }),
      `${INSTANCE}.attributes.value`,
    ],
    ["is a plain output", state({ sensitive: false }), "outputs.pipeline_key.value"],
    ["is in the provider's own data", state({ more: { private: BASE64 } }), `${INSTANCE}.private`],
    ["is missing", JSON.stringify({ resources: [] }), "does not have the key's secret at all"],
  ])("a Terraform state in which the secret %s is noticed by the demo", (_, text, message) => {
    expect(() => expectMarkedSensitive(text, SECRET)).toThrow(message);
  });

  const sealed = { encrypted: "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl" };

  test("a state with the secret as an age file alone passes", () => {
    expect(() => expectSealed(JSON.stringify(sealed), SECRET)).not.toThrow();
  });

  test.each([
    ["in plain text next to the age file", { ...sealed, value: SECRET }, "in plain text: value"],
    ["in base64 next to the age file", { ...sealed, own: BASE64 }, "in plain text: own"],
    ["without an age file", { encrypted: null }, "does not have the key's secret as an age file"],
  ])("a sealed state with the secret %s is noticed by the demo", (_, value, message) => {
    expect(() => expectSealed(JSON.stringify(value), SECRET)).toThrow(message);
  });

  test("an empty secret is not looked for, since it would be found nowhere", () => {
    expect(() => expectSealed(JSON.stringify(sealed), "")).toThrow("no secret to look for");
  });
});
