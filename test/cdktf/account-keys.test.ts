/** Which key goes to which address: one that is forgotten is an error, and one at a stranger's is a leak. */
import { describe, expect, test } from "@jest/globals";
import { TerraformStack, Testing } from "cdktf";
import { Team, ApiKey, RotatedApiKey, ErphostProvider, ErphostStack } from "../../cdktf-bindings";
import { ErphostStage, l1, scopesFor } from "../../cdktf-bindings";
import type { AccountSettings, ErphostProviderConfig } from "../../cdktf-bindings";
import type { ErphostStackProps } from "../../cdktf-bindings";
import { snake } from "../../provider/contract";
import { settings, type Setting } from "../../provider/settings";
import { neverNull, providersOf, synth, variable } from "./support/stack";

const HERE = "https://erp.example/v1";
const ELSEWHERE = "https://elsewhere.example/v1";
const KEY = "acme_test_canary4f9c2b7d";

const liveStage = (account: AccountSettings, accounts = {}) =>
  new ErphostStage(Testing.app(), "live", { account, accounts });
const newErp = (props?: ErphostStackProps) => new ErphostStack(Testing.app(), "erp", props);
type Give = (stack: TerraformStack, config: ErphostProviderConfig) => unknown;
/** Every way in which a program gives the settings of a provider block. */
const blocks: Readonly<Record<string, Give>> = {
  "a provider block with an alias": (stack, config) =>
    new ErphostProvider(stack, "it", { alias: "it", ...config }),
  "a generated one": (stack, config) =>
    new l1.provider.ErphostProvider(stack, "it", { alias: "it", ...config }),
  "one that is given it later": (stack, config) =>
    Object.assign(new ErphostProvider(stack, "it", { alias: "it" }), config),
  "one that is given it by an override": (stack, config) => {
    const block = new ErphostProvider(stack, "it", { alias: "it" });
    for (const [name, value] of Object.entries(config)) block.addOverride(snake(name), value);
  },
};

/** Every setting, as a program may give it. */
const everything: AccountSettings = {
  ...{ apiKeyVariable: "live_key", baseUrl: HERE, allowHttp: true, environment: "live" },
  ...{ profile: "./profile.json", timeout: "9s", waitMax: "5m", limits: ["1/1s"], share: 0.1 },
  ...{ concurrency: 3, sameName: "error", preflight: "off", allowMassGone: true },
  ...{ allowDelete: ["srv_1"], formerBaseUrl: ELSEWHERE, twinOf: HERE, scope: "acme" },
  ...{ resume: true, intentsDir: "/intents" },
};

describe("an account with another address than its stage's", () => {
  test("has nothing of the stage's that is true of one account alone, by name as well", () => {
    const stage = liveStage(everything, { eu: everything });
    const own = { baseUrl: ELSEWHERE, apiKeyVariable: "own_key" };
    const stack = new ErphostStack(stage, "erp", { account: own, accounts: { eu: own } });
    new Team(stack, "team", { provider: stack.account("eu") });
    const shared = {
      ...{ environment: "live", profile: "./profile.json", timeout: "9s", wait_max: "5m" },
      ...{ concurrency: 3, same_name: "error", preflight: "off", resume: true },
      ...{ intents_dir: "/intents", scope: "acme/live-erp/${terraform.workspace}" },
    };
    const block = { base_url: ELSEWHERE, api_key: neverNull("var.own_key"), ...shared };
    expect(providersOf(stack)).toEqual([block, { ...block, alias: "eu" }]);
    expect(synth(stack)).not.toHaveProperty("variable.live_key");
  });

  test("is given each setting by one that says whether it is true of one account alone", () => {
    const named = Object.keys(everything).map((name) =>
      name === "apiKeyVariable" ? "apiKey" : name,
    );
    expect(named.toSorted()).toEqual(Object.keys(settings).toSorted());
    const ofOne = Object.entries<Setting>(settings).filter(([, { perAccount }]) => perAccount);
    expect(ofOne.map(([name]) => name)).toContain("allowDelete");
  });

  test("keeps what it says itself, and has all of the stage's without an address of its own", () => {
    const own = { baseUrl: ELSEWHERE, apiKeyVariable: "own_key", share: 0.5, allowDelete: ["s"] };
    const stack = new ErphostStack(liveStage(everything), "erp", { account: own });
    expect(stack.settings.account).toMatchObject(own);
    const same = new ErphostStack(liveStage(everything), "erp", { account: { timeout: "8s" } });
    expect(same.settings.account).toEqual({ ...everything, timeout: "8s" });
  });

  test("does not have a key of the stage, and is refused without one of its own", () => {
    const named = { eu: { baseUrl: "https://eu.example/v1", apiKey: KEY } };
    const stage = liveStage({ baseUrl: HERE, apiKeyVariable: "live_key" }, named);
    const own = { account: { baseUrl: ELSEWHERE }, accounts: { eu: { baseUrl: ELSEWHERE } } };
    const stack = new ErphostStack(stage, "erp", own);
    new Team(stack, "team", { provider: stack.account("eu") });
    const { account, accounts } = stack.settings;
    expect({ account, accounts }).toEqual(own);
    for (const path of ["live-erp/provider", "live-erp/provider-eu"]) {
      expect(() => synth(stack)).toThrow(
        `[${path}] apiKey is not set, so that the key of the environment would go to the address that is set here. Set it, or apiKeyVariable where accounts are given to a stack or a stage.`,
      );
    }
  });
});

test("a named account has what it leaves out from the default one, except what is true of that alone", () => {
  const shared = { timeout: "9s", scope: "acme", environment: "live" } as const;
  const own = { baseUrl: ELSEWHERE, apiKeyVariable: "eu_key", timeout: "5s" };
  const stack = newErp({ account: { ...everything, ...shared }, accounts: { eu: own } });
  new Team(stack, "team", { provider: stack.account("eu") });
  const [, block] = providersOf(stack) as object[];
  expect(block).toEqual({
    ...{ alias: "eu", base_url: ELSEWHERE, api_key: neverNull("var.eu_key") },
    ...{ timeout: "5s", environment: "live" },
    ...{ scope: "acme/erp/${terraform.workspace}", profile: "./profile.json", wait_max: "5m" },
    ...{ concurrency: 3, same_name: "error", preflight: "off", resume: true },
    intents_dir: "/intents",
  });
});

describe("the key of the environment", () => {
  test.each(Object.entries(blocks))("does not go to the address of %s", (_, give) => {
    const refusal = /\[erp\/\S+\] apiKey is not set, so that the key of the environment would /;
    const built = (apiKey: string | undefined) => () => {
      const stack = newErp();
      give(stack, { baseUrl: ELSEWHERE, ...(apiKey !== undefined && { apiKey }) });
      return synth(stack);
    };
    for (const apiKey of [undefined, "", " "]) expect(built(apiKey)).toThrow(refusal);
    expect(built(KEY)).not.toThrow();
  });

  test("does not go to a named account, even without an address of its own, and a key does", () => {
    const stack = newErp({ accounts: { eu: {}, us: { apiKeyVariable: "us_key" } } });
    new Team(stack, "team", { provider: stack.account("us") });
    expect(() => synth(stack)).not.toThrow();
    new Team(stack, "eu-team", { provider: stack.account("eu") });
    expect(() => synth(stack)).toThrow(
      "[erp/provider-eu] apiKey is not set, so that the key of the environment would be used, which is that of another account.",
    );
  });

  test("does not go to the address of a stage or of a stack, whose key may be given later", () => {
    const props = { account: { baseUrl: HERE } };
    const inStage = new ErphostStack(new ErphostStage(Testing.app(), "live", props), "erp");
    for (const stack of [newErp(props), inStage]) {
      expect(() => synth(stack)).toThrow(/erp\/provider\] apiKey is not set/);
      stack.provider.apiKey = variable(stack).stringValue;
      expect(() => synth(stack)).not.toThrow();
    }
  });

  test("is for the address of the environment, and for that of a stack's only account", () => {
    const stack = newErp({ account: { timeout: "5s" } });
    new ErphostProvider(stack, "patient", { alias: "patient", waitMax: "5h" });
    expect(() => synth(stack)).not.toThrow();
    const plain = new TerraformStack(Testing.app(), "erp");
    new ErphostProvider(plain, "provider", { baseUrl: HERE });
    expect(() => synth(plain)).not.toThrow();
  });
});

test("another key at the stage's address has the ids of allowDelete, but not the quota of the former key", () => {
  const own = { apiKeyVariable: "own_key" };
  const stack = new ErphostStack(liveStage(everything), "erp", { account: own });
  const { apiKeyVariable: _, limits: __, share: ___, ...same } = everything;
  expect(stack.settings.account).toEqual({ ...same, ...own });
  const given = { apiKey: KEY, limits: ["5/1s"], share: 0.7 };
  const other = new ErphostStack(liveStage(everything), "erp", { account: given });
  expect(other.settings.account).toEqual({ ...same, ...given });
});

describe("a named account with a key and no address", () => {
  const of = (account: AccountSettings) => {
    const stack = newErp({ account, accounts: { eu: { apiKeyVariable: "eu_key" } } });
    new Team(stack, "team", { provider: stack.account("eu") });
    return stack;
  };

  test("is refused where the default account has an address, unless it is given one later", () => {
    const stack = of({ baseUrl: HERE, apiKeyVariable: "key" });
    expect(() => synth(stack)).toThrow(
      "[erp/provider-eu] baseUrl is not set, so that the key would go to the address of the environment, not to that of account. Set it, even if it is the same as that of account.",
    );
    stack.account("eu").baseUrl = HERE;
    expect(() => synth(stack)).not.toThrow();
  });

  test("is at the address of the environment where the default account is, too", () => {
    expect(providersOf(of({ timeout: "5s" }))).toEqual([
      { timeout: "5s" },
      { alias: "eu", api_key: neverNull("var.eu_key"), timeout: "5s" },
    ]);
  });
});

describe("a key that turns out to be null", () => {
  const at = { alias: "it", baseUrl: ELSEWHERE };
  test.each(Object.entries(blocks))("is empty, which the provider refuses: in %s", (_, give) => {
    const stack = newErp();
    give(stack, { baseUrl: ELSEWHERE, apiKey: variable(stack, "key").stringValue });
    const apiKey = neverNull("var.key");
    expect(providersOf(stack)).toEqual([{}, { alias: "it", base_url: ELSEWHERE, api_key: apiKey }]);
    expect(String(Testing.synthHcl(stack, true))).toContain(`api_key = "${apiKey}"`);
  });
  test("is empty where it is that of a rotation, which has none before its first run, or an expression of the program's own", () => {
    const stack = newErp();
    const made = ApiKey.fromApiKeyId(stack, "made", "key_1");
    const { value } = new RotatedApiKey(stack, "rotation", { key: made, rotateOnCreate: false });
    new ErphostProvider(stack, "it", { ...at, apiKey: value });
    new ErphostProvider(stack, "own", { ...at, alias: "own", apiKey: "${var.key}" });
    const rotated = neverNull("erphost_api_key_rotation.rotation.value");
    const keys = [{ api_key: rotated }, { api_key: neverNull('"${var.key}"') }];
    expect(providersOf(stack)).toMatchObject([{}, ...keys]);
  });

  test("is left out where the key of the environment may be used, and a known key is never changed", () => {
    const stack = new TerraformStack(Testing.app(), "erp");
    const apiKey = variable(stack, "key").stringValue;
    new ErphostProvider(stack, "provider", { baseUrl: HERE, apiKey });
    new ErphostProvider(stack, "same", { alias: "same", apiKey });
    new ErphostProvider(stack, "known", { ...at, apiKey: KEY });
    const keys = ["${var.key}", "${var.key}", KEY];
    expect(providersOf(stack)).toMatchObject(keys.map((key) => ({ api_key: key })));
  });

  test("is the same key in every block, whether it may be left out there or not", () => {
    const stack = new TerraformStack(Testing.app(), "erp");
    const apiKey = variable(stack, "key").stringValue;
    new ErphostProvider(stack, "provider", { baseUrl: ELSEWHERE, apiKey });
    const provider = new ErphostProvider(stack, "it", { ...at, apiKey });
    new Team(stack, "one");
    new Team(stack, "other", { provider });
    expect(scopesFor(stack)).toEqual(["teams:read", "teams:write"]);
  });
});

test("an account whose name could be none in Terraform is refused", () => {
  const give = (name: string) => {
    const stack = newErp({ accounts: { [name]: { apiKeyVariable: "key" } } });
    new Team(stack, "team", { provider: stack.account(name) });
    return () => synth(stack);
  };
  for (const name of ["e u", "1eu", "-eu", "eu.", "", "eu\n"]) {
    const fault = `${JSON.stringify(name)} cannot be the name of an account or an alias. Use letters, digits, hyphens and underscores, and begin with a letter or an underscore.`;
    expect(give(name)).toThrow(fault);
  }
  for (const name of ["eu", "EU-1", "_eu", "süd"]) expect(give(name)).not.toThrow();
});

describe("a variable for a key", () => {
  test("cannot be null, which a provider block would take for the key of the environment", () => {
    const stack = newErp({ account: { baseUrl: HERE, apiKeyVariable: "live_key" } });
    expect(synth(stack)).toMatchObject({
      variable: { live_key: { type: "string", sensitive: true, nullable: false } },
    });
  });

  test("is refused next to a key of the same account, which it would replace without a word", () => {
    expect(() => newErp({ account: { apiKey: KEY, apiKeyVariable: "live_key" } })).toThrow(
      "[erp] apiKey and apiKeyVariable set the same value. Remove one of them.",
    );
  });

  test("can be called whatever a variable of the environment can be called, and nothing else", () => {
    const named = (apiKeyVariable: string) => newErp({ account: { apiKeyVariable } });
    for (const name of ["eu key", "1key", "eu-key", "", "key\n"]) {
      const fault = `[erp] apiKeyVariable must be letters, digits and underscores, and not begin with a digit, but it is ${JSON.stringify(name)}.`;
      expect(() => named(name)).toThrow(fault);
    }
    for (const name of ["k", "_Key2", "LIVE_KEY"]) {
      expect(synth(named(name))).toHaveProperty(`variable.${name}`);
    }
  });
});
