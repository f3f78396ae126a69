import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator, type NewKeyInput } from "../../emulator";
import { scriptServer, success } from "../client/support/script-server";
import { strike } from "../support/ask";
import { fromNow } from "../../cli/text";
import { complaint, erphost } from "./support";

let emulator: Emulator;

beforeAll(async () => void (emulator = await startEmulator({ plan: "starter" })));
afterAll(() => emulator.close());

/** Runs `whoami` with that key, by default the administrator's. */
const whoamiOf = (apiKey = emulator.adminKey, more = {}, words: readonly string[] = []) =>
  erphost(["whoami", ...words], {
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: apiKey, ...more },
  });
const whoami = (key: NewKeyInput, ...words: string[]) =>
  whoamiOf(emulator.createKey(key).value, {}, words);

const line = (out: readonly string[], start: string): string =>
  out.find((each) => each.trimStart().startsWith(start)) ?? "";
const words = (text: string): string[] => text.trim().split(/\s+/);

describe("erphost whoami", () => {
  test("whoami shows environment, service, expiry, limit and permissions of an admin key", async () => {
    const { code, out, err } = await whoamiOf();
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(line(out, "Environment")).toMatch(/test$/);
    expect(line(out, "Service")).toContain(emulator.baseUrl);
    expect(line(out, "Expires")).toMatch(/never$/);
    expect(line(out, "Rate limit")).toMatch(/\d+ of 100 requests left until 20\S+Z \(in \d+ s\)$/);
    expect(words(line(out, "servers "))).toEqual(["servers", "✓", "✓", "✓"]);
    expect(words(line(out, "instance "))).toEqual(["instance", "✓", "✓", "✓", "✓", "·"]);
  });

  test("whoami expands permissions per resource and names the scopes that are missing", async () => {
    const { out } = await whoami({ permissions: ["servers:read", "instances:*"] });
    expect(words(line(out, "servers "))).toEqual(["servers", "✓", "–", "–"]);
    expect(words(line(out, "instances "))).toEqual(["instances", "✓", "✓", "✓"]);
    expect(line(out, "server ")).toContain("needs servers:write, servers:delete");
    expect(line(out, "invoices ")).toContain("–");
    expect(line(out, "invoices ")).toContain("needs billing:read");
    expect(line(out, "Expires")).toContain("unknown (the key may not read API keys)");
  });

  test("whoami distinguishes what the service does not offer from what the key may not do", async () => {
    const { out } = await whoami({ permissions: ["backups:read"] });
    expect(words(line(out, "backup "))).toEqual(words("backup – ✓ · · · needs backups:write"));
  });

  test("whoami shows when a key expires if the key may read keys", async () => {
    const expires_at = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
    const { out } = await whoami({ permissions: ["api-keys:read"], name: "short", expires_at });
    expect(line(out, "Expires")).toMatch(/\(in 10 d\)$/);
    expect(line(out, "Key ")).toContain("(short)");
  });

  test.each([
    [403, "unknown (the key may not read API keys)", ""],
    [400, "unknown", "warning: GET /api-keys → 400"],
  ])("whoami says why it knows no expiry after a %s", async (status, shown, said) => {
    strike(emulator, "GET /api-keys", status);
    const { code, out, err } = await whoamiOf();
    emulator.setFaults([]);
    expect(line(out, "Expires").replace(/^Expires +/, "")).toBe(shown);
    expect([code, err.join("\n").slice(0, said.length || undefined)]).toEqual([0, said]);
  });

  test("whoami --json prints the same facts as one JSON object", async () => {
    const { out } = await whoami({ permissions: ["servers:*"] }, "--json");
    const read: unknown = JSON.parse(out.join("\n"));
    expect(read).toMatchObject({
      environment: "test",
      baseUrl: emulator.baseUrl,
      permissions: ["servers:*"],
      scopes: { servers: { read: true, write: true, delete: true }, billing: { read: false } },
      rateLimit: { limit: 100 },
      kinds: {
        server: { create: "yes", list: "yes", update: "yes", delete: "yes" },
        team: { create: { needs: "teams:write" }, delete: "not offered" },
      },
      lookups: { servers: "yes", invoices: { needs: "billing:read" } },
    });
    expect(read).not.toHaveProperty("expiresAt");
  });

  test("whoami follows a contract profile", async () => {
    const profile = JSON.stringify({ resources: { backup: { operations: { delete: true } } } });
    const { out } = await whoami({ permissions: ["backups:*"] }, "--profile", profile);
    expect(words(line(out, "backup "))).toEqual(["backup", "✓", "✓", "·", "✓", "·"]);
  });

  test("whoami prints no control characters of the service's, and no time that is none", async () => {
    const { id, value } = emulator.createKey({ permissions: ["admin"], name: "ci" });
    emulator.changeObject("api_key", id, { name: "ci\u001b[2J\u202E\nKey   key_1 (another)" });
    const { out } = await whoamiOf(value);
    expect(out.join("\n")).not.toMatch(/[\p{Bidi_Control}\u001b]|NaN/u);
    expect(out.filter((each) => each.startsWith("Key "))).toHaveLength(1);
    expect(fromNow(Date.parse("soon"), 0)).toBe("not a time");
  });

  test("whoami never prints the key", async () => {
    const { value } = emulator.createKey({ permissions: ["admin"] });
    const env = { ERPHOST_DEBUG: "1" };
    const runs = [
      await whoamiOf(value, env),
      await whoamiOf(value, env, ["--json"]),
      await whoamiOf(value, { ...env, ERPHOST_BASE_URL: `${emulator.url}/v2` }),
    ];
    for (const { out, err } of runs) expect([...out, ...err].join("\n")).not.toContain(value);
  });
});

describe("erphost whoami, refused", () => {
  test("whoami with an invalid key exits with 1 and says that the key is invalid", async () => {
    const said = /^error: GET \/auth\/test → 401 invalid_token: .+ERPHOST_API_KEY/;
    const refused = { code: 1, out: [], err: [expect.stringMatching(said)] };
    expect(await whoamiOf("erp_test_0123456789abcdef")).toEqual(refused);
  });

  test.each([
    [
      { authenticated: false },
      1,
      "error: GET /auth/test → 200 invalid_token: the service does not",
    ],
    [{ rate_limit: { limit: -1, remaining: -1, reset: 0 } }, 0, "none reported"],
  ])("whoami of a key whose test is answered with %j exits with %i", async (more, code, said) => {
    const data = { authenticated: true, key_id: "key_1", permissions: [], ...more };
    const { baseUrl } = await scriptServer(success(data));
    const { out, err, ...ended } = await whoamiOf(undefined, { ERPHOST_BASE_URL: baseUrl });
    expect(ended).toEqual({ code });
    expect([...out, ...err].join("\n")).toContain(said);
  });

  test.each<[string, NewKeyInput, string]>([
    ["has expired", { expires_at: "2020-01-01T00:00:00Z" }, "401 token_expired"],
    ["may not be used from this address", { ip_whitelist: ["192.0.2.1"] }, "403 ip_not_allowed"],
  ])("whoami says that a key %s", async (_, key, said) => {
    expect(await complaint(1, whoami({ permissions: ["admin"], ...key }))).toContain(said);
  });

  const key = { ERPHOST_API_KEY: "erp_test_0123456789" };
  const given = { ...key, ERPHOST_BASE_URL: "http://127.0.0.1/v1" };
  test.each([
    ["ERPHOST_API_KEY", {}],
    ["not a valid API key", { ...given, ERPHOST_API_KEY: "nokey" }],
    ["/v1", { ...key, ERPHOST_BASE_URL: "http://127.0.0.1" }],
    ["live", { ...given, ERPHOST_ENVIRONMENT: "live" }],
    ["profile", { ...given, ERPHOST_PROFILE: "{}}" }],
  ])("whoami makes no call with an invalid configuration (%s)", async (sentence, env) => {
    const refused = { code: 2, out: [], err: [expect.stringContaining(sentence)] };
    expect(await erphost(["whoami"], { env })).toEqual(refused);
  });

  test("whoami says that nothing answers at an address", async () => {
    const gone = await startEmulator();
    await gone.close();
    const said = `error: GET /auth/test → network_error: nothing listens at ${gone.baseUrl} (ECONNREFUSED) (after 3 attempts). Check host and port in --base-url (ERPHOST_BASE_URL), and that the service is running.`;
    const refused = await whoamiOf(gone.adminKey, { ERPHOST_BASE_URL: gone.baseUrl });
    expect(refused).toEqual({ code: 1, out: [], err: [said] });
  });

  test("whoami says that a host cannot be found, and what answers at an address that is not the service's", async () => {
    const saidAt = (ERPHOST_BASE_URL: string) =>
      complaint(1, whoamiOf(emulator.adminKey, { ERPHOST_BASE_URL }));
    const lost =
      /the host of https:\/\/erp\.invalid\/v1 cannot be found \(E\w+\).*Check --base-url/;
    expect(await saidAt("https://erp.invalid/v1")).toMatch(lost);
    const other = /not_offered: \S+\/elsewhere\/v1\/auth\/test answered 404.*Check --base-url/;
    expect(await saidAt(`${emulator.url}/elsewhere/v1`)).toMatch(other);
  });
});
