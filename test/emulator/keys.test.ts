import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { control, send, idsOf, keyWith, eachWithEmulator, newEmulator, TIMESTAMP } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const DAY_MS = 86_400_000;
const created_at = expect.stringMatching(TIMESTAMP);
const VALUE = /^erp_test_[0-9a-z]+_[0-9a-f]{54}$/;
const status = async (...request: Parameters<typeof send>) => (await send(...request)).status;
const keyIds = async () => idsOf(await send(emulator, "GET /api-keys"));

describe("a key", () => {
  test("a key shows its secret at creation and never again", async () => {
    const fields = {
      ...{ name: "pipeline", permissions: ["servers:read"], ip_whitelist: ["127.0.0.1"] },
      ...{ expires_at: "2099-01-01T00:00:00Z", grace_period: "7d", rotation_period: "90d" },
      ...{ notification_email: "ops@example.com", auto_rotate: false, rotation_enabled: false },
    };
    const created = await send(emulator, "POST /api-keys", { body: fields });
    expect(created.status).toBe(201);
    const { value, ...shown } = created.body.data;
    expect(shown).toEqual({ id: "key_2", ...fields, lineage_id: "key_2", created_at });
    expect(value).toMatch(VALUE);
    expect((await send(emulator, "GET /api-keys", {})).body.data[0]).toEqual(shown);
    const patched = await send(emulator, "PATCH /api-keys/key_2", { body: { name: "new" } });
    expect(patched.body.data).toEqual({ ...shown, name: "new" });
    expect(await status(emulator, "GET /servers", { key: value })).toBe(200);
  });

  test.each([
    ["DELETE", undefined],
    ["PATCH", { permissions: ["servers:read", "instances:*"] }],
    ["PATCH", { ip_whitelist: ["203.0.113.0/24"] }],
  ])("a key cannot lock itself out by %s %j, and another one can do it", async (method, body) => {
    const key = keyWith(emulator, ["api-keys:*"]);
    const reply = await send(emulator, `${method} /api-keys/key_2`, { key, body });
    expect([reply.status, reply.body.error.code]).toEqual([409, "conflict"]);
    expect(reply.body.error.message).toContain("would lock itself out");
    expect(await status(emulator, "GET /api-keys", { key })).toBe(200);
    const harmless = { name: "n", ip_whitelist: ["127.0.0.0/8"], permissions: ["admin"] };
    expect(await status(emulator, "PATCH /api-keys/key_2", { key, body: harmless })).toBe(200);
    expect(await status(emulator, `${method} /api-keys/key_2`, { body })).toBe(200);
  });

  test("a change of permissions takes effect at once", async () => {
    const key = keyWith(emulator, ["servers:read"]);
    await send(emulator, "PATCH /api-keys/key_2", { body: { permissions: ["teams:read"] } });
    expect(await status(emulator, "GET /servers", { key })).toBe(403);
    expect(await status(emulator, "GET /teams", { key })).toBe(200);
  });

  test("a live key has a live prefix, and so have the keys that it creates", async () => {
    const { value } = emulator.createKey({ permissions: ["admin"], environment: "live" });
    expect(value).toMatch(/^erp_live_/);
    const body = { name: "k", permissions: ["read"] };
    const created = await send(emulator, "POST /api-keys", { key: value, body });
    expect(created.body.data.value).toMatch(/^erp_live_/);
  });

  test.each(["live", "test"])("a given %s key makes keys of its form", async (environment) => {
    const adminKey = `acme_${environment}_0123456789abcdef`;
    emulator = await newEmulator({ adminKey });
    expect(emulator.adminKey).toBe(adminKey);
    const body = { name: "k", permissions: ["read"] };
    const createdBy = async (key: string) =>
      (await send(emulator, "POST /api-keys", { key, body })).body.data.value;
    const created = await createdBy(adminKey);
    const rotated = (await send(emulator, "POST /api-keys/key_1/rotate")).body.data.new_key.value;
    const later = emulator.createKey({ permissions: ["admin"] }).value;
    for (const value of [created, rotated, later]) {
      expect(value).toMatch(new RegExp(`^acme_${environment}_[0-9a-z]+_[0-9a-f]{54}$`));
    }
    expect(await status(emulator, "GET /auth/test", { key: later })).toBe(200);
    for (const key of [rotated, emulator.createKey({ value: `${adminKey}-2` }).value]) {
      expect(await createdBy(key)).toContain(`_${environment}_`);
    }
  });

  test("a value of one environment cannot be given as a key of the other", async () => {
    const value = "acme_live_0123456789abcdef";
    const reply = await control(emulator, "POST /keys", { value, environment: "test" });
    const message = "environment is test, and the value is a live key";
    expect([reply.status, reply.body.error?.message]).toEqual([422, message]);
    const seed = { keys: [{ value, environment: "test" as const }] };
    await expect(newEmulator({ seed })).rejects.toThrow("keys[0].environment is test, and");
    expect(emulator.createKey({ value, environment: "live" }).value).toBe(value);
  });

  test.each([
    ...["secretsecretsecret", "acme_prod_0123456789abcdef", "acme_live_"],
    ...["a_test_b", "acme_test_0123 456789abcdef"],
  ])("%s is refused as a key, because it is not one, is short or has spaces", async (value) => {
    await expect(newEmulator({ adminKey: value })).rejects.toThrow(/emulator: adminKey must/);
    emulator = await newEmulator();
    const reply = await control(emulator, "POST /keys", { value });
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body)).not.toContain(value);
  });

  test("a key cannot be made to have expired already, by creation or by change", async () => {
    const past = { field: "expires_at", reason: "is past" };
    emulator.advance("1d");
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: "k", permissions: ["read"], expires_at };
    expect((await send(emulator, "POST /api-keys", { body })).body.error.details).toEqual(past);
    const later = { ...body, expires_at: "2099-01-01T00:00:00Z" };
    await send(emulator, "POST /api-keys", { body: later });
    const change = (fields: object) => send(emulator, "PATCH /api-keys/key_2", { body: fields });
    expect((await change({ expires_at })).body.error.details).toEqual(past);
    emulator.advance("36500d");
    expect((await change({ name: "n", expires_at: later.expires_at })).status).toBe(200);
  });
});

describe("rotation", () => {
  test("a rotation answers with the expiry of the old key and the secret of the new one", async () => {
    const before = Date.parse(emulator.clock().now);
    const reply = await send(emulator, "POST /api-keys/key_1/rotate");
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({
      old_key: { id: "key_1", expires_at: created_at },
      new_key: { id: "key_2", value: expect.stringMatching(VALUE), created_at },
    });
    const { old_key, new_key } = reply.body.data;
    expect(Date.parse(old_key.expires_at) - Date.parse(new_key.created_at)).toBe(DAY_MS);
    expect(Date.parse(new_key.created_at)).toBeGreaterThanOrEqual(before);
    for (const key of [emulator.adminKey, new_key.value]) {
      expect(await status(emulator, "GET /auth/test", { key })).toBe(200);
    }
  });

  test("a rotated key has the fields and the lineage of the old one", async () => {
    const fields = { name: "k", permissions: ["servers:*", "api-keys:write"], grace_period: "7d" };
    emulator.createKey({ ...fields, note: "kept" });
    await send(emulator, "POST /api-keys/key_2/rotate");
    await send(emulator, "POST /api-keys/key_3/rotate");
    const [newest, second, first] = (await send(emulator, "GET /api-keys")).body.data;
    const kept = { ...fields, note: "kept", lineage_id: "key_2", created_at };
    expect(newest).toEqual({ id: "key_4", ...kept });
    expect(second).toEqual({ id: "key_3", ...kept, expires_at: created_at });
    expect(first).toEqual({ id: "key_2", ...kept, expires_at: created_at });
    expect(Date.parse(first?.expires_at ?? "") - Date.parse(second.created_at)).toBe(7 * DAY_MS);
  });

  test("after its grace period an old key is not listed and gets token_expired", async () => {
    const { value } = emulator.createKey({ permissions: ["admin"], grace_period: "7d" });
    const created = (await send(emulator, "POST /api-keys/key_2/rotate")).body.data;
    emulator.advance(7 * DAY_MS - 5_000);
    expect(await status(emulator, "GET /servers", { key: value })).toBe(200);
    expect(await keyIds()).toContain("key_2");
    emulator.advance("5s");
    const reply = await send(emulator, "GET /servers", { key: value });
    const { expires_at: expired_at } = created.old_key;
    expect(reply.body.error).toMatchObject({ status: 401, code: "token_expired", expired_at });
    expect(await keyIds()).toEqual(["key_3", "key_1"]);
    expect(await status(emulator, "PATCH /api-keys/key_2", { body: { name: "x" } })).toBe(404);
  });

  test("rotating a key that was already rotated or has expired is a 409", async () => {
    emulator.createKey({ expires_at: "2099-01-01T00:00:00Z" });
    await send(emulator, "POST /api-keys/key_2/rotate");
    const again = await send(emulator, "POST /api-keys/key_2/rotate");
    const message = "API key key_2 was already rotated; rotate the current key of its lineage";
    expect([again.status, again.body.error]).toEqual([409, { code: "conflict", message }]);
    emulator.advance("2d");
    expect(await status(emulator, "POST /api-keys/key_2/rotate")).toBe(409);
    emulator.advance("36500d");
    const ended = await send(emulator, "POST /api-keys/key_3/rotate");
    const expired = expect.stringContaining("has expired");
    expect([ended.status, ended.body.error.message]).toEqual([409, expired]);
  });

  test("a revoked key cannot be rotated", async () => {
    emulator.createKey();
    await send(emulator, "DELETE /api-keys/key_2");
    expect(await status(emulator, "POST /api-keys/key_2/rotate")).toBe(404);
  });

  test("a rotation never extends the life of the old key", async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    emulator.createKey({ expires_at });
    const reply = await send(emulator, "POST /api-keys/key_2/rotate");
    expect(reply.body.data.old_key.expires_at).toBe(expires_at);
  });

  test("the service rotates a key every period, also during a jump of 90 days", async () => {
    const periods = { rotation_period: "30d", grace_period: "7d" };
    const first = keyWith(emulator, ["admin"], { rotation_enabled: true, ...periods });
    const start = Date.parse(emulator.objects("api_key")[1]?.["created_at"] as string);
    emulator.advance("29d");
    expect(await keyIds()).toEqual(["key_2", "key_1"]);
    emulator.advance("2d");
    expect(await keyIds()).toEqual(["key_3", "key_2", "key_1"]);
    expect(await status(emulator, "GET /servers", { key: first })).toBe(200);
    emulator.advance("60d");
    const { data } = (await send(emulator, "GET /api-keys")).body;
    expect(data.map(({ id }) => id)).toEqual(["key_5", "key_4", "key_1"]);
    expect(Date.parse(data[0].created_at)).toBe(start + 90 * DAY_MS);
    expect(data[0].lineage_id).toBe("key_2");
    expect(Date.parse(data[1].expires_at)).toBe(start + 97 * DAY_MS);
    expect(await status(emulator, "GET /servers", { key: first })).toBe(401);
  });

  test.each(["rotation_enabled", "auto_rotate"])("%s has a key rotated", async (flag) => {
    const off = { rotation_enabled: false, auto_rotate: false };
    const fields = { permissions: ["admin"], rotation_period: "30d" };
    emulator.createKey({ ...fields, ...off, [flag]: true });
    emulator.createKey({ ...fields, ...off });
    emulator.advance("30d1h");
    expect(await keyIds()).toEqual(["key_4", "key_3", "key_2", "key_1"]);
    const rotated = emulator.objects("api_key").find(({ id }) => id === "key_4");
    expect(rotated).toMatchObject({ lineage_id: "key_2", [flag]: true });
  });

  test("the service stops rotating a key when rotation is disabled", async () => {
    emulator.createKey({ rotation_enabled: true, rotation_period: "30d" });
    await send(emulator, "PATCH /api-keys/key_2", { body: { rotation_enabled: false } });
    emulator.advance("90d");
    expect(await keyIds()).toEqual(["key_2", "key_1"]);
  });
});

describe("the mail about a rotation", () => {
  const fields = {
    ...{ permissions: ["admin"], auto_rotate: true, notification_email: "ops@example.com" },
    ...{ rotation_period: "30d", grace_period: "7d" },
  };

  test("a rotation by the service is mailed with the new secret, which works", async () => {
    emulator.createKey(fields);
    const start = Date.parse(String(emulator.objects("api_key")[1]?.["created_at"]));
    emulator.advance("61d");
    const { mails } = (await control(emulator, "GET /mails")).body;
    const at = (days: number) => new Date(start + days * DAY_MS).toISOString();
    const mail = (day: number, old: string, id: string) => ({
      ...{ at: at(day), to: "ops@example.com", subject: `API key ${old} was rotated` },
      old_key: { id: old, expires_at: at(day + 7) },
      new_key: { id, value: expect.stringMatching(VALUE) },
    });
    expect(mails).toEqual([mail(30, "key_2", "key_3"), mail(60, "key_3", "key_4")]);
    const key = mails[1]?.new_key.value ?? "";
    expect((await send(emulator, "GET /auth/test", { key })).body.data.key_id).toBe("key_4");
    expect(JSON.stringify([emulator.journal(), emulator.snapshot()])).not.toContain(key);
    emulator.reset();
    expect(emulator.mails()).toEqual([]);
  });

  test("a rotation by request, or of a key without an address, is not mailed", async () => {
    emulator.createKey({ ...fields, notification_email: undefined });
    emulator.createKey(fields);
    await send(emulator, "POST /api-keys/key_3/rotate");
    emulator.advance("29d");
    expect(emulator.mails()).toEqual([]);
    emulator.advance("2d");
    expect(emulator.mails().map(({ old_key }) => old_key.id)).toEqual(["key_4"]);
  });
});
