/** An http address elsewhere: `allow_http` may be given in the block or in the environment. */
import { afterEach, describe, expect, test } from "@jest/globals";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { encoded, TestProvider } from "./support/provider";

// The name is reserved: nothing answers there.
const BASE_URL = "http://erp.invalid/v1";
const TEST_KEY = { api_key: "erp_test_abcd1234abcd1234", base_url: BASE_URL };
const LIVE_KEY = { api_key: "erp_live_abcd1234abcd1234", base_url: BASE_URL };
const ALLOWED = { ERPHOST_ALLOW_HTTP: "true" };

const ends: TestProvider[] = [];
afterEach(async () => {
  for (const each of ends.splice(0)) await each.close();
});

/** What is said of a block, by its validation and by its configuration. */
async function saidOf(config: RawObject, env: Readonly<Record<string, string>> = {}) {
  const provider = new TestProvider(env);
  ends.push(provider);
  const validated = await provider.call(
    "ValidateProviderConfig",
    m.validateProviderConfigRequest,
    m.providerDiagnosed,
    { config: encoded(config) },
  );
  const configured = await provider.configure(config);
  const text = (diagnostics: readonly m.Diagnostic[]) =>
    diagnostics.map(({ detail }) => detail).join(" ");
  return {
    validated: text(validated.diagnostics),
    configured: text(configured.diagnostics),
    address: provider.session.engine?.account.baseUrl,
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
    expect(configured).toMatch(
      /is an http address, .* set allow_http \(ERPHOST_ALLOW_HTTP\) to true/,
    );
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
