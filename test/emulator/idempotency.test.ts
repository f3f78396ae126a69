import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { randomBytes } from "node:crypto";
import { send, idsOf, keyWith, eachWithEmulator, newEmulator, manualTime } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const headers = { "Idempotency-Key": "k-1" };
const create = { body: { name: "a" }, headers };

describe("the same key and body", () => {
  test("the same key and body create one object and get the same answer, as the journal shows", async () => {
    const first = await send(emulator, "POST /servers", create);
    const second = await send(emulator, "POST /servers", create);
    expect([second.status, second.body.data]).toEqual([201, first.body.data]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
    const otherKey = { "Idempotency-Key": "k" };
    await send(emulator, "POST /servers", { body: { name: "b" }, headers: otherKey });
    const [made, again, other] = emulator.journal();
    expect(made).toMatchObject({ idempotency_key: "k-1", replayed: false, faults: [] });
    expect(again).toMatchObject({ replayed: true, body_fingerprint: made?.body_fingerprint });
    expect(other?.body_fingerprint).not.toBe(made?.body_fingerprint);
    expect(idsOf(await send(emulator, "GET /servers"))).toEqual(["srv_2", "srv_1"]);
  });

  test("members in another order are the same body", async () => {
    await send(emulator, "POST /servers", { body: '{"name":"a","x":1}', headers });
    const same = { body: '{ "x": 1, "name": "a" }', headers };
    expect((await send(emulator, "POST /servers", same)).status).toBe(201);
  });

  test("a replay answers with the object as it was, even after its deletion", async () => {
    await send(emulator, "POST /servers", create);
    await send(emulator, "DELETE /servers/srv_1");
    expect((await send(emulator, "POST /servers", create)).body.data.id).toBe("srv_1");
    expect(idsOf(await send(emulator, "GET /servers"))).toEqual([]);
  });

  test("a replay returns a lost secret to the API key that first received it", async () => {
    const body = { name: "k", permissions: ["read"] };
    const created = await send(emulator, "POST /api-keys", { body, headers });
    const again = await send(emulator, "POST /api-keys", { body, headers });
    expect(again.body.data.value).toBe(created.body.data.value);
    const rotated = await send(emulator, "POST /api-keys/key_2/rotate", { headers });
    const rotatedAgain = await send(emulator, "POST /api-keys/key_2/rotate", { headers });
    expect([rotatedAgain.status, rotatedAgain.body.data]).toEqual([200, rotated.body.data]);
    expect(idsOf(await send(emulator, "GET /api-keys"))).toHaveLength(3);
  });

  test("simultaneous requests with one key create one object", async () => {
    emulator.setFaults([{ effect: { type: "delay", ms: 300 } }]);
    const calls = Array.from({ length: 10 }, () => send(emulator, "POST /servers", create));
    const replies = await Promise.all(calls);
    const early = replies.filter(({ status }) => status === 409);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(early).toHaveLength(9);
    expect(early[0]?.body.error).toMatchObject({ code: "idempotency_in_flight", retry_after: 1 });
    expect(early[0]?.headers.get("retry-after")).toBe("1");
    emulator.setFaults([]);
    expect((await send(emulator, "POST /servers", create)).body.data.id).toBe("srv_1");
    expect(idsOf(await send(emulator, "GET /servers"))).toEqual(["srv_1"]);
  });
});

describe("the same key", () => {
  test("the same key with another body is a 422 idempotency_conflict", async () => {
    await send(emulator, "POST /servers", create);
    const reply = await send(emulator, "POST /servers", { body: { name: "b" }, headers });
    const message = "this idempotency key was used with another body; use a new key";
    const error = { code: "idempotency_conflict", message };
    expect([reply.status, reply.body.error]).toEqual([422, error]);
  });

  test("the same key on another path is another request", async () => {
    await send(emulator, "POST /servers", create);
    expect((await send(emulator, "POST /teams", create)).status).toBe(201);
  });

  test("the same key from another API key of the account is a 409 idempotency_foreign", async () => {
    const other = keyWith(emulator, ["admin"]);
    await send(emulator, "POST /servers", create);
    for (const name of ["a", "b"]) {
      const reply = await send(emulator, "POST /servers", { body: { name }, headers, key: other });
      expect([reply.status, reply.body.error.code]).toEqual([409, "idempotency_foreign"]);
      expect(reply.body).not.toHaveProperty("data");
    }
  });

  test.each([
    ["24 hours", 24, undefined],
    ["the window of a profile", 1, { idempotency: { windowHours: 1 } }],
  ])("a key is forgotten after %s by the emulator's clock", async (_, hours, profile) => {
    emulator = await newEmulator({ realTime: manualTime().realTime, profile });
    await send(emulator, "POST /servers", create);
    for (const [ms, id] of [[hours * 3_600_000 - 1, "srv_1"] as const, [1, "srv_2"] as const]) {
      emulator.advance(ms);
      expect((await send(emulator, "POST /servers", create)).body.data.id).toBe(id);
    }
  });
});

test("an effect whose replay cannot be stored does not happen", async () => {
  let broken = false;
  emulator = await newEmulator({
    randomBytes: (size) => {
      // Only the nonce of a sealed replay has this size while servers are created.
      if (broken && size === 12) throw new Error("out of chance");
      return randomBytes(size);
    },
  });
  broken = true;
  expect((await send(emulator, "POST /servers", create)).status).toBe(500);
  broken = false;
  expect(emulator.counts()["server"]).toBe(0);
  const { status, headers } = await send(emulator, "POST /servers", create);
  expect([status, headers.get("idempotent-replayed")]).toEqual([201, null]);
});

describe("requests that are not replayed", () => {
  test("after a refusal the same key may be used with a corrected body", async () => {
    const { realTime, pass } = manualTime();
    emulator = await newEmulator({ realTime, limits: [{ requests: 4, windowMs: 1_000 }] });
    const weak = keyWith(emulator, ["servers:read"]);
    expect((await send(emulator, "POST /servers", { ...create, key: null })).status).toBe(401);
    expect((await send(emulator, "POST /servers", { ...create, key: weak })).status).toBe(403);
    expect((await send(emulator, "POST /servers", { body: {}, headers })).status).toBe(422);
    for (let count = 0; count < 3; count += 1) await send(emulator, "GET /servers");
    expect((await send(emulator, "POST /servers", create)).status).toBe(429);
    pass(1_000);
    const reply = await send(emulator, "POST /servers", create);
    expect([reply.status, reply.body.data.id]).toEqual([201, "srv_1"]);
  });

  test("a PATCH ignores the idempotency key", async () => {
    emulator.createObjects("server", { name: "a" });
    await send(emulator, "PATCH /servers/srv_1", create);
    const reply = await send(emulator, "PATCH /servers/srv_1", { body: { name: "b" }, headers });
    expect([reply.status, emulator.journal().at(-1)?.idempotency_key]).toEqual([200, null]);
  });

  test.each(["", "x".repeat(256)])("a key of an invalid length is refused (%.10s)", async (key) => {
    const invalid = { ...create, headers: { "Idempotency-Key": key } };
    const reply = await send(emulator, "POST /servers", invalid);
    expect([reply.status, reply.body.error.details.field]).toEqual([422, "Idempotency-Key"]);
  });
});
