/** One table of settings: every face offers every entry, and reads it the same way. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { snake } from "../../provider/contract";
import { settingsOf } from "../../provider/pulumi/settings";
import {
  engineSettings,
  issuesOfGiven,
  readSettings,
  settings,
  variableOf,
  type Setting,
} from "../../provider/settings";
import { providerArguments } from "../../provider/terraform/config";

const names = Object.keys(settings);
const read = (given: Readonly<Record<string, unknown>>, env = {}) =>
  readSettings(settings, { given, env });

test.each(names)("%s is in the stack configuration, its schema and its provider", (name) => {
  const schema = renderSchema({ version: "1.0.0" });
  expect(schema).toHaveProperty(["config", "variables", name]);
  expect(schema).toHaveProperty(["provider", "inputProperties", name]);
  const get = (key: string) => (key === "accounts" ? undefined : key);
  expect(settingsOf(undefined, { get, env: {} }).given).toHaveProperty(name);
});

test.each(names)("%s is an argument of Terraform's provider block", (name) => {
  expect(providerArguments.map(({ name: argument }) => argument)).toContain(snake(name));
});

test.each(names)("%s is a property of CDKTF's provider", (name) => {
  const file = join(__dirname, "../../cdktf-bindings/generated/provider/index.ts");
  expect(readFileSync(file, "utf8")).toContain(`readonly ${name}?:`);
});

test.each(names)("%s takes its own example, and reads it from its environment variable", (name) => {
  const { example } = settings[name as keyof typeof settings];
  expect(issuesOfGiven(settings, { [name]: example })).toEqual([]);
  const { values } = read({}, { [variableOf(name)]: example });
  expect(values).toMatchObject(read({ [name]: example }).values);
  expect(values).not.toEqual(read({}).values);
});

test("a setting of the program wins over the environment, and blank text counts as not set", () => {
  const env = { ERPHOST_SHARE: "0.5", ERPHOST_CONCURRENCY: "3" };
  const { values } = read({ share: 0.25, concurrency: " " }, env);
  expect(values).toMatchObject({ share: 0.25, concurrency: 3, sameName: "warn" });
});

test("an empty scope is refused where a program or a stack gives it, and none in the environment", () => {
  const get = (key: string) => (key === "scope" ? "" : undefined);
  const { given } = settingsOf(undefined, { get, env: {} });
  for (const scope of [given, { scope: " " }]) {
    const issue = { code: "blank_setting", path: ["scope"] };
    expect(issuesOfGiven(settings, scope)).toMatchObject([issue]);
    expect(readSettings(engineSettings, { given: scope }).issues).toMatchObject([issue]);
  }
  expect(readSettings(engineSettings, { env: { ERPHOST_SCOPE: "" } }).issues).toEqual([]);
});

test.each([
  ["timeout", "1m30s", 90_000],
  ["timeout", "90", 90_000],
  ["timeout", "1h", 3_600_000],
  ["limits", "100/1m, 1000/h", [{ requests: 100, windowMs: 60_000 }, expect.anything()]],
  ["limits", '["100/2s"]', [{ requests: 100, windowMs: 2_000 }]],
  ["limits", ["100/2s"], [{ requests: 100, windowMs: 2_000 }]],
  ["allowMassGone", "true", true],
  ["allowMassGone", false, false],
  ["allowDelete", "srv_1, srv_2", ["srv_1", "srv_2"]],
  ["allowDelete", '["srv_1"]', ["srv_1"]],
  ["allowDelete", ["srv_1"], ["srv_1"]],
  ["concurrency", 20, 20],
])("%s given as %j is read as %j", (name, given, value) => {
  const account = { apiKey: "a_test_bcde", baseUrl: "http://h/v1" };
  const { values, issues } = read({ [name]: given, ...account });
  expect(issues).toEqual([]);
  expect(values).toHaveProperty(name, value);
});

test.each([
  ["timeout", "2h"],
  ["timeout", true],
  ["limits", "many"],
  ["limits", "[1"],
  ["share", "most"],
  ["concurrency", 1.5],
  ["sameName", "maybe"],
  ["allowMassGone", "yes"],
  ["allowMassGone", { toString: false }],
  ["allowDelete", "srv_1,,srv_2"],
  ["allowDelete", [1]],
  ["allowDelete", "[srv_1]"],
  ["allowDelete", "['srv_1']"],
  ["allowDelete", "srv_1 srv_2"],
  ["intentsDir", 7],
])("%s given as %j is refused and keeps its default", (name, given) => {
  const { values, issues } = read({ [name]: given });
  const found = issuesOfGiven(settings, { [name]: given });
  expect(found.map(({ path: [head] }) => head)).toEqual([name]);
  expect(values).toMatchObject({ [name]: settings[name as keyof typeof settings].fallback });
  expect(issues.length).toBeGreaterThan(0);
  const ofEnv = read({}, { [variableOf(name)]: given }).issues.map(({ path: [head] }) => head);
  expect(ofEnv).toContain(variableOf(name));
});

test("reading a setting gives an issue or a value for any input, and never throws", () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.anything(), (name, given) => {
      expect(() => read({ [name]: given })).not.toThrow();
    }),
  );
});

test("every setting of the engine has a default", () => {
  const values = {
    ...{ sameName: "warn", preflight: "warn", allowDelete: [], allowMassGone: false },
    ...{ resume: false, scope: undefined, intentsDir: undefined },
  };
  expect(readSettings(engineSettings, {})).toEqual({ values, issues: [] });
});

test("a rate limit whose window is a text instead of a number of milliseconds is refused", () => {
  const limits = (windowMs: unknown) =>
    issuesOfGiven(settings, { limits: [{ requests: 100, windowMs }] }).map(({ path }) => path);
  expect(limits(60_000)).toEqual([]);
  expect(limits("60000")).toEqual([["limits", 0]]);
});

test("the guide to several accounts lists the settings that an account does not have from its stack", () => {
  const guide = readFileSync(join(__dirname, "../../docs/guides/accounts.md"), "utf8");
  const [, listed = ""] = /true of one account alone: (.*)\.$/m.exec(guide) ?? [];
  const own = Object.entries<Setting>(settings).filter(([, { perAccount }]) => perAccount);
  const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names).toEqual(own.map(([name]) => name));
});
