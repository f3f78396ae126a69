import { expect, test } from "@jest/globals";
import { join } from "node:path";
import type { Twin } from "../../emulator";
import { readTwinCopy } from "../../emulator/twin/plant";
import { folder } from "../support/folder";
import { newEmulator, send } from "./support";

const CREATED = "2024-05-06T07:08:09Z";
const copy: Twin = {
  version: 1,
  of: { baseUrl: "https://erp.example.com/v1", environment: "live", accountId: "acct_1" },
  readAt: "2026-11-22T12:00:00Z",
  limits: [{ requests: 50, windowMs: 60_000 }],
  objects: {
    server: [{ id: "srv_9", name: "erp", status: "stopped", created_at: CREATED, cores: 4 }],
    instance: [
      { id: "ins_1", name: "lost", server_id: "srv_gone", status: null, created_at: CREATED },
    ],
    api_key: [{ id: "key_1", name: "ci", permissions: ["read"], created_at: CREATED }],
  },
};

test("a twin holds objects as they were shown, be they odd or not", async () => {
  const emulator = await newEmulator({ twin: copy });
  expect(emulator.objects("server")).toEqual(copy.objects["server"]);
  expect(emulator.objects("instance")).toMatchObject(copy.objects["instance"] ?? []);
});

test("a twin gives new objects ids that its account would not give, and its keys are of the account's environment", async () => {
  const emulator = await newEmulator({ twin: copy });
  expect(emulator.adminKey).toMatch(/^erp_live_/);
  const made = await send(emulator, "POST /servers", { body: { name: "new" } });
  expect(made.body.data.id).toBe("srv_twin_1");
});

test("each key of a twin has a value that only its start shows", async () => {
  const emulator = await newEmulator({ twin: copy });
  const [key] = emulator.opened.twinKeys;
  const value = expect.stringMatching(/^erp_live_/);
  expect(key).toMatchObject({ id: "key_1", name: "ci", value });
  const { data } = (await send(emulator, "GET /auth/test", { key: key?.value ?? "" })).body;
  expect(data).toMatchObject({ key_id: "key_1", account_id: "acct_1" });
  expect(JSON.stringify(emulator.snapshot())).not.toContain(key?.value);
});

test("a twin has the limits that it was read with, unless others are given", async () => {
  const given = { limits: [{ requests: 7, windowMs: 60_000 }] };
  for (const [options, limit] of [[{}, "50"] as const, [given, "7"] as const]) {
    const { headers } = await send(await newEmulator({ twin: copy, ...options }), "GET /servers");
    expect(headers.get("x-ratelimit-limit")).toBe(limit);
  }
});

test("a reset goes back to the copy, with the same values of keys", async () => {
  const emulator = await newEmulator({ twin: copy });
  emulator.removeObject("server", "srv_9");
  emulator.reset();
  expect(emulator.objects("server")).toEqual(copy.objects["server"]);
  const [key] = emulator.opened.twinKeys;
  const { status, headers } = await send(emulator, "GET /servers", { key: key?.value ?? "" });
  const of = "live https://erp.example.com/v1";
  expect([status, headers.get("x-erphost-twin-of")]).toEqual([200, of]);
});

test("a twin that is reset without its copy is nobody's any more", async () => {
  const dataFile = join(folder(), "twin.db");
  await (await newEmulator({ twin: copy, dataFile })).close();
  const emulator = await newEmulator({ dataFile });
  expect(emulator.twinOf).toEqual(copy.of);
  expect((await send(emulator, "GET /servers")).headers.get("x-ratelimit-limit")).toBe("50");
  emulator.reset();
  const answer = await send(emulator, "GET /servers");
  expect([answer.status, answer.headers.get("x-erphost-twin-of")]).toEqual([200, null]);
});

test.each([
  ["provisioning", "running"],
  ["installing", "running"],
  ["setup_failed", "setup_failed"],
])("an object of a twin that was %s is %s after a while", async (status, later) => {
  // The service may have times of its own.
  const server = [{ id: "srv_1", name: "a", status, created_at: "n/a" }];
  const twin = { ...copy, objects: { server } };
  const emulator = await newEmulator({ twin, provisionMs: 60_000 });
  expect(emulator.objects("server")).toEqual(server);
  emulator.advance("1m");
  expect(emulator.objects("server")).toMatchObject([{ status: later }]);
  const at = await newEmulator({ twin, provisionMs: 0 });
  expect(at.objects("server")).toMatchObject([{ status: later }]);
});

test("a key of a twin with odd times is neither rotated nor ended by them", async () => {
  const odd = { rotation_period: "monthly", grace_period: "", expires_at: "never" };
  const key = { id: "key_1", rotation_enabled: true, created_at: "n/a", ...odd };
  const emulator = await newEmulator({ twin: { ...copy, objects: { api_key: [key] } } });
  emulator.advance("90d");
  const { old_key, new_key } = (await send(emulator, "POST /api-keys/key_1/rotate")).body.data;
  expect(Date.parse(old_key.expires_at) - Date.parse(new_key.created_at)).toBe(86_400_000);
});

test("the address of a copy is one that a header holds, and a setting says alike", async () => {
  const of = { ...copy.of, baseUrl: "https://例え.jp/v1/" };
  const emulator = await newEmulator({ twin: readTwinCopy({ ...copy, of }) });
  const { headers } = await send(emulator, "GET /servers");
  expect(headers.get("x-erphost-twin-of")).toBe("live https://xn--r8jz45g.jp/v1");
});

test("a copy with an object that has no id is refused, and leaves nothing behind", async () => {
  const objects = { server: [{ id: "srv_1", name: "a" }, { name: "b" }] };
  await expect(newEmulator({ twin: { ...copy, objects } })).rejects.toThrow(/server\[1\]/);
});

test("a plain emulator says nothing of an account", async () => {
  const emulator = await newEmulator();
  const { headers, text } = await send(emulator, "GET /auth/test");
  expect(headers.get("x-erphost-twin-of")).toBeNull();
  expect(text).not.toContain("account_id");
  expect(emulator.health()).not.toHaveProperty("twin_of");
});
