/** The settings of the provider: the block, what the environment adds, and what a run itself makes known. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { UNKNOWN } from "../../provider/resources";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { another, emulator, encoded, placeOf, provider, said, setUp } from "./support/provider";
import type { Held, TestProvider } from "./support/provider";

setUp();

test("an invalid configuration is refused at its argument, and the key is not repeated", async () => {
  const other = another();
  const wrong = { api_key: "not-a-key-of-this-form", base_url: "http://localhost/v2" };
  const { diagnostics } = await other.configure(wrong);
  expect(diagnostics.map(placeOf)).toEqual(["api_key", "base_url"]);
  expect(said(diagnostics)).not.toContain("not-a-key-of-this-form");
  const policy = await other.configure({ same_name: "maybe" });
  expect(policy.diagnostics.map(placeOf)).toEqual(["same_name"]);
});

test("validation reports every fault of the provider block at once, and needs no environment", async () => {
  const faulty = await provider.validateBlock({
    api_key: "nonsense",
    base_url: "ftp://host",
    environment: "staging",
    profile: '{"resources":{"planets":{}}}',
    ...{ timeout: "never", limits: ["many"], share: 2, concurrency: 0, same_name: "maybe" },
  });
  const places = faulty.map((each) => placeOf(each).split(".")[0]);
  expect(places.sort()).toEqual([
    ...["api_key", "base_url", "concurrency", "environment", "limits", "profile"],
    ...["same_name", "share", "timeout"],
  ]);
  const two = { api_key: "erp_live_abcd1234", environment: "test" };
  const mixed = await provider.validateBlock(two);
  expect(said(mixed)).toContain("is a live key, but a test key is expected");
  expect(await provider.validateBlock({})).toEqual([]);
});

test("an empty key or address is refused, and never replaced by that of the environment", async () => {
  const { adminKey, baseUrl } = emulator;
  const other = another({ ERPHOST_API_KEY: adminKey, ERPHOST_BASE_URL: baseUrl });
  expect((await other.configure({})).diagnostics).toEqual([]);
  const { diagnostics } = await other.configure({ api_key: "", base_url: " ", scope: "" });
  expect(diagnostics.map(placeOf)).toEqual(["api_key", "base_url", "scope"]);
  expect(diagnostics[0]?.detail).toContain("leave it out to use ERPHOST_API_KEY");
});

test("what is wrong in the environment is named by its variable", async () => {
  const { adminKey, baseUrl } = emulator;
  const account = { ERPHOST_API_KEY: adminKey, ERPHOST_BASE_URL: baseUrl };
  const wrong = { ERPHOST_RESUME: "yes", ERPHOST_PREFLIGHT: "maybe", ERPHOST_SHARE: "2" };
  const { diagnostics } = await another({ ...account, ...wrong }).configure({});
  expect(diagnostics.map(placeOf)).toEqual(["", "", ""]);
  const said = diagnostics.map(({ detail }) => detail.split(" must ")[0]);
  expect(said.sort()).toEqual(Object.keys(wrong).sort());
});

test("the key of the environment does not go to another address than the environment's, but to an emulator of this machine", async () => {
  const other = another({ ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: "https://own/v1" });
  const { diagnostics } = await other.configure({ base_url: "https://acme.invalid/v1" });
  expect(diagnostics.map(placeOf)).toEqual(["api_key"]);
  expect(said(diagnostics)).toContain("would go to the address that is set here");
  expect(await other.configure({ base_url: emulator.baseUrl })).toMatchObject({ diagnostics: [] });
});

describe("a configuration that is not known yet", () => {
  let other: TestProvider;
  beforeEach(async () => {
    other = another();
    const settings: RawObject = { api_key: UNKNOWN, base_url: emulator.baseUrl };
    expect(await other.configure(settings)).toMatchObject({ diagnostics: [] });
  });

  test("with a configuration that is not known yet, every read answers the state as it is, and one warning per run says so", async () => {
    const made = await provider.apply("server", { name: "a" });
    emulator.removeObject("server", "srv_1");
    const first = await other.read("server", made);
    expect(first).toMatchObject({ state: made.state, private: made.private });
    expect(first.diagnostics).toMatchObject([{ severity: m.Severity.warning }]);
    expect(said(first.diagnostics)).toContain(
      "The provider's api_key (ERPHOST_API_KEY) becomes known only when this run is applied",
    );
    expect(await other.read("server", made)).toMatchObject({ state: made.state, diagnostics: [] });
  });

  test("with a configuration that is not known yet, creates, changes, replacements and deletes are planned as they are with a known one", async () => {
    const config = { name: "a", deletion_protection: true };
    const made = await provider.apply("server", config);
    const cases: readonly [RawObject | null, Held | undefined][] = [
      [{ ...config, name: "new" }, undefined],
      [config, made],
      [{ ...config, name: "b" }, made],
      [null, made],
    ];
    for (const [wanted, held] of cases) {
      const known = await provider.plan("server", wanted, held);
      expect(await other.plan("server", wanted, held)).toEqual(known);
    }
    const invalid = await other.plan("server", { name: "" }, made);
    expect(invalid.diagnostics.map(placeOf)).toEqual(["name"]);
  });

  test("what can only be read says how to wait for the configuration", async () => {
    const { diagnostics } = await other.call(
      "ReadDataSource",
      m.typedConfigRequest,
      m.dataResponse,
      { type_name: "erphost_servers", config: encoded({}) },
    );
    expect(said(diagnostics)).toMatch(
      /api_key \(ERPHOST_API_KEY\) depends on resources .* \(depends_on\)/,
    );
  });

  test("a profile that is not valid is refused although the key is not known yet", async () => {
    const { diagnostics } = await other.configure({ api_key: UNKNOWN, profile: "{" });
    expect(diagnostics.map(placeOf)).toEqual(["profile"]);
  });

  test("a configuration that is known afterwards reads again", async () => {
    const made = await provider.apply("server", { name: "a" });
    await other.use(emulator);
    emulator.changeObject("server", "srv_1", { name: "renamed" });
    const { state, diagnostics } = await other.read("server", made);
    expect(state).toMatchObject({ name: "renamed" });
    expect(diagnostics).toEqual([]);
  });
});

// The name is reserved: nothing answers there.
const BASE_URL = "http://erp.invalid/v1";
const TEST_KEY = { api_key: "erp_test_abcd1234abcd1234", base_url: BASE_URL };
const LIVE_KEY = { api_key: "erp_live_abcd1234abcd1234", base_url: BASE_URL };
const ALLOWED = { ERPHOST_ALLOW_HTTP: "true" };

/** What is said of a block, by its validation and by its configuration. */
async function saidOf(config: RawObject, env: Readonly<Record<string, string>> = {}) {
  const other = another(env);
  return {
    validated: said(await other.validateBlock(config)),
    configured: said((await other.configure(config)).diagnostics),
    address: other.session.engine?.account.baseUrl,
  };
}

describe("an http address elsewhere, with a test key", () => {
  test.each<[string, RawObject, Readonly<Record<string, string>>]>([
    ["the environment", TEST_KEY, ALLOWED],
    ["the block", { ...TEST_KEY, allow_http: true }, {}],
  ])("is used where %s allows it", async (_, config, env) => {
    const { validated, configured, address } = await saidOf(config, env);
    expect(validated).toBe("");
    expect(configured).not.toContain("http address");
    expect(address).toBe(BASE_URL);
  });

  test("is refused by the configuration where nothing allows it, and not by the validation, which may run elsewhere", async () => {
    const { validated, configured } = await saidOf(TEST_KEY);
    expect(validated).toBe("");
    expect(configured).toMatch(/an http address, .* set allow_http \(ERPHOST_ALLOW_HTTP\) to true/);
  });

  test("is refused by the validation already where the block forbids it, whatever the environment says", async () => {
    const { validated, configured } = await saidOf({ ...TEST_KEY, allow_http: false }, ALLOWED);
    expect(validated).toContain("is an http address");
    expect(configured).toContain("is an http address");
  });
});

test("a live key is never sent to an http address elsewhere, whatever is allowed", async () => {
  for (const env of [{}, ALLOWED]) {
    const { validated, configured } = await saidOf({ ...LIVE_KEY, allow_http: true }, env);
    for (const text of [validated, configured]) expect(text).toContain("live key");
  }
});
