import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { afterAll, describe, expect, test } from "@jest/globals";
import { kinds } from "../../provider/resources";
import { moveStack } from "../../provider/pulumi/plugin/move";
import * as plain from "../../provider/pulumi/plugin/values/property-values";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { outputsOf } from "../../provider/pulumi/plugin/values/property-values";
import { stateOf } from "../../provider/pulumi/values";
import type { State } from "../../provider/engine";
import {
  checkConfig,
  checkOf,
  decode,
  diffConfig,
  encode,
  invoke,
  kindOf,
  openPlugin,
  type Properties,
} from "./support";

const plugin = openPlugin();
afterAll(() => plugin.close());

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const secret = (value: unknown): Properties => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

describe("the plugin's check", () => {
  const checked = (kind: string, news: Properties, more: Properties = {}) =>
    checkOf(plugin, kindOf(kind), news, more);

  test("names places in the reason alone: of a property Pulumi prints the value, with secrets", async () => {
    const members = [{ email: "ada@example.com" }, { email: "no address" }];
    const { failures } = await checked("team", { name: "t", members, nonsense: 1 });
    expect(failures).toEqual([
      ": nonsense is not an input of a team. Its inputs are name, members, properties and secretProperties.",
      ": members[1].email is not a valid email address.",
    ]);
  });

  test("gives an unnamed resource the same name in the preview and in the run", async () => {
    const [first, again] = [await checked("server", {}), await checked("server", {})];
    expect(first.inputs["name"]).toMatch(/^it-[0-9a-f]{7}$/);
    expect(again).toEqual(first);
  });

  test("refuses assets, which would be sent in Pulumi's own form, and names of the contract", async () => {
    const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
    const properties = { files: [{ ...asset, text: "t" }] };
    const news = { name: "n", properties, deletion_protection: true };
    expect((await checked("server", news)).failures).toEqual([
      expect.stringMatching(/^: properties\.files\[0\] is an asset.* Use its text\.$/),
      ": deletionProtection must not be written as deletion_protection.",
    ]);
  });

  test("keeps the name of an existing object", async () => {
    const olds = { name: "it-1234567" };
    expect((await checked("server", {}, { olds })).inputs).toEqual(olds);
  });

  test("follows the stack's autonaming, and requires a name where that is off", async () => {
    const options = new CheckRequest.AutonamingOptions();
    options.setProposedName("house-it");
    expect((await checked("server", {}, { autonaming: options })).inputs["name"]).toBe("house-it");
    options.setMode(CheckRequest.AutonamingOptions.Mode.DISABLE);
    const off = await checked("server", {}, { autonaming: options });
    expect(off.failures).toEqual([": name is required."]);
  });

  test("marks what the schema calls secret where the program's language did not", async () => {
    const secretProperties = { password: "canary" };
    const { inputs } = await checked("server", { name: "n", secretProperties });
    expect(inputs["secretProperties"]).toEqual(secret(secretProperties));
  });

  test("leaves secrets and unknown values as they are", async () => {
    const secretProperties = { password: secret("canary") };
    const given = { name: "n", serverId: UNKNOWN, secretProperties };
    const { failures, inputs } = await checked("instance", given);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...given, secretProperties: secret({ password: "canary" }) });
  });
});

describe("the plugin's configuration", () => {
  const checked = async (given: Properties) => {
    const response = await checkConfig(plugin.session, { news: given });
    return {
      failures: response.getFailuresList().map((all) => `${all.getProperty()}: ${all.getReason()}`),
      inputs: response.getInputs()?.toJavaScript(),
    };
  };
  const good = { baseUrl: "https://erp.example.com/v1", apiKey: "erp_test_0123456789abcdef" };

  test("is accepted, and its key is a secret from then on", async () => {
    const { failures, inputs } = await checked(good);
    expect(failures).toEqual([]);
    expect(inputs?.["apiKey"]).toEqual(secret(good.apiKey));
  });

  test.each([
    ["a password in the address", { ...good, baseUrl: "https://j:canary@h.example/v1" }, "baseUrl"],
    ["a malformed key", { ...good, apiKey: "canary" }, "apiKey"],
    ["an invalid duration", { ...good, timeout: "soon" }, "timeout"],
    ["an unknown setting", { ...good, apikey: "x" }, "apikey"],
    ["an unknown policy", { ...good, sameName: "perhaps" }, "sameName"],
  ])("is refused for %s, and Pulumi has no property to print", async (_, given, place) => {
    expect((await checked(given)).failures.join()).toMatch(RegExp(`^: ${place} (?!.*canary)`));
  });

  test("is not checked while a part of it is unknown", async () => {
    expect((await checked({ ...good, apiKey: UNKNOWN })).failures).toEqual([]);
  });

  test("replaces nothing when the account changes, because the engine guards its resources", async () => {
    const news = { ...good, baseUrl: "https://other.example.com/v1" };
    const answer = (await diffConfig(plugin.session, { olds: good, news })).toObject();
    expect(answer).toMatchObject({ diffsList: ["baseUrl"], replacesList: [] });
  });
});

test.each([
  ["at each place", { a: { b: "open", c: "x" }, d: ["x"] }, ["a.c", "d.0"], ["a.c", "d"]],
  ["where the service made one value of several", { a: { b: "x", c: 1 } }, ["a.b.c"], ["a.b"]],
  ["where a member has another name", { a: { b: { d: "x" }, c: 1 } }, ["a.b.c"], ["a.b"]],
  ["and nothing else where it is gone", { a: { b: 1 } }, ["a.constructor", "c.d"], []],
])("values on the wire stay secret %s", (_, given, places, marked) => {
  const paths = places.map((path) => path.split("."));
  const { values, secrets } = decode(encode({ ...given }, paths));
  expect(values).toEqual(given);
  expect(secrets.map((path) => path.join("."))).toEqual(marked);
});

test("the hidden part of a state comes back whole, with members that this face does not know", () => {
  const account = { baseUrl: "https://erp.example.com/v1", environment: "test" } as const;
  const echo: Record<string, [string, string]> = { name: ["sent", "got"] };
  const hidden = { account, profile: "none", managed: ["name"], echo, lost: true };
  const values = { name: "k", current_key_id: "key_2" };
  const state: State = { id: "key_1", values, private: hidden };
  const outputs = plain.decode(outputsOf(kindOf("api_key"), state, [])).values;
  expect(stateOf(kindOf("api_key"), "key_1", outputs)).toEqual(state);
});

test("a lookup with an unknown filter is refused before any call", async () => {
  const request = { tok: "erphost:index:getServers", args: { colour: "red" } };
  const response = await invoke(plugin.session, request);
  expect(response.getFailuresList().map((failure) => failure.getProperty())).toEqual(["colour"]);
});

const home = "https://github.com/owner/name";
const schema = renderSchema({ version: "1.2.3", home });

test("the plugin's schema has every kind with exactly its fields", () => {
  for (const { title, fields } of Object.values(kinds)) {
    const { properties = {} } = schema.resources[`erphost:index:${title}`] ?? {};
    expect(Object.keys(properties)).toHaveLength(Object.keys(fields).length);
  }
});

test("the plugin's schema marks secrets, and fields that force replacement", () => {
  const properties = (title: string) => schema.resources[`erphost:index:${title}`]?.inputProperties;
  expect(schema.resources["erphost:index:ApiKey"]?.properties["value"]?.secret).toBe(true);
  expect(properties("Instance")?.["serverId"]?.willReplaceOnChanges).toBe(true);
  expect(properties("Instance")?.["version"]?.willReplaceOnChanges).toBeUndefined();
  expect(properties("Backup")?.["triggers"]?.willReplaceOnChanges).toBe(true);
  const outputs = (title: string) => schema.resources[`erphost:index:${title}`]?.properties;
  expect(outputs("Instance")?.["serverId"]?.replaceOnChanges).toBe(true);
  // SDKs ask for the replacement themselves, of an imported object too, which stays with its first one.
  expect(outputs("Backup")?.["triggers"]?.replaceOnChanges).toBeUndefined();
});

describe("the schema of a release", () => {
  test("names the release on GitHub that Pulumi downloads the plugin from", () => {
    expect(schema).toMatchObject({
      pluginDownloadURL: "github://api.github.com/owner/name",
      ...{ repository: home, homepage: home, publisher: "owner" },
      logoUrl: "https://raw.githubusercontent.com/owner/name/v1.2.3/docs/logo.svg",
    });
  });

  test("from source, names no place, because there is no release", () => {
    expect(renderSchema({ version: "1.2.3" })).not.toHaveProperty("pluginDownloadURL");
  });

  test("what the service always answers is required; what it may leave out is not", () => {
    const { resources, types } = schema;
    const required = (title: string) => resources[`erphost:index:${title}`]?.required;
    expect(required("Server")).toEqual(["createdAt", "name", "status"]);
    expect(required("Instance")).toEqual(["createdAt", "name", "serverId", "status"]);
    expect(required("Backup")).toEqual(["createdAt"]);
    expect(required("Installation")).toContain("status");
    const always = expect.arrayContaining(["id", "createdAt", "name", "status"]);
    expect(types["erphost:index:ServerRecord"]?.required).toEqual(always);
    expect(types["erphost:index:InvoiceRecord"]?.required).not.toContain("status");
  });

  test("has no word of what this project assumes of the service", () => {
    const { resources, functions, types } = schema;
    const said = JSON.stringify({ resources, functions, types });
    expect(/.{0,60}\bassum.{0,60}/i.exec(said)).toBeNull();
  });
});

describe("moving a stack from the dynamic resources to the plugin", () => {
  const server = {
    urn: "urn:pulumi:dev::p::pulumi-nodejs:dynamic/erphost:Server::s",
    ...{ type: "pulumi-nodejs:dynamic/erphost:Server", id: "srv_1", custom: true },
    inputs: { name: "s", __provider: "code", __identity: "p/dev/Server:s" },
    outputs: { name: "s", __provider: "code", __state: '{"managed":["name"]}', adoptId: "srv_1" },
  };
  const PROVIDERS = "urn:pulumi:dev::p::pulumi:providers:erphost";
  const stack = (more = {}) => ({ version: 3, deployment: { resources: [server], ...more } });
  /** @param ids of the providers that are made */
  const move = (exported: object, ...ids: string[]) =>
    moveStack(exported, "0.1.0", () => ids.shift() ?? "none");

  test("renames types, removes what only the dynamic form needs, and adds a provider", () => {
    const { state, count } = move(stack(), "an-id");
    expect(count).toBe(1);
    const moved = {
      urn: "urn:pulumi:dev::p::erphost:index:Server::s",
      ...{ type: "erphost:index:Server", id: "srv_1", inputs: { name: "s" } },
      outputs: { name: "s", __state: '{"managed":["name"]}' },
      provider: `${PROVIDERS}::default_0_1_0::an-id`,
    };
    const provider = { urn: `${PROVIDERS}::default_0_1_0`, id: "an-id" };
    expect(state).toMatchObject(stack({ resources: [provider, moved] }));
    expect(JSON.stringify(state)).not.toMatch(/__provider|__identity|adoptId|dynamic/);
  });

  test("keeps an existing provider, before everything that belongs to it", () => {
    const urn = `${PROVIDERS}::default_0_1_0`;
    const there = { urn, type: "pulumi:providers:erphost", id: "old-id" };
    const { state } = move(stack({ resources: [server, there] }), "an-id");
    const moved = { id: "srv_1", provider: `${urn}::old-id` };
    expect(state).toMatchObject(stack({ resources: [there, moved] }));
  });

  test("gives the resources of a named account a provider of its name", () => {
    const named = { ...server, inputs: { ...server.inputs, __account: "eu" } };
    const given = stack({ resources: [named, server, named] });
    const { state, accounts } = move(given, "first", "second");
    // The next preview shows an update of it, which is said beforehand.
    expect(accounts).toEqual(["eu"]);
    const resources = [
      { urn: `${PROVIDERS}::eu`, id: "first", inputs: { version: "0.1.0" } },
      { urn: `${PROVIDERS}::default_0_1_0`, id: "second" },
      { provider: `${PROVIDERS}::eu::first`, inputs: { name: "s" } },
      { provider: `${PROVIDERS}::default_0_1_0::second` },
      { provider: `${PROVIDERS}::eu::first` },
    ];
    expect(state).toMatchObject(stack({ resources }));
    expect(JSON.stringify(state)).not.toContain("__account");
  });

  test.each([
    ["what is not a stack", { deployment: 1 }, /not an exported stack/],
    ["a stack without dynamic resources", { deployment: { resources: [] } }, /nothing to move/],
    ["an interrupted stack", stack({ pending_operations: [{}] }), /was interrupted/],
  ])("refuses %s", (_, exported, message) => {
    expect(() => move(exported)).toThrow(message);
  });
});
