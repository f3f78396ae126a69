/** What no operation could succeed with is found by one call, and reported once. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { given } from "../support/given";
import { check, configure, create, kindOf, openPlugin, urnOf, type Plugin } from "./support";

const WRONG_KEY = "erp_test_0123456789abcdef0123456789abcdef";
type Settings = { readonly baseUrl?: string; readonly apiKey?: string };
let emulator: Emulator;
let plugin: Plugin;

beforeEach(async () => {
  ({ emulator } = await given());
});
afterEach(() => plugin.close());

/** A plugin that Pulumi has configured; that makes the one call. */
async function configured(args: Settings = {}): Promise<void> {
  const all = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey, ...args };
  plugin = openPlugin(all);
  await configure(plugin.session, { args: all });
}

const urn = (name: string) => urnOf(kindOf("server"), name);
const checked = (name = "web") => check(plugin.session, { urn: urn(name), news: { name } });
const created = (name: string) => create(plugin.session, { urn: urn(name), properties: { name } });

describe("the first check of a run fails, names the address, and says what to do, where", () => {
  const remedy = "run `pulumi config set --secret erphost:apiKey`";
  const CLOSED = "http://127.0.0.1:9/v1";
  const UNKNOWN = "https://nobody.invalid/v1";

  test.each<[string, (url: string) => Settings, RegExp]>([
    ["the key is wrong", () => ({ apiKey: WRONG_KEY }), RegExp(`401 invalid_token.* ${remedy}`)],
    [
      "nothing listens at the address",
      () => ({ baseUrl: CLOSED }),
      /ECONNREFUSED.* Check host and port in erphost:baseUrl/,
    ],
    [
      "the host is unknown",
      () => ({ baseUrl: UNKNOWN }),
      /ENOTFOUND|EAI_AGAIN.* Check erphost:baseUrl/,
    ],
    ["the service is at another path", (url) => ({ baseUrl: `${url}/api/v1` }), / → 404 /],
  ])("%s", async (_, argsAt, why) => {
    const args = argsAt(emulator.url);
    await configured(args);
    const said = await checked().catch(String);
    expect(said).toMatch(why);
    expect(said).toContain("GET /auth/test → ");
    expect(said).toContain(args.baseUrl ?? emulator.baseUrl);
  });
});

test("a missing scope is explained for one resource, and named for the others", async () => {
  await configured({ apiKey: emulator.createKey({ permissions: ["servers:read"] }).value });
  await checked();
  await expect(created("web")).rejects.toThrow("this needs servers:write. Use a key of ");
  await expect(created("db")).rejects.toThrow(/same failure as before: .* needs servers:write\.$/);
});

test("a value that the service refuses is explained for every resource that has it", async () => {
  await configured();
  const effect = { type: "status", status: 422 } as const;
  emulator.setFaults([{ match: { method: "POST" }, effect, times: 2 }]);
  for (const name of ["web", "db"]) await expect(created(name)).rejects.toThrow("422");
});

test("a service that fails only now and then does not stop a run at its first call", async () => {
  emulator.setFaults([{ match: { path: "/auth/test" }, effect: { type: "status", status: 500 } }]);
  await configured();
  await expect(checked()).resolves.toBeDefined();
});
