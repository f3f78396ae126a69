/** What the demo must notice in a state file. */
import { describe, expect, test } from "@jest/globals";
import { expectEncrypted, expectMarkedSensitive, expectSealed } from "../../demo/secrets";

const SECRET = "erp_test_key2_0123456789abcdef";
const BASE64 = Buffer.from(`{"value":"${SECRET}"}`).toString("base64");

const ciphertext = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:abc:def",
};

/** Pulumi's checkpoint of the key, with what comes with its outputs. */
const checkpoint = (outputs: object, more: object = {}): string =>
  JSON.stringify({
    checkpoint: {
      latest: { resources: [{ urn: "urn:pulumi:dev::p::t:ApiKey::pipeline", outputs, ...more }] },
    },
  });

/** Terraform's state of the key, and an output. */
const state = (options: { marks?: unknown[]; sensitive?: boolean; more?: object }): string =>
  JSON.stringify({
    outputs: {
      pipeline_key: { value: SECRET, ...(options.sensitive !== false && { sensitive: true }) },
    },
    resources: [
      {
        type: "erphost_api_key",
        instances: [
          {
            attributes: { id: "key_2", value: SECRET },
            sensitive_attributes: options.marks ?? [[{ type: "get_attr", value: "value" }]],
            ...options.more,
          },
        ],
      },
    ],
  });

describe("the demo's look at a state", () => {
  test("a Pulumi state with the secret as ciphertext passes", () => {
    expect(() => expectEncrypted(checkpoint({ value: ciphertext }), SECRET)).not.toThrow();
  });

  test.each([
    [
      "in plain text",
      checkpoint({ value: SECRET }),
      "in plain text: checkpoint.latest.resources[0]",
    ],
    [
      "in plain text as well as its ciphertext",
      checkpoint({ value: ciphertext }, { inputs: { hint: `it is ${SECRET}` } }),
      "in plain text: checkpoint.latest.resources[0].inputs.hint",
    ],
    ["nowhere", checkpoint({}), "does not have the key's secret as ciphertext"],
    [
      "as an empty ciphertext",
      checkpoint({ value: { ...ciphertext, ciphertext: "" } }),
      "does not have the key's secret as ciphertext",
    ],
    ["of no key", JSON.stringify({ checkpoint: {} }), "the state has no pipeline key"],
  ])("a Pulumi state with the secret %s is noticed by the demo", (_, text, message) => {
    expect(() => expectEncrypted(text, SECRET)).toThrow(message);
  });

  test("a Terraform state that marks the secret sensitive wherever it stands passes", () => {
    expect(() => expectMarkedSensitive(state({}), SECRET)).not.toThrow();
  });

  test.each([
    ["is not marked", state({ marks: [] }), "resources[0].instances[0].attributes.value"],
    [
      "is marked under another name",
      state({ marks: [[{ type: "get_attr", value: "name" }]] }),
      "resources[0].instances[0].attributes.value",
    ],
    ["is a plain output", state({ sensitive: false }), "outputs.pipeline_key.value"],
    [
      "is in the provider's own data",
      state({ more: { private: BASE64 } }),
      "resources[0].instances[0].private",
    ],
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
