/** What the dynamic provider process answers, without an engine around it. */
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Handler } from "../../provider/pulumi/dynamic/handler";
import { PULUMI_UNKNOWN } from "../../provider/pulumi/values";
import { given } from "../support/given";

const KEY = "erp_test_k1_0123456789abcdef";
const nowhere: Record<string, string> = {
  "erphost:apiKey": KEY,
  "erphost:baseUrl": "http://127.0.0.1:9/v1", // Nothing listens there: a call would fail the test.
};

let settings = nowhere;
let handler: (title: string) => Handler;
beforeEach(() => {
  settings = nowhere;
  jest.resetModules();
  ({ handler } =
    require("../../provider/pulumi/dynamic/handler") as typeof import("../../provider/pulumi/dynamic/handler"));
});

async function failures(title: string, news: Record<string, unknown>): Promise<string[]> {
  const own = handler(title);
  await own.configure({ config: { get: (key) => settings[key] } });
  const { failures: all } = await own.check({}, news);
  return all.map(({ property, reason }) => `${property}: ${reason}`);
}

describe("the dynamic provider's check names the property as the program does, and the reason, for", () => {
  test.each([
    [
      "an unknown scope",
      "ApiKey",
      { name: "a", permissions: ["servers:all"] },
      /^permissions: permissions\[0\] is not a scope: "servers:all"\. Use one of servers:read, /,
    ],
    [
      "a bad CIDR",
      "ApiKey",
      { name: "a", permissions: ["admin"], ipWhitelist: ["10.0.0.0/99"] },
      /^ipWhitelist: ipWhitelist\[0\] must be .* such as 203\.0\.113\.0\/24\.$/,
    ],
    [
      "a bad period",
      "ApiKey",
      { name: "a", permissions: ["admin"], gracePeriod: "90x" },
      /^gracePeriod: must be a number of days .* such as 90d$/,
    ],
    [
      "a free property that is a field",
      "Server",
      { name: "a", properties: { status: "x" } },
      /^properties: properties\.status is decided by the service and cannot be set\.$/,
    ],
    [
      "an unknown input",
      "Instance",
      { name: "a", serverId: "s", verison: "1" },
      /^verison: is not an input of an instance \(did you mean version\?\)$/,
    ],
    ["a missing input", "Instance", { name: "a" }, /^serverId: is required$/],
    [
      "a backup of nothing",
      "Backup",
      {},
      /^instanceId: exactly one of instanceId and serverId is required$/,
    ],
    [
      "a key that both the program and the service rotate",
      "ApiKey",
      { name: "a", permissions: ["admin"], rotateAfter: "90d", autoRotate: true },
      /^rotateAfter: would rotate a key that the service rotates itself \(autoRotate is true\)/,
    ],
    [
      "a field that the service sets",
      "Server",
      { name: "a", status: "running" },
      /^status: is decided by the service and cannot be set$/,
    ],
  ] as const)("%s", async (_, title, news, sentence) => {
    const all = await failures(title, news);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(sentence);
  });
});

describe("the dynamic provider's check", () => {
  beforeEach(async () => {
    const { emulator } = await given();
    settings = { "erphost:apiKey": emulator.adminKey, "erphost:baseUrl": emulator.baseUrl };
  });

  test("refuses a second rotation of one key", async () => {
    expect(await failures("ApiKeyRotation", { keyId: "key_1", __identity: "a" })).toEqual([]);
    const [second] = await failures("ApiKeyRotation", { keyId: "key_1", __identity: "b" });
    expect(second).toMatch(/^keyId: .*already has a rotator \(a\).*Keep one of them/);
  });

  test("lets values pass that are not known yet", async () => {
    expect(await failures("Instance", { name: PULUMI_UNKNOWN, serverId: PULUMI_UNKNOWN })).toEqual(
      [],
    );
  });

  test("never repeats a secret, and names no property whose value Pulumi would print", async () => {
    const [only] = await failures("Server", { name: "a", secretProperties: "hunter2-canary" });
    expect(only).toMatch(/^: secretProperties has the wrong shape/);
    expect(only).not.toContain("hunter2");
  });
});

test("the dynamic provider's check says what no resource could succeed with, and how to change it", async () => {
  const { emulator } = await given();
  settings = { "erphost:apiKey": KEY, "erphost:baseUrl": emulator.baseUrl };
  const [only, ...more] = await failures("Server", { name: "a" });
  expect(more).toEqual([]);
  expect(only).toContain("GET /auth/test → 401 invalid_token: ");
  expect(only).toContain(`belongs to ${emulator.baseUrl}`);
  expect(only).toContain("run `pulumi config set --secret erphost:apiKey` or set ERPHOST_API_KEY");
});

test("a failure of the dynamic provider has no stack trace, which Pulumi would print", async () => {
  const own = handler("Server");
  const nonsense = (key: string) => (key === "erphost:apiKey" ? "nonsense" : settings[key]);
  await own.configure({ config: { get: nonsense } });
  const error = await own.diff("srv_1", {}, { name: "a" }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ stack: "", name: "" });
  expect(String(error)).toMatch(/apiKey is not a valid API key/);
  expect(String(error)).not.toContain("nonsense");
  const { failures } = await own.check({}, { name: "a" });
  expect(failures).toEqual([{ property: "", reason: String(error) }]);
});

test("the dynamic provider refuses a state that something else wrote", async () => {
  const own = handler("Server");
  await own.configure({ config: { get: (key) => settings[key] } });
  await expect(own.diff("srv_1", { name: "a" }, { name: "b" })).rejects.toThrow(
    "The state of server srv_1 was not written by erphost",
  );
});

test("the dynamic provider names a class that this release does not have", () => {
  expect(() => handler("Spaceship")).toThrow("erphost has no Spaceship");
});

describe("the dynamic provider's diff", () => {
  const args = { name: "erp", serverId: "srv_1" };
  /** A state as an up leaves it. */
  const outputs = (inputs: Record<string, unknown>, baseUrl = settings["erphost:baseUrl"]) => ({
    ...inputs,
    __state: JSON.stringify({
      account: { baseUrl, environment: "test" },
      profile: "none",
      managed: Object.keys(inputs),
      echo: {},
    }),
  });
  const diff = async (olds: Record<string, unknown>, news: Record<string, unknown>) => {
    const own = handler("Instance");
    await own.configure({ config: { get: (key) => settings[key] } });
    return own.diff("ins_1", olds, news);
  };

  test("replaces an instance that moves to another server", async () => {
    expect(await diff(outputs(args), { ...args, serverId: "srv_2" })).toEqual({
      changes: true,
      replaces: ["serverId"],
      deleteBeforeReplace: false,
    });
  });

  test("changes an instance in place when only its name is new", async () => {
    const { changes, replaces } = await diff(outputs(args), { ...args, name: "new" });
    expect({ changes, replaces }).toEqual({ changes: true, replaces: [] });
  });

  test.each([true, false])(
    "fails instead of replacing a protected instance, with the protection set to %s in the program",
    async (deletionProtection) => {
      const olds = outputs({ ...args, deletionProtection: true });
      await expect(diff(olds, { ...args, serverId: "srv_2", deletionProtection })).rejects.toThrow(
        /^deletionProtection prevents replacing instance ins_1/,
      );
    },
  );

  test("fails when the state belongs to another account", async () => {
    const olds = outputs(args, "https://other.example.com/v1");
    await expect(diff(olds, { ...args, name: "new" })).rejects.toThrow(
      /Instance ins_1 belongs to the account at https:\/\/other\.example\.com\/v1/,
    );
  });
});
