import { afterEach, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator, type EmulatorOptions, type Twin } from "../../emulator";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  ends.push(() => emulator.close());
  return emulator;
}

const CREATED = "2024-05-06T07:08:09Z";
const copy: Twin = {
  version: 1,
  of: { baseUrl: "https://erp.example.com/v1", environment: "live", accountId: "acct_1" },
  readAt: "2026-11-22T12:00:00Z",
  limits: [{ requests: 50, windowMs: 60_000 }],
  objects: {
    server: [{ id: "srv_9", name: "erp", status: "stopped", created_at: CREATED, cores: 4 }],
    instance: [{ id: "ins_1", name: "lost", server_id: "srv_gone", created_at: CREATED }],
    api_key: [{ id: "key_1", name: "ci", permissions: ["read"], created_at: CREATED }],
  },
};

const call = (emulator: Emulator, key: string, path: string, init: RequestInit = {}) =>
  fetch(`${emulator.baseUrl}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });

describe("an emulator that is a twin", () => {
  test("a twin holds objects as they were shown, be they odd or not", async () => {
    const emulator = await started({ twin: copy });
    expect(emulator.objects("server")).toEqual(copy.objects["server"]);
    expect(emulator.objects("instance")).toMatchObject(copy.objects["instance"] ?? []);
  });

  test("a twin gives new objects ids that its account would not give, and its keys are of the account's environment", async () => {
    const emulator = await started({ twin: copy });
    expect(emulator.adminKey).toMatch(/^erp_live_/);
    const body = JSON.stringify({ name: "new" });
    const made = await call(emulator, emulator.adminKey, "/servers", { method: "POST", body });
    expect(await made.json()).toMatchObject({ data: { id: "srv_twin_1" } });
  });

  test("each key of a twin has a value that only its start shows", async () => {
    const emulator = await started({ twin: copy });
    const [key] = emulator.opened.twinKeys;
    expect(key).toMatchObject({
      id: "key_1",
      name: "ci",
      value: expect.stringMatching(/^erp_live_/),
    });
    const answer = await call(emulator, key?.value ?? "", "/auth/test");
    expect(await answer.json()).toMatchObject({ data: { key_id: "key_1", account_id: "acct_1" } });
    expect(JSON.stringify(emulator.snapshot())).not.toContain(key?.value);
  });

  test("a twin has the limits that it was read with, unless others are given", async () => {
    const emulator = await started({ twin: copy });
    const answer = await call(emulator, emulator.adminKey, "/servers");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("50");
    const other = await started({ twin: copy, limits: [{ requests: 7, windowMs: 60_000 }] });
    const fewer = await call(other, other.adminKey, "/servers");
    expect(fewer.headers.get("x-ratelimit-limit")).toBe("7");
  });

  test("a reset goes back to the copy, with the same values of keys", async () => {
    const emulator = await started({ twin: copy });
    emulator.removeObject("server", "srv_9");
    emulator.reset();
    expect(emulator.objects("server")).toEqual(copy.objects["server"]);
    const [key] = emulator.opened.twinKeys;
    const answer = await call(emulator, key?.value ?? "", "/servers");
    expect([answer.status, answer.headers.get("x-erphost-twin-of")]).toEqual([
      200,
      "live https://erp.example.com/v1",
    ]);
  });

  test("a twin that is reset without its copy is nobody's any more", async () => {
    const folder = mkdtempSync(join(tmpdir(), "erphost-twin-"));
    ends.push(() => rmSync(folder, { recursive: true }));
    const dataFile = join(folder, "twin.db");
    await (await startEmulator({ twin: copy, dataFile })).close();
    const emulator = await started({ dataFile });
    expect(emulator.twinOf).toMatchObject(copy.of);
    emulator.reset();
    const answer = await call(emulator, emulator.adminKey, "/servers");
    expect([answer.status, answer.headers.get("x-erphost-twin-of")]).toEqual([200, null]);
  });

  test("a copy with an object that has no id is refused, and leaves nothing behind", async () => {
    const objects = { server: [{ id: "srv_1", name: "a" }, { name: "b" }] };
    await expect(startEmulator({ twin: { ...copy, objects } })).rejects.toThrow(/server\[1\]/);
  });

  test("a plain emulator says nothing of an account", async () => {
    const emulator = await started();
    const answer = await call(emulator, emulator.adminKey, "/auth/test");
    expect(answer.headers.get("x-erphost-twin-of")).toBeNull();
    expect(JSON.stringify(await answer.json())).not.toContain("account_id");
    expect(emulator.health()).not.toHaveProperty("twin_of");
  });
});
