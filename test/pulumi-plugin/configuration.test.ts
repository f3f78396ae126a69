/** Which settings a provider of Pulumi keeps in its state, and whose key it sends to an address. */
import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { pluginVoice, voiceOf } from "../../provider/pulumi/voice";
import { assertNothingOfRun } from "../harness/command";
import { atEnd, given as givenService } from "../support/given";
import {
  checkConfig,
  checkOf,
  configure,
  diffConfig,
  kindOf,
  openPlugin,
  type Plugin,
  type Properties,
} from "./support";

const GOOD = { baseUrl: "https://erp.example.com/v1", apiKey: "erp_test_0123456789abcdef" };
/** One of each setting of one run or machine. */
const OF_RUN: Properties = {
  timeout: "20s",
  share: 0.5,
  allowMassGone: true,
  allowDelete: ["srv_1"],
  formerBaseUrl: "https://old.example.com/v1",
  resume: true,
  intentsDir: "./notes",
};
const URN = "urn:pulumi:dev::project::pulumi:providers:erphost";

const open = (...given: Parameters<typeof openPlugin>): Plugin => {
  const plugin = openPlugin(...given);
  atEnd(() => plugin.close());
  return plugin;
};

const checked = async (plugin: Plugin, news: Properties, name = "default_0_1_0") => {
  const answer = await checkConfig(plugin.session, { urn: `${URN}::${name}`, news });
  return {
    inputs: (answer.getInputs()?.toJavaScript() ?? {}) as Properties,
    failures: answer.getFailuresList().map((each) => [each.getProperty(), each.getReason()]),
  };
};

test("settings of one run or one machine take effect in the run that gives them, and are in no state", async () => {
  const { inputs, failures } = await checked(open(), { ...GOOD, sameName: "error", ...OF_RUN });
  expect(failures).toEqual([]);
  expect(Object.keys(inputs).sort()).toEqual(["apiKey", "baseUrl", "sameName"]);

  const { emulator, intents } = await givenService();
  const given = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey };
  const plugin = open(given);
  await checked(plugin, { ...given, intentsDir: intents });
  await configure(plugin.session, { args: given });
  await plugin.session.engine.create(kindOf("server"), { name: "web" });
  expect(readdirSync(intents)).toHaveLength(1);
});

test("settings of a run in a state that an earlier version wrote are ignored with one sentence, and change nothing", async () => {
  const plugin = open(GOOD);
  const olds = { ...GOOD, sameName: "error", ...OF_RUN };
  const { inputs: news } = await checked(plugin, { ...GOOD, sameName: "error" });
  const answer = await diffConfig(plugin.session, { olds, news: { ...news, apiKey: GOOD.apiKey } });
  expect(answer.getDiffsList()).toEqual([]);
  // Where they counted, this would be refused: no twin is at this address.
  await configure(plugin.session, { args: { ...GOOD, ...OF_RUN, twinOf: "https://x.example/v1" } });
  const said = plugin.messages.filter(({ text }) => text.includes("formerBaseUrl"));
  expect(said).toHaveLength(1);
  expect(said[0]?.text).toContain("ignored");
});

test.each([
  ["a provider's", { inputs: { allowMassGone: "true" } }],
  ["a program's", { environment: { ERPHOST_RESUME: "true" } }],
  ["a machine's", { outputs: { notes: "/run/notes" } }],
])("a test with an engine fails where %s setting of a run is in the state", (_, found) => {
  const state = (resource: object) => JSON.stringify({ resources: [{ id: "srv_1", ...resource }] });
  const look = (text: string) => assertNothingOfRun(text, { ERPHOST_INTENTS_DIR: "/run/notes" });
  expect(() => look(state(found))).toThrow("the state has what is for one run");
  look(state({}));
});

test("the schema has no setting filled in by an SDK, which would keep the environment's in the state", () => {
  expect(JSON.stringify(renderSchema({ version: "1.2.3" }))).not.toContain("defaultInfo");
});

test.each([
  ["the plugin", pluginVoice, "ERPHOST_ALLOW_DELETE"],
  ["a named account", voiceOf("eu"), "ERPHOST_ACCOUNT_EU_ALLOW_DELETE"],
])("the advice of %s reaches a refresh and a destroy too", (_, voice, variable) => {
  expect(voice.setting("allowDelete")).toBe(variable);
  expect(voice.howToSet("allowDelete")).toBe(`set ${variable}`);
  expect(voice.howToSet("sameName")).toContain("pulumi config set");
});

test("the stack's settings of one run reach its own provider in a refresh too, which only reads the state", async () => {
  const { emulator, intents } = await givenService();
  const args = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey };
  const env = { PULUMI_CONFIG: JSON.stringify({ intentsDir: intents, sameName: "error" }) };
  for (const [name, count] of Object.entries({ theirs: 0, default_0_1_0: 1 })) {
    const plugin = open(args, env);
    await configure(plugin.session, { urn: `${URN}::${name}`, id: "1", args });
    await plugin.session.engine.create(kindOf("server"), { name });
    expect(readdirSync(intents)).toHaveLength(count);
  }
});

test("a program that gives its provider a setting of one run is shown which runs do not have it", async () => {
  const plugin = open();
  await checked(plugin, { ...GOOD, resume: true }, "theirs");
  expect(plugin.messages).toMatchObject([
    { severity: "warning", text: expect.stringMatching(/^No state keeps resume.*ERPHOST_RESUME/) },
  ]);
});

test("a wrong key of a provider that has its own is looked for in the program", async () => {
  const { emulator } = await givenService();
  const args = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey.replace(/.$/, "_") };
  const plugin = open(args);
  await configure(plugin.session, { urn: `${URN}::eu`, id: "1", args });
  await expect(checkOf(plugin, kindOf("server"), { name: "web" })).rejects.toThrow(
    /Check that apiKey of the provider eu belongs to .* To change it, set it in the program\./,
  );
});

const OWN = { baseUrl: GOOD.baseUrl };
const THEIRS = ["eu", "default_eu", "default-eu"];
const PULUMIS = ["default", "default_0_1_0", "default_github_/api.github.com/erphost/erphost"];
test.each<[string, news: Properties, refused: readonly string[], stack: Properties | null]>([
  ["an address of its own and no key", OWN, THEIRS, null],
  ["a key that is null, as SDKs send it", { ...OWN, apiKey: null }, THEIRS, null],
  ["a key that is blank", { ...OWN, apiKey: " " }, THEIRS, null],
  ["an address and a key of its own", GOOD, [], null],
  ["neither", { sameName: "warn" }, [], null],
  ["the environment's address", { baseUrl: "https://env.example.com/v1/" }, [], {}],
  ["the stack's address", OWN, [], OWN],
  ["that of a stack which has a key", OWN, [...THEIRS, ...PULUMIS], { ...OWN, apiKey: "k" }],
  ["another one than the stack's, whatever its name", OWN, [...THEIRS, ...PULUMIS], {}],
])("the environment's key goes to no other address: %s", async (_, news, refused, stack) => {
  const env = {
    ...{ ERPHOST_API_KEY: GOOD.apiKey, ERPHOST_BASE_URL: "https://env.example.com/v1" },
    ...(stack && { PULUMI_CONFIG: JSON.stringify(stack) }),
  };
  const plugin = open(GOOD, env);
  for (const name of [...THEIRS, ...PULUMIS]) {
    const { failures } = await checked(plugin, news, name);
    expect([name, failures.join().includes("key of the environment")]).toEqual([
      name,
      refused.includes(name),
    ]);
    // A state may hold the stack's address of before.
    if (!refused.includes(name) || PULUMIS.includes(name)) continue;
    const configured = configure(plugin.session, { urn: `${URN}::${name}`, id: "1", args: news });
    await expect(configured).rejects.toThrow("key of the environment");
  }
});
