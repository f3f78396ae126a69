import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { ask, idsOf, keyWith, started, stoppedTime } from "./support";

const headers = { "Idempotency-Key": "k-1" };
const create = { body: { name: "a" }, headers };

describe("the same key and body", () => {
  test("make one object and the same answer", async () => {
    const emulator = await started();
    const first = await ask(emulator, "POST /servers", create);
    const second = await ask(emulator, "POST /servers", create);
    expect(second.status).toBe(201);
    expect(second.body.data).toEqual(first.body.data);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
    expect(idsOf(await ask(emulator, "GET /servers"))).toEqual(["srv_1"]);
  });

  test("in another order of members are the same body", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { raw: '{"name":"a","x":1}', headers });
    const again = await ask(emulator, "POST /servers", { raw: '{ "x": 1, "name": "a" }', headers });
    expect(again.status).toBe(201);
  });

  test("answer the object as it was, even when it is gone", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "DELETE /servers/srv_1");
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_1");
    expect(idsOf(await ask(emulator, "GET /servers"))).toEqual([]);
  });

  test("bring a lost secret back, to the key that was told it", async () => {
    const emulator = await started();
    const body = { name: "k", permissions: ["read"] };
    const made = await ask(emulator, "POST /api-keys", { body, headers });
    const again = await ask(emulator, "POST /api-keys", { body, headers });
    expect(again.body.data.value).toBe(made.body.data.value);
    const rotated = await ask(emulator, "POST /api-keys/key_2/rotate", { headers });
    const rotatedAgain = await ask(emulator, "POST /api-keys/key_2/rotate", { headers });
    expect(rotatedAgain.status).toBe(200);
    expect(rotatedAgain.body.data).toEqual(rotated.body.data);
    expect(idsOf(await ask(emulator, "GET /api-keys"))).toHaveLength(3);
  });

  test("at once, many times, make one object", async () => {
    const emulator = await started();
    emulator.setFaults([{ effect: { type: "delay", ms: 300 } }]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => ask(emulator, "POST /servers", create)),
    );
    const made = replies.filter(({ status }) => status === 201);
    const early = replies.filter(({ status }) => status === 409);
    expect(made).toHaveLength(1);
    expect(early).toHaveLength(9);
    expect(early[0]?.body.error).toMatchObject({ code: "idempotency_in_flight", retry_after: 1 });
    expect(early[0]?.headers.get("retry-after")).toBe("1");
    emulator.setFaults([]);
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_1");
    expect(idsOf(await ask(emulator, "GET /servers"))).toEqual(["srv_1"]);
  });
});

describe("the same key", () => {
  test("with another body: 422 idempotency_conflict", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    const reply = await ask(emulator, "POST /servers", { body: { name: "b" }, headers });
    expect(reply.status).toBe(422);
    expect(reply.body.error).toEqual({
      code: "idempotency_conflict",
      message: "this idempotency key was used with another body; use a new key",
    });
  });

  test("on another path is another request", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    expect((await ask(emulator, "POST /teams", create)).status).toBe(201);
  });

  test("of another API key of the account: 409 idempotency_foreign", async () => {
    const emulator = await started();
    const other = keyWith(emulator, ["admin"]);
    await ask(emulator, "POST /servers", create);
    const reply = await ask(emulator, "POST /servers", { ...create, key: other });
    expect(reply.status).toBe(409);
    expect(reply.body.error.code).toBe("idempotency_foreign");
    expect(reply.body).not.toHaveProperty("data");
    const body = { name: "b" };
    const odd = await ask(emulator, "POST /servers", { body, headers, key: other });
    expect(odd.body.error.code).toBe("idempotency_foreign");
  });

  test("is forgotten after 24 hours of the emulator's clock", async () => {
    const { realTime } = stoppedTime();
    const emulator = await started({ realTime });
    await ask(emulator, "POST /servers", create);
    emulator.advance(24 * 3_600_000 - 1);
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_1");
    emulator.advance(1);
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_2");
  });

  test("or after as long as a profile says", async () => {
    const emulator = await started({ profile: { idempotency: { windowHours: 1 } } });
    await ask(emulator, "POST /servers", create);
    emulator.advance("1h");
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_2");
  });
});

test("an effect whose replay can't be kept does not happen", async () => {
  let broken = false;
  const emulator = await started({
    randomBytes: (size) => {
      // Only the nonce of a sealed replay has this size while servers are created.
      if (broken && size === 12) throw new Error("out of chance");
      return randomBytes(size);
    },
  });
  broken = true;
  expect((await ask(emulator, "POST /servers", create)).status).toBe(500);
  broken = false;
  expect(emulator.counts()["server"]).toBe(0);
  const reply = await ask(emulator, "POST /servers", create);
  expect(reply.status).toBe(201);
  expect(reply.headers.get("idempotent-replayed")).toBeNull();
});

describe("what is not kept", () => {
  test("a refusal: the same key may be used for the body put right", async () => {
    const { realTime, pass } = stoppedTime();
    const emulator = await started({ realTime, limits: [{ requests: 4, windowMs: 1_000 }] });
    const weak = keyWith(emulator, ["servers:read"]);
    expect((await ask(emulator, "POST /servers", { ...create, key: null })).status).toBe(401);
    expect((await ask(emulator, "POST /servers", { ...create, key: weak })).status).toBe(403);
    expect((await ask(emulator, "POST /servers", { body: {}, headers })).status).toBe(422);
    for (let count = 0; count < 3; count += 1) await ask(emulator, "GET /servers");
    expect((await ask(emulator, "POST /servers", create)).status).toBe(429);
    pass(1_000);
    const reply = await ask(emulator, "POST /servers", create);
    expect(reply.status).toBe(201);
    expect(reply.body.data.id).toBe("srv_1");
  });

  test("a PATCH, which needs no key", async () => {
    const emulator = await started();
    emulator.createObjects("server", { name: "a" });
    await ask(emulator, "PATCH /servers/srv_1", create);
    const reply = await ask(emulator, "PATCH /servers/srv_1", { body: { name: "b" }, headers });
    expect(reply.status).toBe(200);
    expect(emulator.journal().at(-1)?.idempotency_key).toBeNull();
  });

  test.each(["", "x".repeat(256)])("a key of a wrong length: %.10s", async (key) => {
    const emulator = await started();
    const reply = await ask(emulator, "POST /servers", {
      body: { name: "a" },
      headers: { "Idempotency-Key": key },
    });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details.field).toBe("Idempotency-Key");
  });
});

describe("the journal", () => {
  test("says what was a replay, and which bodies were equal", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "POST /servers", { body: { name: "b" } });
    const [first, second, third] = emulator.journal();
    expect(first).toMatchObject({
      method: "POST",
      path: "/servers",
      query: "",
      operation: "server.create",
      key_id: "key_1",
      status: 201,
      idempotency_key: "k-1",
      replayed: false,
      faults: [],
    });
    expect(second).toMatchObject({ replayed: true, body_fingerprint: first?.body_fingerprint });
    expect(third?.body_fingerprint).not.toBe(first?.body_fingerprint);
  });
});
