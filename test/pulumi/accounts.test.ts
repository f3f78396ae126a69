/** Several accounts of one program, in the dynamic provider process, against an emulator each. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { getServers } from "../../provider/pulumi";
import { settingsOf } from "../../provider/pulumi/settings";
import { newProcess, serve, type Properties } from "./process";

const KEY = "acme_test_canary4f9c2b7d";
const ADDRESS = "https://eu.example.com/v1";

describe("the settings of a named account", () => {
  const read = (
    account: string | undefined,
    accounts: unknown,
    { env = {}, ...stack }: { env?: Record<string, string> } & Record<string, unknown> = {},
  ) => {
    const config: Properties = { accounts: JSON.stringify(accounts), ...stack };
    return settingsOf(account, { get: (key) => config[key] as string | undefined, env });
  };

  test("come from the stack where they are true of every account, and never where they are of one", () => {
    const stack = {
      ...{ apiKey: "acme_test_default0001", baseUrl: "https://default.example.com/v1" },
      ...{ allowHttp: "true", limits: "1/1s", share: "0.1", allowMassGone: "true" },
      ...{ allowDelete: "srv_1", formerBaseUrl: "https://old.example.com/v1", timeout: "60s" },
    };
    expect(read("eu", { eu: {} }, stack).given).toEqual({ timeout: "60s" });
    const own = { apiKey: KEY, baseUrl: ADDRESS, timeout: "5s", share: 0.5 };
    expect(read("eu", { eu: own }, stack).given).toEqual(own);
  });

  test("leave the key and the address of the environment to the default account", () => {
    const ofAll = { ERPHOST_TIMEOUT: "60s", HTTPS_PROXY: "http://proxy:1" };
    const env = { ERPHOST_API_KEY: "acme_test_default0001", ERPHOST_BASE_URL: ADDRESS, ...ofAll };
    expect(read("eu", { eu: {} }, { env })).toEqual({ given: {}, env: ofAll });
    expect(read(undefined, { eu: {} }, { env }).env).toEqual(env);
  });

  test("may come from variables with its name, which the stack's configuration wins over", () => {
    const env = {
      ERPHOST_ACCOUNT_EU_WEST_API_KEY: KEY,
      ERPHOST_ACCOUNT_EU_WEST_BASE_URL: ADDRESS,
      ERPHOST_ACCOUNT_EU_WEST_SHARE: " ",
    };
    expect(read("eu-west", undefined, { env }).given).toEqual({ apiKey: KEY, baseUrl: ADDRESS });
    const baseUrl = "https://other.example.com/v1";
    const { given } = read("eu-west", { "eu-west": { baseUrl } }, { env });
    expect(given).toEqual({ apiKey: KEY, baseUrl });
  });

  const FORMER = "ERPHOST_ACCOUNT_EU_FORMER_BASE_URL";

  test.each([
    ["eu-former", "EU_FORMER", { baseUrl: ADDRESS }],
    ["eu", "EU", { formerBaseUrl: ADDRESS }],
  ])("take a variable of two possible accounts for one of %s", (account, name, own) => {
    const env = { [FORMER]: ADDRESS, [`ERPHOST_ACCOUNT_${name}_API_KEY`]: KEY };
    expect(read(account, undefined, { env }).given).toEqual({ apiKey: KEY, ...own });
    const other = account === "eu" ? "eu-former" : "eu";
    const unknown = expect.objectContaining({ code: "account_not_configured" });
    expect(() => read(other, undefined, { env })).toThrow(unknown);
  });

  test("are refused where a variable is of two accounts, wherever those are configured", () => {
    const ambiguous = expect.objectContaining({
      code: "ambiguous_account_variable",
      message: expect.stringContaining(`${FORMER} is a setting of account eu and another one`),
    });
    const env = { [FORMER]: ADDRESS };
    const both = { eu: { apiKey: KEY }, "eu-former": { apiKey: KEY } };
    for (const account of ["eu", "eu-former", undefined]) {
      expect(() => read(account, both, { env })).toThrow(ambiguous);
      const keys = { ERPHOST_ACCOUNT_EU_API_KEY: KEY, ERPHOST_ACCOUNT_EU_FORMER_API_KEY: KEY };
      expect(() => read(account, undefined, { env: { ...env, ...keys } })).toThrow(ambiguous);
    }
    expect(read("eu", both, { env: { [FORMER]: " " } }).given).toEqual({ apiKey: KEY });
    expect(read("eu", undefined, { env }).given).toEqual({ formerBaseUrl: ADDRESS });
  });

  test.each([
    ["an unknown name", "ue", { eu: {} }, "account_not_configured"],
    ["a name that could not be written in a variable", "EU_1", { eu: {} }, "invalid_account_name"],
    ["an inherited member of an object", "constructor", { eu: {} }, "account_not_configured"],
  ])("are refused for %s", (_, account, accounts, code) => {
    expect(() => read(account, accounts)).toThrow(expect.objectContaining({ code }));
  });

  test.each([
    ["a text instead of an object", KEY, "accounts"],
    ["a text instead of an account", { eu: KEY }, "accounts.eu"],
    ["a setting that there is none of", { eu: { apikey: KEY } }, "accounts.eu.apikey"],
  ])("are refused with the place for %s, and without the value", (_, accounts, place) => {
    expect(() => read("eu", accounts)).toThrow(place);
    expect(() => read("eu", accounts)).not.toThrow(KEY);
  });

  test("are refused in a run on a twin where this account has none, whichever is the twin", () => {
    const twin = "https://erp.example.com/v1";
    const refused = expect.objectContaining({ code: "account_not_rehearsed" });
    expect(() => read("eu", { eu: {} }, { twinOf: twin })).toThrow(refused);
    expect(() => read("eu", { eu: {} }, { env: { ERPHOST_TWIN_OF: twin } })).toThrow(refused);
    expect(() => read("eu", { eu: {}, us: { twinOf: twin } })).toThrow(refused);
    expect(() => read(undefined, { us: { twinOf: twin } })).toThrow(refused);
    expect(read("us", { eu: {}, us: { twinOf: twin } }).given).toEqual({ twinOf: twin });
    expect(read("us", { us: { twinOf: twin } }, { twinOf: twin }).given).toEqual({ twinOf: twin });
  });
});

describe("the dynamic provider, with accounts of the same ids,", () => {
  let eu: Emulator;
  let us: Emulator;
  let handler: Awaited<ReturnType<typeof newProcess>>;
  let accounts: Properties;

  beforeEach(async () => {
    [eu, us] = [await serve(), await serve()];
    const of = ({ baseUrl, adminKey: apiKey }: Emulator) => ({ baseUrl, apiKey });
    accounts = { eu: of(eu), us: of(us) };
    await nextRun();
  });

  async function nextRun(): Promise<void> {
    handler = await newProcess({ accounts: JSON.stringify(accounts) });
  }

  const input = (identity: string, account: string | undefined, properties: Properties = {}) => ({
    name: identity,
    ...properties,
    __identity: identity,
    ...(account !== undefined && { __account: account }),
  });

  async function create(identity: string, account: string | undefined) {
    const { inputs, failures } = await handler("Server").check({}, input(identity, account));
    expect(failures).toEqual([]);
    return handler("Server").create(inputs);
  }

  const namesIn = (emulator: Emulator) => emulator.objects("server").map(({ name }) => name);

  test("creates, reads, changes and deletes each object in its own account", async () => {
    const a = await create("a", "eu");
    const b = await create("b", "us");
    expect([a.id, namesIn(eu), b.id, namesIn(us)]).toEqual(["srv_1", ["a"], "srv_1", ["b"]]);
    await nextRun();
    const { props } = await handler("Server").read(b.id, b.outs);
    expect(props).toMatchObject({ name: "b", __account: "us" });
    await handler("Server").update(b.id, props ?? {}, input("b", "us", { name: "new" }));
    await handler("Server").delete(a.id, a.outs);
    expect([namesIn(eu), namesIn(us)]).toEqual([[], ["new"]]);
  });

  test("keeps the names of accounts in the state, and neither keys nor addresses of others", async () => {
    const { outs } = await create("a", "eu");
    expect(outs["__account"]).toBe("eu");
    for (const other of [eu.adminKey, us.adminKey, us.baseUrl]) {
      expect(JSON.stringify(outs)).not.toContain(other);
    }
  });

  test("refuses to plan and to make a change that declares an object in another account", async () => {
    const { id, outs } = await create("a", "eu");
    us.createObjects("server", { name: "a", status: "running" });
    await nextRun();
    const says =
      /^Server srv_1 \(a\) is in account eu, but the program declares it in account us, .* Declare it in account eu again\. .* run `pulumi up --replace a`\.$/;
    const news = input("a", "us");
    await expect(handler("Server").diff(id, outs, news)).rejects.toThrow(says);
    await expect(handler("Server").update(id, outs, news)).rejects.toThrow(says);
    expect(us.objects("server")).toMatchObject([{ name: "a" }]);
    expect(us.journal().every(({ method }) => method === "GET")).toBe(true);
  });

  test("replaces an object into another account where that is asked for, and deletes the old one where it is", async () => {
    const first = await create("a", "eu");
    await nextRun();
    // `pulumi up --replace`: check with the old inputs and without them, create, then delete.
    await handler("Server").check(input("a", "eu"), input("a", "us"));
    const second = await create("a", "us");
    await handler("Server").delete(first.id, first.outs);
    expect([second.id, namesIn(eu), namesIn(us)]).toEqual([first.id, [], ["a"]]);
  });

  test("takes another name of the same account, and sends nothing for it", async () => {
    const { id, outs } = await create("a", "eu");
    accounts = { europe: accounts["eu"], us: accounts["us"] };
    await nextRun();
    eu.clearJournal();
    const news = input("a", "europe");
    const difference = await handler("Server").diff(id, outs, news);
    expect(difference).toMatchObject({ changes: true, replaces: [] });
    const { outs: now } = await handler("Server").update(id, outs, news);
    expect(now["__account"]).toBe("europe");
    expect(eu.journal().every(({ method }) => method === "GET")).toBe(true);
    expect(await handler("Server").diff(id, now, news)).toMatchObject({ changes: false });
  });

  test("does not take another account at the same address for a new name of the first", async () => {
    const { id, outs } = await create("a", "eu");
    // Whoever has this account sees none of the objects of the first.
    eu.removeObject("server", id);
    accounts = { ...accounts, other: accounts["eu"] };
    await nextRun();
    const says = /is in account eu, but the program declares it in account other/;
    await expect(handler("Server").diff(id, outs, input("a", "other"))).rejects.toThrow(says);
  });

  test("neither reads nor deletes an object whose account is not configured any more", async () => {
    const { id, outs } = await create("a", "eu");
    accounts = { us: accounts["us"] };
    await nextRun();
    us.clearJournal();
    const says =
      /^Server srv_1 \(a\) is in account eu, which is not configured; the stack's configuration has us\. For its address, run `pulumi config set --path erphost:accounts\.eu\.baseUrl` or set ERPHOST_ACCOUNT_EU_BASE_URL\. For its key, run `pulumi config set --path --secret erphost:accounts\.eu\.apiKey` or set ERPHOST_ACCOUNT_EU_API_KEY\.$/;
    await expect(handler("Server").read(id, outs)).rejects.toThrow(says);
    await expect(handler("Server").delete(id, outs)).rejects.toThrow(says);
    expect([...us.journal(), ...eu.objects("server").map(({ name }) => name)]).toEqual(["a"]);
  });

  test.each([
    ["is unknown", "ue", {}, /^: Account ue is not configured; the stack's .* has eu or us\./],
    [
      "has no key",
      "eu",
      { apiKey: " " },
      /^: accounts\.eu\.apiKey is missing\. Run `pulumi config set --path --secret erphost:accounts\.eu\.apiKey` or set /,
    ],
    ["has an invalid key", "eu", { apiKey: "x-canary" }, /^: accounts\.eu\.apiKey is not a valid/],
  ])("says in the check, before any call, that an account %s", async (_, account, less, says) => {
    accounts = { ...accounts, eu: { ...(accounts["eu"] as object), ...less } };
    await nextRun();
    const { failures } = await handler("Server").check({}, input("a", account));
    const [only, ...more] = failures.map(({ property, reason }) => `${property}: ${reason}`);
    expect(only).toMatch(says);
    expect([only, ...more].join()).not.toContain("canary");
    expect([more, eu.journal(), us.journal()]).toEqual([[], [], []]);
  });

  test("names the configuration of the account whose key the service refuses", async () => {
    accounts = { ...accounts, us: { baseUrl: us.baseUrl, apiKey: KEY } };
    await nextRun();
    const { failures } = await handler("Server").check({}, input("a", "us"));
    const says =
      "run `pulumi config set --path --secret erphost:accounts.us.apiKey` or set ERPHOST_ACCOUNT_US_API_KEY";
    expect(failures).toEqual([{ property: "", reason: expect.stringContaining(says) }]);
    expect(await create("b", "eu")).toMatchObject({ id: "srv_1" });
  });

  test("asks about the key of each account that is used, once, and of no other", async () => {
    for (const identity of ["a", "b"]) await create(identity, "eu");
    const tests = eu.journal().filter(({ path }) => path === "/auth/test");
    expect([tests.length, us.journal()]).toEqual([1, []]);
  });
});

test("a lookup asks the service of its own stack, where a process runs the programs of several", async () => {
  for (const [name, stack = ""] of [
    ["a", "one"],
    ["b", "two"],
    ["c", "one"],
  ]) {
    const { adminKey, baseUrl, createObjects } = await serve();
    createObjects("server", { name, status: "running" });
    pulumi.runtime.resetOptions("shop", stack, 1, "", "127.0.0.1:9", false, "acme");
    pulumi.runtime.setConfig("erphost:apiKey", adminKey);
    pulumi.runtime.setConfig("erphost:baseUrl", baseUrl);
    expect(await getServers({})).toMatchObject([{ name }]);
  }
});
