import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { send, rawExchange, eachWithEmulator } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const KEY = { name: "k", permissions: ["read"] };

describe("an object", () => {
  test.each([
    ["POST /servers", {}, "name", "is required"],
    ["POST /servers", { name: null }, "name", "is required"],
    ["POST /servers", { name: "a", id: "srv_7" }, "id", "is set by the service"],
    ["POST /servers", { name: "a", status: "x" }, "status", "is set by the service"],
    ["POST /instances", { name: "i" }, "server_id", "is required"],
    ["PATCH /servers/srv_1", { name: null }, "name", "is required"],
    ["PATCH /servers/srv_1", { id: "srv_2" }, "id", "is set by the service"],
    ["PATCH /servers/srv_1", { created_at: "2020-01-01" }, "created_at", "is set by the service"],
    ["POST /servers", { name: "" }, "name"],
    ["POST /servers", { name: 7 }, "name"],
    ["POST /servers", { name: "x".repeat(256) }, "name"],
    ["POST /teams", { name: "t", members: "ada" }, "members"],
    ["POST /api-keys", { name: "k", permissions: [] }, "permissions"],
    ["POST /api-keys", { name: "k", permissions: ["servers:fly"] }, "permissions[0]"],
    ["POST /api-keys", { ...KEY, ip_whitelist: ["300.0.0.1"] }, "ip_whitelist[0]"],
    ["POST /api-keys", { ...KEY, expires_at: "soon" }, "expires_at"],
    ["POST /api-keys", { ...KEY, rotation_period: "3 months" }, "rotation_period"],
    ["POST /api-keys", { ...KEY, notification_email: "me" }, "notification_email"],
  ])("%s with %j is refused because of %s", async (call, body, ...[field, reason]) => {
    emulator.createObjects("server", { name: "a", note: "n" });
    const { status, body: answer } = await send(emulator, call, { body });
    expect([answer.error.code, status]).toEqual(["validation_error", 422]);
    expect(answer.error.details).toEqual({ field, reason: reason ?? expect.any(String) });
  });

  test("a new object keeps unknown fields and drops null fields", async () => {
    const body = { name: "a", region: "eu", labels: { a: [1, { b: true }] }, size: null };
    const reply = await send(emulator, "POST /servers", { body });
    const { size: _, ...kept } = body;
    expect(reply.body.data).toMatchObject(kept);
    expect(reply.body.data).not.toHaveProperty("size");
    expect((await send(emulator, "GET /servers")).body.data[0]).toEqual(reply.body.data);
  });

  test("a member named __proto__ is an ordinary member", async () => {
    const raw = '{"name":"a","__proto__":{"status":"x"},"constructor":1}';
    const reply = await send(emulator, "POST /servers", { body: raw });
    expect(reply.status).toBe(201);
    expect(JSON.stringify(reply.body.data)).toContain('"__proto__":{"status":"x"}');
    expect(reply.body.data.status).toBe("running");
    const patched = await send(emulator, "PATCH /servers/srv_1", { body: '{"__proto__":{"b":1}}' });
    expect(JSON.stringify(patched.body.data)).toContain('"__proto__":{"status":"x","b":1}');
  });
});

test("a PATCH merges objects, replaces lists and removes null fields", async () => {
  const body = { name: "a", labels: { a: 1, b: { c: 2 } }, tags: [1, 2], note: "n" };
  await send(emulator, "POST /servers", { body });
  const patch = { labels: { a: null, b: { d: 3 } }, tags: [3], note: null };
  const reply = await send(emulator, "PATCH /servers/srv_1", { body: patch });
  expect(reply.body.data).toMatchObject({ labels: { b: { c: 2, d: 3 } }, tags: [3] });
  expect(reply.body.data.labels).not.toHaveProperty("a");
  expect(reply.body.data).not.toHaveProperty("note");
});

test("a PATCH with the unchanged record succeeds", async () => {
  const created = await send(emulator, "POST /servers", { body: { name: "a", x: 1 } });
  const reply = await send(emulator, "PATCH /servers/srv_1", { body: created.body.data });
  expect([reply.status, reply.body.data]).toEqual([200, created.body.data]);
});

describe("a body", () => {
  test.each([
    ...["", "{", "[]", "null", '"text"', `{"name":"a","deep":${"[".repeat(500_000)}`],
    `{"name":"a","deep":${"[".repeat(64)}${"]".repeat(64)}}`,
  ])("the body %.40s is refused", async (raw) => {
    const reply = await send(emulator, "POST /servers", { body: raw });
    expect([reply.status, reply.body.error.details.field]).toEqual([422, "body"]);
  });

  test("a body may be 64 levels deep, not counting brackets in text", async () => {
    const deep = `${"[".repeat(63)}${"]".repeat(63)}`;
    const raw = `{"name":"a","deep":${deep},"text":"\\"${"[".repeat(100)}"}`;
    expect((await send(emulator, "POST /servers", { body: raw })).status).toBe(201);
  });

  test("a body must have a JSON content type", async () => {
    const headers = { "content-type": "text/plain" };
    const reply = await send(emulator, "POST /servers", { body: '{"name":"a"}', headers });
    expect(reply.body.error.details.field).toBe("Content-Type");
  });

  test("a body over 1 MiB is a 413 with or without Content-Length", async () => {
    const whole = await send(emulator, "POST /servers", { body: { name: "x".repeat(1_048_577) } });
    expect([whole.status, whole.body.error.code]).toEqual([413, "payload_too_large"]);
    const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
    const head = `POST /v1/servers HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${emulator.adminKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunked = await rawExchange(emulator.port, `${head}${chunk.repeat(20)}0\r\n\r\n`);
    expect(chunked.text).toMatch(/^HTTP\/1\.1 413 /);
  });
});
