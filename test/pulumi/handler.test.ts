/** What the dynamic provider process answers, without an engine around it. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ErpHostError } from "../../provider/client";
import { message } from "../../provider/messages";
import { PULUMI_UNKNOWN, SIGNATURE } from "../../provider/pulumi/values";
import { dynamicVoice, failureText, pluginVoice } from "../../provider/pulumi/voice";
import { given } from "../support/given";
import { newProcess } from "./process";

const KEY = "erp_test_k1_0123456789abcdef";
const nowhere: Record<string, string> = {
  apiKey: KEY,
  baseUrl: "http://127.0.0.1:9/v1", // Nothing listens there: a call would fail the test.
};

let settings = nowhere;
let opened: ReturnType<typeof newProcess> | undefined;
beforeEach(() => {
  settings = nowhere;
  opened = undefined;
});

/** The handler of a class in the test's one process. */
const open = async (title: string) => (await (opened ??= newProcess(settings)))(title);

/** A state as an up leaves it. */
const outputs = (inputs: Record<string, unknown>) => {
  const account = { baseUrl: settings["baseUrl"], environment: "test" };
  const state = { account, profile: "none", managed: Object.keys(inputs), echo: {} };
  return { ...inputs, __state: JSON.stringify(state) };
};

async function failures(title: string, news: Record<string, unknown>): Promise<string[]> {
  const { failures: all } = await (await open(title)).check({}, news);
  return all.map(({ property, reason }) => `${property}: ${reason}`);
}

test.each<[string, string, Record<string, unknown>, RegExp]>([
  [
    "a bad CIDR",
    "ApiKey",
    { name: "a", permissions: ["admin"], ipWhitelist: ["10.0.0.0/99"] },
    /^: ipWhitelist\[0\] must be .* such as 203\.0\.113\.0\/24\.$/,
  ],
  [
    "an asset",
    "Server",
    { name: "a", properties: { files: [{ [SIGNATURE]: "asset", text: "t" }] } },
    /^: properties\.files\[0\] is an asset, an archive or a resource, .* Use its text\.$/,
  ],
  [
    "a name that is the contract's",
    "Server",
    { name: "a", deletion_protection: true },
    /^: deletionProtection must not be written as deletion_protection\.$/,
  ],
  ["a backup of nothing", "Backup", {}, /^: Exactly one of instanceId and serverId is required\.$/],
])("the dynamic check names the place in the reason for %s", async (_, title, news, sentence) => {
  expect(await failures(title, news)).toEqual([expect.stringMatching(sentence)]);
});

describe("the dynamic provider's check", () => {
  beforeEach(async () => {
    const { emulator } = await given();
    settings = { apiKey: emulator.adminKey, baseUrl: emulator.baseUrl };
  });

  test("takes no key of a project that is called erphost for a setting", async () => {
    settings = { ...settings, region: "eu", stage: "test", accountId: "1" };
    expect(await failures("Server", { name: "a" })).toEqual([]);
  });

  test("refuses a second rotation of one key", async () => {
    expect(await failures("ApiKeyRotation", { keyId: "key_1", __identity: "a" })).toEqual([]);
    const [second] = await failures("ApiKeyRotation", { keyId: "key_1", __identity: "b" });
    expect(second).toMatch(/^: .*already has a rotator \(a\).*Keep one of them/);
  });

  test("takes null for what is left out, in members of a list as well", async () => {
    const members = [{ email: "ada@example.com", role: null }];
    expect(await failures("Team", { name: "t", members, properties: null })).toEqual([]);
  });

  test("lets values pass that are not known yet", async () => {
    const unknown = { name: PULUMI_UNKNOWN, serverId: PULUMI_UNKNOWN };
    expect(await failures("Instance", unknown)).toEqual([]);
  });

  test("never repeats a secret", async () => {
    const [only] = await failures("Server", { name: "a", secretProperties: "hunter2-canary" });
    expect(only).toMatch(/^: secretProperties has the wrong shape/);
    expect(only).not.toContain("hunter2");
  });
});

test("a key that the service refuses fails the dynamic provider's check with what to do, and its reads shortly, after one call", async () => {
  const { emulator } = await given();
  settings = { apiKey: KEY, baseUrl: emulator.baseUrl };
  const [only, ...more] = await failures("Server", { name: "a" });
  expect(more).toEqual([]);
  expect(only).toContain("GET /auth/test → 401 invalid_token: ");
  expect(only).toContain(`belongs to ${emulator.baseUrl}`);
  expect(only).toContain("run `pulumi config set --secret erphost:apiKey` or set ERPHOST_API_KEY");
  const read = (await open("Server")).read("srv_1", outputs({ name: "a" }));
  await expect(read).rejects.toThrow(/same failure as before(?!.*run `pulumi)/s);
  expect(emulator.journal().map(({ path }) => path)).toEqual(["/auth/test"]);
});

const LIVE_KEY = "erp_live_canary12345678";

test.each<[string, Record<string, string>, RegExp]>([
  ["a malformed key", { apiKey: "canary-of-no-form" }, /apiKey/],
  ["a key of another environment", { apiKey: LIVE_KEY, environment: "test" }, /live.*test/],
  ["a URL without /v1", { baseUrl: "http://127.0.0.1:9" }, /\/v1/],
  ["a misspelled guard", { enviroment: "live" }, /^: enviroment is not a setting\. Use apiKey, /],
  ["one in another style", { same_name: "error" }, /^: same_name is not a setting\. Use /],
  ["one with letters exchanged", { evnironment: "live" }, /^: evnironment is not a setting\. /],
  ["a misspelled secret", { "acounts.eu.apiKey": LIVE_KEY }, /^: acounts\.eu\.apiKey is not a s/],
  ["an unknown member of the profile", { profile: '{"resorces":{}}' }, /resorces/],
])("the dynamic check refuses %s before any call, and repeats no key", async (_, more, says) => {
  settings = { ...nowhere, ...more };
  const [only, ...others] = await failures("Server", { name: "a" });
  expect(others).toEqual([]);
  expect(only).toMatch(says);
  expect(only).not.toContain("canary");
});

test("a failure of the dynamic provider has no stack trace, which Pulumi would print", async () => {
  settings = { ...nowhere, apiKey: "nonsense" };
  const own = await open("Server");
  const error = await own.diff("srv_1", {}, { name: "a" }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ stack: "", name: "" });
  expect(String(error)).toMatch(/apiKey is not a valid API key/);
  expect(String(error)).not.toContain("nonsense");
  const { failures } = await own.check({}, { name: "a" });
  expect(failures).toEqual([{ property: "", reason: String(error) }]);
});

test("the dynamic provider refuses a state that something else wrote", async () => {
  const compared = (await open("Server")).diff("srv_1", { name: "a" }, { name: "b" });
  await expect(compared).rejects.toThrow("The state of server srv_1 was not written by erphost");
});

test("the dynamic provider names a class that this release does not have", async () => {
  await expect(open("Spaceship")).rejects.toThrow("erphost has no Spaceship");
});

describe("the dynamic provider's diff", () => {
  const args = { name: "erp", serverId: "srv_1" };
  const diff = async (olds: Record<string, unknown>, news: Record<string, unknown>) =>
    (await open("Instance")).diff("ins_1", olds, news);

  test("replaces an instance that moves to another server", async () => {
    const replacing = { changes: true, replaces: ["serverId"], deleteBeforeReplace: false };
    expect(await diff(outputs(args), { ...args, serverId: "srv_2" })).toEqual(replacing);
  });

  test("changes an instance in place when only its name is new", async () => {
    const answer = await diff(outputs(args), { ...args, name: "new" });
    expect(answer).toMatchObject({ changes: true, replaces: [] });
  });

  test.each([true, false])(
    "fails instead of replacing a protected instance, with the protection set to %s in the program",
    async (deletionProtection) => {
      const olds = outputs({ ...args, deletionProtection: true });
      const moved = diff(olds, { ...args, serverId: "srv_2", deletionProtection });
      await expect(moved).rejects.toThrow(/^deletionProtection prevents replacing instance ins_1/);
    },
  );
});

test.each([dynamicVoice, pluginVoice])("a failed call is said in Pulumi's names", (voice) => {
  const said = (facts: Omit<ConstructorParameters<typeof ErpHostError>[0], "operation">) =>
    failureText(voice, new ErpHostError({ operation: "POST /instances", ...facts }));
  const why = message("value_refused", { field: "server_id", quoted: "refers to no server" });
  const refused = said({ code: "validation_error", status: 422, why });
  expect(refused).toContain("serverId: refers to no server");
  const text = said({ code: "invalid_token", status: 401, why: message("key_refused", {}) });
  expect(text).toContain("erphost:apiKey (ERPHOST_API_KEY)");
  expect(text).toContain("run `pulumi config set --secret erphost:apiKey`");
});
