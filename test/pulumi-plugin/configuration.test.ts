/** Which settings a provider of Pulumi keeps in its state, and whose key it sends to an address. */
import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { pluginVoice, voiceOf } from "../../provider/pulumi/voice";
import { assertNothingOfRun } from "../harness/command";
import { atEnd, given as givenService } from "../support/given";
import {
  checkConfig,
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

test.each([
  [
    "an address of its own and no key",
    { baseUrl: GOOD.baseUrl },
    [expect.stringContaining("key of the environment")],
  ],
  ["an address and a key of its own", GOOD, []],
  ["neither", { sameName: "warn" }, []],
  ["the environment's address", { baseUrl: "https://env.example.com/v1/" }, []],
])("the environment's key goes to no other address: %s", async (_, news, refused) => {
  const env = { ERPHOST_API_KEY: GOOD.apiKey, ERPHOST_BASE_URL: "https://env.example.com/v1" };
  const plugin = open(GOOD, env);
  const { failures } = await checked(plugin, news, "theirs");
  expect(failures.map(([, reason]) => reason)).toEqual(refused);
  // The stack's own address and the key of its job belong together.
  expect((await checked(plugin, news)).failures).toEqual([]);
  if (refused.length === 0) return;
  const configured = configure(plugin.session, { urn: `${URN}::theirs`, id: "1", args: news });
  await expect(configured).rejects.toThrow("key of the environment");
});
