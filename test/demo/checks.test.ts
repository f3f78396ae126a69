/** What the demo must notice in the service's journal and in a state file. */
import { describe, expect, test } from "@jest/globals";
import { expectBackupFirst, expectListsOnly, walksOf, type Call } from "../../demo/service";
import { expectEncrypted, expectMarkedSensitive, expectSealed } from "../../demo/secrets";

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
