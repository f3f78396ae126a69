/** What is kept of requests: enough to see what happened, and no secret. */
import { expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import type { Emulator } from "../../emulator";
import { Journal, type NewEntry } from "../../emulator/journal";
import { SECRET_TEXTS } from "../support/secrets";
import { control, eachWithEmulator, send } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));

const arrived: NewEntry = {
  ...{ request_id: "req_1", method: "GET", path: "/servers", query: "" },
  ...{ started_at: "2026-01-01T00:00:00.000Z", idempotency_key: null, faults: [] },
};

const over = {
  ...{ operation: "server.list", key_id: "key_1", key_name: "admin" },
  ...{ ended_at: "2026-01-01T00:00:00.001Z", duration_ms: 1 },
};

test("the journal lists requests in order and can be cleared", async () => {
  await send(emulator, "POST /servers", { body: { name: "a" } });
  await send(emulator, "GET /servers?per_page=5&page=1");
  await send(emulator, "GET /planets", { key: null });
  const { requests } = (await control(emulator, "GET /requests")).body;
  expect(requests).toMatchObject([
    { method: "POST", query: "", operation: "server.create", status: 201, key_id: "key_1" },
    { method: "GET", path: "/servers", query: "per_page=5&page=1", operation: "server.list" },
    { method: "GET", path: "/planets", operation: null, status: 401, key_id: null },
  ]);
  for (const { started_at, ended_at, duration_ms } of requests) {
    expect(Date.parse(ended_at ?? "")).toBeGreaterThanOrEqual(Date.parse(started_at));
    expect(duration_ms).toBeGreaterThan(0);
  }
  const seq = requests[1]?.seq;
  expect((await control(emulator, `GET /requests?after=${seq}`)).body.requests).toHaveLength(1);
  expect((await control(emulator, "GET /requests?limit=2")).body.requests).toHaveLength(2);
  await control(emulator, "DELETE /requests");
  expect((await control(emulator, "GET /requests")).body).toEqual({ requests: [] });
});

test("the journal counts calls by method and path, with their statuses", async () => {
  await send(emulator, "GET /servers");
  const seq = emulator.journal().at(-1)?.seq;
  for (const name of ["a", "", "b"]) await send(emulator, "POST /servers", { body: { name } });
  emulator.setFaults([{ effect: "reset-before" }]);
  await send(emulator, "GET /servers?page=1").catch(() => undefined);
  const list = { method: "GET", path: "/servers", operation: "server.list" };
  const made = { method: "POST", path: "/servers", operation: "server.create" };
  const creates = { ...made, count: 3, statuses: { 201: 2, 422: 1 } };
  expect((await control(emulator, "GET /requests/counts")).body).toEqual({
    counts: [{ ...list, count: 2, statuses: { 200: 1, none: 1 } }, creates],
  });
  const later = (await control(emulator, `GET /requests/counts?after=${seq}`)).body;
  const cut = { ...list, operation: null, count: 1, statuses: { none: 1 } };
  expect(later["counts"]).toEqual([creates, cut]);
});

test("the journal holds no secret", async () => {
  const body = { name: "k", permissions: ["admin"], password: "canary-8271" };
  const created = await send(emulator, "POST /api-keys", { body });
  const rotated = await send(emulator, "POST /api-keys/key_2/rotate");
  await send(emulator, `GET /api-keys?token=canary-1111&q=${emulator.adminKey}`);
  await send(emulator, `DELETE /api-keys/${rotated.body.data.new_key.value}`);
  await send(emulator, "POST /servers", { body: '{"api_token": "canary-2222" ' });
  const headers = { "idempotency-key": created.body.data.value };
  await send(emulator, "POST /servers", { body: { name: "s", pin: "canary-3333" }, headers });
  const text = JSON.stringify(emulator.journal());
  expect(text).toContain("api_key.rotate");
  expect(text).not.toContain("canary-");
  for (const { value } of [created.body.data, rotated.body.data.new_key]) {
    expect(text).not.toContain(value);
  }
  expect(text).not.toContain(emulator.adminKey);
});

test.each(SECRET_TEXTS)("%s in a free field is in no entry", (_, text, secret) => {
  const journal = new Journal(randomBytes);
  const record = JSON.stringify({ id: "srv_1", notes: { lines: [text] } });
  const answer = { status: 200, headers: {}, body: `{"data":[${record}]}` };
  for (const records of [undefined, [record]]) {
    journal.end(journal.begin(arrived, record), over, { ...answer, records });
  }
  journal.begin(arrived, `${record}, no JSON`);
  expect(JSON.stringify(journal.entries())).not.toContain(JSON.stringify(secret).slice(1, -1));
});

test("of members with one name the last is kept, as the service reads them", () => {
  const journal = new Journal(randomBytes);
  for (const sign of ["_", String.raw`\u005f`]) {
    journal.begin(arrived, `{"name":"acme${sign}live_0123456789abcdef", "name":"ok"}`);
  }
  const kept = journal.entries().map(({ request_body }) => request_body);
  expect(kept).toEqual(['{"name":"ok"}', '{"name":"ok"}']);
});

test("a key whose name is a secret is shown without it", () => {
  const journal = new Journal(randomBytes);
  const seq = journal.begin(arrived, "");
  journal.end(seq, { ...over, key_name: "for acme_live_0123456789abcdef" }, undefined);
  expect(journal.entries()).toMatchObject([{ key_name: "for (hidden)" }]);
});

test("an entry shows its key by name, both bodies and what replaced a secret", async () => {
  const { value } = emulator.createKey({ name: "pipeline", permissions: ["admin"] });
  await send(emulator, "POST /servers", { key: value, body: { name: "web", password: "x" } });
  await send(emulator, "GET /servers", { key: value });
  await send(emulator, "POST /api-keys/key_2/rotate", { key: value });
  const [made, list, rotated] = emulator.journal();
  expect(made).toMatchObject({
    ...{ key_id: "key_2", key_name: "pipeline" },
    request_body: '{"name":"web","password":"(hidden)"}',
    request_bytes: JSON.stringify({ name: "web", password: "x" }).length,
  });
  const web = { id: "srv_1", name: "web", password: "(hidden)" };
  expect(JSON.parse(made?.answer_body ?? "")).toMatchObject({ success: true, data: web });
  expect(list).toMatchObject({ request_body: null, request_bytes: 0 });
  const pagination = { total_items: 1 };
  expect(JSON.parse(list?.answer_body ?? "")).toMatchObject({ data: [web], pagination });
  const keys = { old_key: { id: "key_2" }, new_key: { id: "key_3", value: "(hidden)" } };
  expect(JSON.parse(rotated?.answer_body ?? "")).toMatchObject({ data: keys });
});

test("16 KiB of a body are kept, and where it was cut no part of a secret", async () => {
  const key = emulator.adminKey;
  const long = "ä".repeat(16_000);
  // The secret stands across the end of what is kept.
  const raw = `${"x".repeat(16_384 - key.length / 2)} ${key}`;
  await send(emulator, "POST /servers", { body: { name: "s", long, pin: "1234" } });
  await send(emulator, "POST /servers", { body: raw });
  const record = { name: "n".repeat(200), pin: "1234" };
  const records = Array.from({ length: 100 }, (_, n) => ({ ...record, n }));
  emulator.createObjects("server", records);
  await send(emulator, "GET /servers?per_page=100");
  for (const { request_body, answer_body, request_bytes, answer_bytes } of emulator.journal()) {
    for (const body of [request_body, answer_body]) {
      expect(Buffer.byteLength(body ?? "")).toBeLessThanOrEqual(16_384);
      expect(body ?? "").not.toMatch(/1234|erp_test/);
    }
    expect(Math.max(request_bytes, answer_bytes)).toBeGreaterThan(16_384);
  }
});

test("the last 1,000 requests are kept", () => {
  const journal = new Journal(randomBytes);
  for (let n = 0; n < 1_100; n += 1) journal.begin(arrived, "{}");
  expect([journal.entries().length, journal.entries()[0]?.seq]).toEqual([1_000, 101]);
});

test("who follows the journal gets each request when it arrives and when it is over", async () => {
  const seen: string[] = [];
  const leave = emulator.follow(({ path, status }) => seen.push(`${path} ${status}`));
  await send(emulator, "GET /servers");
  leave();
  await send(emulator, "GET /teams");
  expect(seen).toEqual(["/servers null", "/servers 200"]);
});
