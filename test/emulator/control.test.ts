import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { send, keyWith, eachWithEmulator, newEmulator, control, rawExchange } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const create = { body: { name: "a" } };

describe("/_emulator", () => {
  test("/_emulator lists its calls with their schemas", async () => {
    const { calls } = (await control(emulator, "GET ")).body;
    const clock = calls.find(({ call }) => call === "PUT /clock");
    expect(clock?.body?.properties).toHaveProperty("advance");
    expect(calls.map(({ call }) => call)).toContain("GET /snapshot");
  });

  test("/_emulator/health shows the settings of the emulator", async () => {
    const settings = { plan: "starter", keyClass: "limited", strict: true } as const;
    const { body } = await control(await newEmulator(settings), "GET /health");
    expect(body).toMatchObject({ status: "ok", ...settings, profile: "none", rate: 1 });
  });

  test.each([
    ["PUT /clock", { advance: "soon" }, "clock: advance must be a duration such as 90s, 5m or"],
    ["PUT /clock", { advance: -1 }, "clock: advance must"],
    ["PUT /clock", { advance: "1d", x: 1 }, "clock: x is not"],
    ["PUT /clock", { rate: -1 }, "clock: rate must be at least 0"],
    ["PUT /clock", { rate: "x", y: 1 }, "clock: rate must"],
    ["PUT /clock", { now: "tomorrow" }, "clock: now must"],
    ["PUT /clock", { now: "2099-01-01", advance: "1d" }, "clock: takes advance or now, not both"],
    ["PUT /clock", {}, "clock: requires advance or now, rate or both"],
    ["PUT /faults", [{ effect: "explode" }], "faults: [0].effect.type must be one of status, del"],
    ["PUT /faults", [{ effect: { type: "status" } }], "faults: [0].effect.status is required"],
    ["PUT /faults", [{ effect: { type: "delay", ms: 1e9 } }], "faults: [0].effect.ms must be"],
    ["PUT /faults", [{ effect: { type: "delay", when: "never" } }], "faults: [0].effect"],
    ["PUT /faults", [{ effect: "html-502", times: 1, every: 2 }], "faults: [0]"],
    ["PUT /faults", [{ effect: "html-502", colour: "red" }], "faults: [0].colour is not"],
    ["PUT /faults", [{ effect: "delay", match: { path: "^(" } }], "faults: [0].match.path is not"],
    ["PUT /faults", {}, "faults: must be"],
    ["POST /keys", { permissions: [] }, "key: permissions must"],
    ["POST /keys", { permissions: ["fly"] }, "permissions[0]"],
    ["POST /keys", { key_class: "royal" }, "key: key_class must be"],
    ["POST /keys", { value: "x y" }, "key: value must"],
    ["POST /keys", { expires_at: "soon" }, "expires_at"],
    ["POST /objects/server", "text", "objects: must be one object or a list of at most 100000"],
    ["POST /objects/planet", {}, "kind planet does not exist; use one of api_key, backup,"],
    ["POST /webhooks", { url: "ftp://x" }, "webhook: url is not a valid URL"],
    ["POST /webhooks", { url: "http://x", events: ["x"] }, "webhook: events[0] must be"],
    ["POST /webhooks", { url: "http://x", secret: "x" }, "webhook: secret must be whsec_ followed"],
    ["PUT /snapshot", { version: 2 }, "snapshot: "],
    ["GET /requests?after=undefined", undefined, "requests: after must be a number"],
    ["GET /requests/counts?after=-1", undefined, "requests: after must be at least 0"],
  ])("%s with %j is refused in plain words", async (call, body, sentence) => {
    const { status, body: refusal } = await control(emulator, call, body);
    expect(status).toBe(call.endsWith("planet") ? 404 : 422);
    expect(refusal.error?.message).toContain(sentence);
    expect(refusal.error?.message).not.toMatch(
      /too (?:small|big)|expected|received|invalid input|discriminator|undefined/i,
    );
  });

  test("a control call with a body of more than 64 MiB is refused before it is read", async () => {
    const { port } = await newEmulator();
    const head = `PUT /_emulator/snapshot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
    const length = `Content-Length: ${64 * 1024 ** 2 + 1}\r\n\r\n`;
    const { text } = await rawExchange(port, head + length);
    expect(text).toMatch(/HTTP\/1\.1 413[^]*the body is larger than 67108864 bytes/);
  });

  test("an unknown control call is a 404 and a malformed body a 422", async () => {
    expect((await control(emulator, "GET /weather")).status).toBe(404);
    const response = await fetch(`${emulator.url}/_emulator/clock`, { method: "PUT", body: "{" });
    expect(response.status).toBe(422);
  });
});

test("a key can be created with any field, environment and class", async () => {
  emulator = await newEmulator({ plan: "enterprise" });
  const created = await control(emulator, "POST /keys", {
    ...{ name: "pipeline", permissions: ["servers:read"], ip_whitelist: ["127.0.0.1"] },
    ...{ environment: "live", key_class: "limited" },
  });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ id: "key_2", name: "pipeline", lineage_id: "key_2" });
  expect(created.body.value).toMatch(/^erp_live_/);
  expect(created.body).not.toHaveProperty("environment");
  const reply = await send(emulator, "GET /servers", { key: created.body.value });
  expect(reply.headers.get("x-ratelimit-limit")).toBe("10");
  const listed = JSON.stringify((await control(emulator, "GET /keys")).body);
  expect(listed).toContain("pipeline");
  expect(listed).not.toContain(created.body.value);
  // The value of another key is refused.
  const { value } = created.body;
  expect((await control(emulator, "POST /keys", { value })).status).toBe(409);
});

test("a snapshot restores objects, keys, ids, clock, replays and pending changes", async () => {
  emulator = await newEmulator({ provisionMs: 3_600_000 });
  const key = keyWith(emulator, ["admin"]);
  const idempotent = { ...create, key, headers: { "Idempotency-Key": "k" } };
  await send(emulator, "POST /servers", idempotent);
  emulator.advance("30m");
  const snapshot = (await control(emulator, "GET /snapshot")).body;
  emulator.advance("90d");
  await send(emulator, "DELETE /servers/srv_1");
  await send(emulator, "DELETE /api-keys/key_2");
  await send(emulator, "POST /servers", create);
  expect((await control(emulator, "PUT /snapshot", snapshot)).status).toBe(200);
  expect((await send(emulator, "POST /servers", idempotent)).body.data.id).toBe("srv_1");
  const { data, meta } = (await send(emulator, "GET /servers", { key })).body;
  expect(data).toMatchObject([{ id: "srv_1", status: "provisioning" }]);
  expect(Date.parse(meta.timestamp) - snapshot.clock.nowMs).toBeLessThan(5_000);
  emulator.advance("30m");
  expect((await send(emulator, "GET /servers")).body.data[0].status).toBe("running");
  expect((await send(emulator, "POST /servers", create)).body.data.id).toBe("srv_2");
});

test("a snapshot can be restored in another emulator, whose admin key remains valid", async () => {
  const first = await newEmulator();
  await send(first, "POST /servers", create);
  const key = keyWith(first, ["admin"]);
  const second = await newEmulator();
  second.restore(first.snapshot());
  expect((await send(second, "GET /servers", { key })).body.data).toHaveLength(1);
  expect((await send(second, "GET /servers")).status).toBe(200);
});

test("a snapshot says whose copy it is, and which of its keys was the first", async () => {
  const api_key = [{ id: "key_1", name: "ci", permissions: ["servers:read"] }];
  const of = { baseUrl: "https://erp.example.com/v1", environment: "live" } as const;
  const read = { version: 1, of, readAt: "2026-11-22T12:00:00Z" } as const;
  const twin = await newEmulator({ twin: { ...read, limits: [], objects: { api_key } } });
  const [fresh, key] = [emulator.snapshot(), twin.opened.twinKeys[0]?.value ?? ""];
  emulator.restore(JSON.parse(JSON.stringify(twin.snapshot())));
  const answer = await send(emulator, "POST /servers", create);
  expect([answer.status, answer.body.data.id]).toEqual([201, "srv_twin_1"]);
  expect(answer.headers.get("x-erphost-twin-of")).toBe("live https://erp.example.com/v1");
  expect((await send(emulator, "GET /servers", { key })).status).toBe(200);
  expect((await control(emulator, "GET /health")).status).toBe(401);
  twin.restore(fresh);
  expect((await send(twin, "GET /servers")).headers.get("x-erphost-twin-of")).toBeNull();
});

test("a reset restores the initial state and keeps the admin key", async () => {
  emulator = await newEmulator({
    limits: [{ requests: 3, windowMs: 60_000 }],
    seed: { objects: { server: [{ name: "seeded" }] } },
  });
  const idempotent = { ...create, headers: { "Idempotency-Key": "k" } };
  await send(emulator, "POST /servers", idempotent);
  emulator.createKey();
  emulator.setFaults([{ effect: "html-502", skip: 5 }]);
  emulator.advance("90d");
  await control(emulator, "POST /reset");
  expect(emulator.counts()).toMatchObject({ server: 1, api_key: 1 });
  expect([emulator.faults(), emulator.journal()]).toEqual([[], []]);
  expect(Math.abs(Date.parse(emulator.clock().now) - Date.now())).toBeLessThan(5_000);
  const created = await send(emulator, "POST /servers", idempotent);
  expect(created.body.data.id).toBe("srv_2");
  expect(created.headers.get("x-ratelimit-remaining")).toBe("2");
});
