import { describe, expect, test } from "@jest/globals";
import { hiddenJson, maskSecrets, secretNames } from "../../provider/contract";
import { HARMLESS_TEXTS, SECRET_TEXTS } from "../support/secrets";

const named = (names: string) => names.split(" ").map((name) => [name, "x"] as const);

describe("what looks like a secret", () => {
  test.each(SECRET_TEXTS)("%s is masked in a text, and nothing around it", (what, text, secret) => {
    const masked = maskSecrets(`first, ${text}\nlast`, "***");
    expect(masked).toContain("***");
    expect(masked).not.toContain(secret);
    expect(masked).toMatch(/^first, /);
    // Nobody knows where the rest of one that was cut ends.
    expect(masked.endsWith("\nlast")).toBe(!what.endsWith("was cut"));
    expect(maskSecrets(masked, "***")).toBe(masked);
  });

  test.each(SECRET_TEXTS)("a free field that holds %s is secret as a whole", (_, text) => {
    const fields = { note: text, list: ["plain", { inner: { text } }], open: "open" };
    expect(secretNames(fields)).toEqual(["note", "list"]);
  });

  test.each(["acme_live_a.b+c=d~e/f", "acme_test_%&!abc", "a-b_live_abcd", "my_acme_live_0123"])(
    "the unknown key %s is masked wherever it is in a text, and not the quotes around it",
    (key) => {
      for (const text of [key, `key "${key}" (old)`, `{"key":"${key}"}`, `a\n${key}\nb`]) {
        const masked = maskSecrets(text, "***");
        expect(masked).not.toContain(key.slice(key.indexOf("e_") + 2));
        expect(masked).toMatch(text.includes('"') ? /"\w*\*\*\*"/ : "***");
      }
    },
  );

  const RESEMBLES_KEYS = "srv_live, test_server and latest_test_1 are in use";
  test.each([...HARMLESS_TEXTS, RESEMBLES_KEYS])("%j stays as it is", (text) => {
    expect(maskSecrets(text, "***")).toBe(text);
    expect(secretNames({ note: text })).toEqual([]);
  });

  test.each([
    ["smtp_password", "x"],
    ["api_key", "x"],
    ["auth_header", "x"],
    ["authorization", "x"],
    ["accountKey", "x"],
    ["pin", "1234"],
    ...named("pw DB_PW adminPw creds dbCreds dsn SENTRY_DSN jwt authJwt sas blob_sas blobSas"),
    ...named("connection_string connectionString totp_seed totpSeed"),
    ["settings", { db: { password: "x" } }],
    [["ghp", "0123456789abcdef"].join("_"), 1],
    ["env", [{ name: "DB_PASSWORD", value: "hunter2" }]],
    ["env", [{ Name: "DB_PASSWORD", Value: "hunter2" }]],
    ["tags", { first: { key: "token", value: "hunter2" } }],
    ["definitions", JSON.stringify([{ environment: [{ name: "DB_PASSWORD", value: "x" }] }])],
    ["seen", { [["ghp", "0123456789abcdef"].join("_")]: 1 }],
  ])("a field %s = %j is one by its name", (name, value) => {
    expect(secretNames({ [name]: value, open: "open" })).toEqual([name]);
  });

  test.each([
    ["author", "someone"],
    ["spinning", true],
    ["monkey", 1],
    ["keyboard", "us"],
    ["port", 5432],
    ...named("saskia powder dsnow sas_region jwt_issuer PW_ROUNDS sacreds seed connection visas"),
    [
      "env",
      [
        { name: "REGION", value: "eu" },
        { name: "DB_PASSWORD", from: "vault" },
        { Name: "REGION", Value: "eu" },
      ],
    ],
    ["definitions", '[{"name":"REGION","value":"eu"}'],
    ["nothing", null],
    ["load_test_enabled", true],
  ])("a field %s = %j is open", (name, value) => {
    expect(secretNames({ [name]: value })).toEqual([]);
  });

  test("a journal shows a pair of a name and its value without a secret, in JSON as well", () => {
    const pairs = ["REGION", "DB_PASSWORD"].map((name) => ({ name, value: "hunter2" }));
    const [open, hidden] = pairs;
    const given = { pairs, text: JSON.stringify([hidden]), other: JSON.stringify([open]) };
    const shown = { ...given, pairs: [open, { ...hidden, value: "***" }], text: "***" };
    const hiding = { mask: "***", lengthMax: 10_000 };
    expect(JSON.parse(hiddenJson(given, hiding))).toEqual(shown);
  });

  test("what is nested deeper than anybody looks is taken for one", () => {
    let deep: unknown = "open";
    for (let depth = 0; depth < 5_000; depth += 1) deep = { inner: deep };
    expect(secretNames({ deep, open: "open" })).toEqual(["deep"]);
  });

  /** A time that grows with the square of the length would be minutes. */
  const LENGTH = 250_000;
  test.each([
    ...["a", " ", ":", "=", "-", "_", "//", "//:", "eyJ", "eyJ-"],
    ...["eyJaaaaaaaa.", "-sk-", "a-_live_"],
    ...["password", "password=", "token: ", "token:", "password=$", "password=)", "token=***"],
    ...["--", "--a ", "--password ", "password \t", "hooks.slack.com/services/", "ATATT3x"],
    ...['password="', "password='", '"token":"', "secret: the ", "Bearer ", "basic a.", "x.y-z_"],
    ...["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "SG.aaaaaaaaaaaaaaaaaaaa"],
    ...["authorization: ", "cookie=", "aaaaaaaaaaaaaa.atlasv1.", '\\"', "{{", "password={{"],
  ])("a quarter of a megabyte of %j is looked through in a moment", (piece) => {
    const begun = performance.now();
    secretNames({ text: piece.repeat(LENGTH / piece.length) });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
