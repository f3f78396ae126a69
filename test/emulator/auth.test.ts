import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { eachWithEmulator, keyWith, newEmulator, send, sendFrom, TIMESTAMP } from "./support";

const INVALID = { code: "invalid_token", message: "the API key is not valid", status: 401 };
const NO_KEY = { message: "the request has no API key", status: 401 };
const KEYLESS = { code: "authentication_required", ...NO_KEY };
const meta = { timestamp: expect.stringMatching(TIMESTAMP), request_id: expect.any(String) };
type KeyOf = (emulator: Emulator) => string | null | Promise<string>;

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));

/** The refusals in form B: who asks, for what, and the whole error. */
test.each<[title: string, keyOf: KeyOf, error: object]>([
  ["without a key is a 401 authentication_required", () => null, KEYLESS],
  ["with an unknown key is a 401 invalid_token", () => "erp_test_nobody_0123456789", INVALID],
  [
    "with a key of one wrong character is a 401 invalid_token",
    ({ adminKey }) => adminKey.slice(0, -1) + (adminKey.endsWith("0") ? "1" : "0"),
    INVALID,
  ],
  [
    "with a deleted key is a 401 invalid_token",
    async (emulator) => {
      const { id, value } = emulator.createKey({ permissions: ["admin"] });
      await send(emulator, `DELETE /api-keys/${id}`);
      return value;
    },
    INVALID,
  ],
  [
    "with an expired key is a 401 token_expired with the time of expiry",
    (emulator) => {
      const key = keyWith(emulator, ["admin"], { expires_at: "2031-01-01T00:00:00Z" });
      emulator.advance("3650d");
      return key;
    },
    {
      ...{ code: "token_expired", message: "the API key has expired", status: 401 },
      expired_at: "2031-01-01T00:00:00.000Z",
    },
  ],
  [
    "beyond the key's scopes is a 403 that names the required one and those of the key",
    (emulator) => keyWith(emulator, ["servers:write", "teams:*"]),
    {
      ...{ code: "insufficient_permissions", message: "this requires the scope servers:read" },
      ...{ status: 403, required: ["servers:read"], provided: ["servers:write", "teams:*"] },
    },
  ],
  [
    "from an address that is not listed is a 403 ip_not_allowed with the address and the list",
    (emulator) =>
      keyWith(emulator, ["admin"], { ip_whitelist: ["203.0.113.0/24", "2001:db8::/32"] }),
    {
      ...{ code: "ip_not_allowed", message: "requests from this address are not allowed" },
      ...{ status: 403, your_ip: "127.0.0.1", allowed_ips: ["203.0.113.0/24", "2001:db8::/32"] },
    },
  ],
])("a request %s, in form B", async (_, keyOf, error) => {
  const reply = await send(emulator, "GET /servers", { key: await keyOf(emulator) });
  expect(reply.body).toEqual({ error, meta });
  expect(reply.body.error["status"]).toBe(reply.status);
  const how =
    error === INVALID || "expired_at" in error ? 'Bearer error="invalid_token"' : "Bearer";
  expect(reply.headers.get("www-authenticate")).toBe(reply.status === 401 ? how : null);
});

test("a 401 says how to sign in, whether it is generic, a fault's or the control's", async () => {
  const generic = await newEmulator({ genericAuthErrors: true, host: "0.0.0.0" });
  const replies = [await send(generic, "GET /servers", { key: null })];
  generic.setFaults([{ effect: { type: "status", status: 401 } }]);
  replies.push(await send(generic, "GET /servers"));
  for (const { status, headers } of [...replies, await fetch(`${generic.url}/_emulator/clock`)]) {
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
  }
});

test.each(["Basic YTpi", "Bearer", "Bearer a b"])("%j is not a bearer token", async (header) => {
  const headers = { authorization: header };
  const reply = await send(emulator, "GET /servers", { key: null, headers });
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
  expect(reply.body.error).toMatchObject({ status: 401, code: "authentication_required" });
});

test("a request without a key learns nothing about what exists", async () => {
  expect((await send(emulator, "GET /planets", { key: null })).status).toBe(401);
  expect((await send(emulator, "PUT /servers", { key: null, body: "{" })).status).toBe(401);
});

describe("scopes", () => {
  const table: [scope: string, allowed: string[]][] = [
    ["servers:read", ["GET /servers"]],
    ["servers:write", ["POST /servers", "PATCH /servers/srv_1"]],
    ["servers:delete", ["DELETE /servers/srv_2"]],
    ["instances:read", ["GET /instances"]],
    ["instances:write", ["POST /instances", "PATCH /instances/ins_1"]],
    ["instances:delete", ["DELETE /instances/ins_2"]],
    ["backups:read", ["GET /backups"]],
    ["backups:write", ["POST /backups"]],
    ["teams:read", ["GET /teams"]],
    ["teams:write", ["POST /teams", "PATCH /teams/team_1"]],
    ["billing:read", ["GET /invoices"]],
    ["providers:read", ["GET /providers"]],
    ["api-keys:read", ["GET /api-keys"]],
    ["api-keys:write", ["POST /api-keys", "PATCH /api-keys/key_2", "POST /api-keys/key_3/rotate"]],
    ["api-keys:delete", ["DELETE /api-keys/key_4"]],
  ];
  const bodies: Record<string, unknown> = {
    "POST /servers": { name: "s" },
    "POST /instances": { name: "i", server_id: "srv_1" },
    "POST /backups": { server_id: "srv_1" },
    "POST /teams": { name: "t" },
    "POST /api-keys": { name: "k", permissions: ["servers:read"] },
  };
  const every = [...table.flatMap(([, calls]) => calls), "GET /auth/test"];

  test.each(table)("the scope %s allows only its own calls", async (scope, calls) => {
    emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    const instance = { name: "i", server_id: "srv_1" };
    emulator.createObjects("instance", [instance, instance]);
    emulator.createObjects("team", { name: "t" });
    for (let count = 0; count < 3; count += 1) emulator.createKey();
    const key = keyWith(emulator, [scope]);
    const allowed: string[] = [];
    for (const call of every) {
      const body = /^(?:GET|DELETE)/.test(call) ? undefined : (bodies[call] ?? {});
      const { status } = await send(emulator, call, { key, body });
      if (status !== 403) allowed.push(call);
      expect([200, 201, 403]).toContain(status);
    }
    // Every key may ask what it is.
    expect(allowed).toEqual([...calls, "GET /auth/test"]);
  });
});

describe("addresses", () => {
  test.each([
    [["127.0.0.7"], "127.0.0.7", 200],
    [["127.0.0.7"], "127.0.0.8", 403],
    [["127.0.0.0/29"], "127.0.0.7", 200],
    [["127.0.0.0/29"], "127.0.0.8", 403],
    [["::ffff:127.0.0.7"], "127.0.0.7", 200],
    [["::ffff:127.0.0.0/125"], "127.0.0.7", 200],
    [["::ffff:127.0.0.0/125"], "127.0.0.8", 403],
    [["::/0"], "127.0.0.8", 403],
    [["::/0", "127.0.0.8"], "127.0.0.8", 200],
    [["0.0.0.0/0"], "127.0.0.8", 200],
    [[], "127.0.0.8", 200],
  ])("with the list %j, a request from %s gets %i", async (ip_whitelist, from, status) => {
    const key = keyWith(emulator, ["admin"], { ip_whitelist });
    expect((await sendFrom(from, `${emulator.baseUrl}/servers`, key)).status).toBe(status);
  });

  test("an IPv4 client with an IPv6-mapped address is checked by its IPv4 address", async () => {
    const emulator = await newEmulator({ host: "::" });
    const url = `http://127.0.0.1:${emulator.port}/v1/servers`;
    const key = keyWith(emulator, ["admin"], { ip_whitelist: ["127.0.0.0/29"] });
    expect((await sendFrom("127.0.0.7", url, key)).status).toBe(200);
    const refused = await sendFrom("127.0.0.9", url, key);
    expect(refused.body.error).toMatchObject({ status: 403, your_ip: "127.0.0.9" });
    expect(refused.headers["x-auth-ip-check"]).toBe("failed");
  });

  test("an IPv6 client is checked by its IPv6 address", async () => {
    const emulator = await newEmulator({ host: "::1" });
    const asked = (...ip_whitelist: string[]) =>
      send(emulator, "GET /servers", { key: keyWith(emulator, ["admin"], { ip_whitelist }) });
    for (const address of ["::1", "::/0"]) expect((await asked(address)).status).toBe(200);
    expect((await asked("0.0.0.0/0")).body.error.your_ip).toBe("::1");
  });
});

test("X-Debug-Auth adds four headers to an answer and to a refusal, and nobody else gets them", async () => {
  const emulator = await newEmulator({ plan: "starter", keyClass: "limited" });
  const key = keyWith(emulator, ["servers:read", "teams:*"]);
  const debugOf = { "x-auth-key-id": "key_2", "x-auth-permissions": "servers:read,teams:*" };
  const answers = [["GET /servers", 200, "9/10"] as const, ["GET /invoices", 403, "8/10"] as const];
  for (const [call, status, left] of answers) {
    const reply = await send(emulator, call, { key, headers: { "X-Debug-Auth": "true" } });
    expect([reply.status, Object.fromEntries(reply.headers)]).toMatchObject([
      status,
      { ...debugOf, "x-auth-ip-check": "passed", "x-auth-rate-limit": left },
    ]);
  }
  expect((await send(emulator, "GET /servers")).headers.get("x-auth-key-id")).toBeNull();
  const free = await newEmulator();
  const { headers } = await send(free, "GET /servers", { headers: { "X-Debug-Auth": "true" } });
  expect(headers.get("x-auth-rate-limit")).toBe("unlimited");
});

test("generic auth errors are unauthorized and forbidden in form A, and other codes stay", async () => {
  const emulator = await newEmulator({ genericAuthErrors: true });
  const key = keyWith(emulator, ["servers:read"]);
  const none = await send(emulator, "GET /servers", { key: null });
  const unauthorized = { code: "unauthorized", message: "the request has no API key" };
  expect([none.status, none.body]).toEqual([401, { success: false, error: unauthorized, meta }]);
  const scope = await send(emulator, "GET /teams", { key });
  const forbidden = { code: "forbidden", message: "this requires the scope teams:read" };
  expect([scope.status, scope.body]).toEqual([403, { success: false, error: forbidden, meta }]);
  expect((await send(emulator, "GET /planets")).body.error.code).toBe("not_found");
});
