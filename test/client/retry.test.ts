import { describe, expect, test } from "@jest/globals";
import { readConfiguration } from "../../provider/client/settings/read";
import { decode } from "../../provider/client/chain/decode";
import { ClientCore } from "../../provider/client";
import { ATTEMPT_COUNT_MAX } from "../../provider/client/chain/fault";
import type { RawAnswer } from "../../provider/client/chain/call";
import { systemInjectables } from "../../provider/client/settings/system";
import { atEnd } from "../support/folder";
import { CANARY, clientOn, failure, failureOf, inTurn, ok, raw, SERVER } from "./support/core";
import { cutJson, html, refusal, reset, scriptServer } from "./support/script-server";
import { success, truncated, type Step } from "./support/script-server";

/** A core over real sockets that hardly waits between attempts. */
async function live(steps: readonly Step[], timeout = "300ms") {
  const server = await scriptServer(...steps);
  const given = { apiKey: CANARY, baseUrl: server.baseUrl, timeout };
  const injectables = { ...systemInjectables(), random: () => 0.001 };
  const core = new ClientCore(readConfiguration({ given }), injectables);
  atEnd(() => core.close());
  return { server, core };
}

const made = success({ id: "srv_1", name: "n" }, 201);

describe("a create whose outcome is not known", () => {
  test.each<[string, Step]>([
    ["the connection is reset", reset],
    ["the answer is cut off", truncated],
    ["the answer's JSON is cut off", cutJson],
    ["a proxy answers 502 in HTML", html(502)],
    ["a proxy answers 200 in HTML", html(200)],
    ["the service answers 500", refusal(500, "internal_error")],
    ["the service answers a bare 503", (response) => void response.writeHead(503).end()],
    ["the request times out", (response) => void response.writeHead(408).end()],
    ["no answer comes", () => undefined],
  ])("a create is sent again with the same key and the same bytes when %s", async (_, fault) => {
    const { server, core } = await live([fault, fault, made]);
    const { record } = await core.create("server", { name: "n", zone: "eu" });
    expect(record.id).toBe("srv_1");
    const calls = server.received.map(({ body, headers }) => [body, headers["idempotency-key"]]);
    const [first] = calls;
    expect(first).toEqual(['{"name":"n","zone":"eu"}', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(calls).toEqual([first, first, first]);
  });

  test("a create that keeps failing ends in an error that says it may have succeeded", async () => {
    const { core, failed, sent } = clientOn(() => undefined);
    const error = await failed(core.create("server", { name: "n" }));
    expect(error).toMatchObject({ code: "network_error", ambiguous: true, retryable: true });
    expect(String(error)).toContain(`(after ${ATTEMPT_COUNT_MAX} attempts)`);
    expect(sent).toHaveLength(ATTEMPT_COUNT_MAX);
  });

  test.each<[string, ...(RawAnswer | undefined)[]]>([
    ["stays unknown when a later attempt is refused", undefined, failure(401, "token_expired")],
    ["is known when the first one is", failure(422, "validation_error")],
  ])("the outcome of a create %s", async (_, ...answers) => {
    const { core, failed, sent } = clientOn(inTurn(...answers));
    const error = await failed(core.create("server", { name: "n" }));
    const attempts = answers.length;
    expect(error).toMatchObject({ ambiguous: attempts > 1, attempts, retryable: false });
    expect(sent).toHaveLength(attempts);
  });
});

describe("other calls", () => {
  test("a patch is sent again, without an idempotency key", async () => {
    const { server, core } = await live([reset, success({ id: "srv_1", name: "m" })]);
    await core.update("server", "srv_1", { name: "m" });
    const patch = { method: "PATCH", body: '{"name":"m"}' };
    expect(server.received).toMatchObject([patch, patch]);
    expect(server.received[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test.each<["deleted" | "absent", string, ...(RawAnswer | undefined)[]]>([
    ["deleted", "204", raw(204, "")],
    ["deleted", "202 with a body of its own", raw(202, { job: "job_1" })],
    ["deleted", "200 with the record", ok({ id: "srv_1" })],
    ["deleted", "200 with an empty envelope", ok(null, { error: null })],
    ["deleted", "200 with an error that says nothing", raw(200, { success: true, error: {} })],
    ["absent", "404", failure(404, "not_found")],
    ["absent", "410", failure(410, "not_found")],
    ["absent", "404 after a lost answer", undefined, failure(404, "not_found")],
    ["absent", "404 after a 502", raw(502, "<html>"), failure(404, "not_found")],
    ["absent", "200 without a body", raw(200, "")],
    ["absent", "200 with null", raw(200, "null")],
    ["absent", "200 with a bare record", raw(200, { id: "srv_1", protected: true })],
    ["absent", "200 with JSON of somebody else", raw(200, { login: "https://portal" })],
  ])("a delete is %s that is answered %s", async (outcome, _, ...answers) => {
    const { core, clock } = clientOn(inTurn(...answers));
    expect(await clock.run(core.remove("server", "srv_1"))).toBe(outcome);
  });

  test.each<[string, RawAnswer, code?: string, isOpen?: boolean]>([
    ["200 with a message", raw(200, { error: { message: "still in use" } })],
    ["200 with an error that is text", raw(200, { error: "maintenance" })],
    ["200 with an error next to no data", raw(200, { error: "maintenance", data: null })],
    ["200 with a success that is text", raw(200, { success: "false", data: {} })],
    ["200 with text", raw(200, '"please log in"')],
    ["200 with a list", raw(200, [])],
    ["503 with another status's code", failure(503, "not_found"), "internal_error"],
    ["400 with another status's code", failure(400, "not_found"), "invalid_response", false],
    ["a bare 404", raw(404, "<html>", { "content-type": "text/html" }), "invalid_response", false],
    ["200 with an error of the service", failure(200, "conflict"), "conflict", false],
  ])("no write is done by %s", async (_, answer, code = "invalid_response", ambiguous = true) => {
    const { core, failures } = clientOn(() => answer);
    const writes = [core.remove("server", "srv_1"), core.update("server", "srv_1", { name: "m" })];
    for (const error of await failures(writes)) expect(error).toMatchObject({ code, ambiguous });
  });

  test("a failure that the service replays is not retried", async () => {
    const headers = { "Idempotent-Replayed": "true" };
    const { server, core } = await live([refusal(500, "internal_error", {}, headers)]);
    const error = await failureOf(core.create("server", { name: "n" }));
    expect(error).toMatchObject({ code: "replayed_failure", status: 500, retryable: false });
    expect(server.received).toHaveLength(1);
  });

  test("a first request that is still running is waited for", async () => {
    const running = failure(409, "idempotency_in_flight", { retry_after: 2 });
    const { core, clock, sent } = clientOn(() => (sent.length <= 12 ? running : SERVER));
    await clock.run(core.create("server", { name: "n" }));
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(24_000);
  });

  test("a first request that never ends is given up after 300 waits", async () => {
    const { core, failed, sent } = clientOn(() => failure(409, "idempotency_in_flight"));
    const error = await failed(core.create("server", { name: "n" }));
    expect(error).toMatchObject({ code: "idempotency_in_flight" });
    expect(sent).toHaveLength(301);
  });

  test("waits between attempts grow with jitter, and Retry-After of a 503 is honoured", async () => {
    const fault = raw(500, "");
    const pause = raw(503, "", { "retry-after": "90" });
    const answer = inTurn(fault, fault, pause, fault, fault, ok([]));
    const { core, clock, times } = clientOn(answer);
    await clock.run(core.snapshot("server"));
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[2]).toBeGreaterThanOrEqual(90_000);
    expect(Math.max(gaps[0] ?? 0, gaps[1] ?? 0)).toBeLessThan(500);
  });

  const [TEN, LATER] = ["Thu, 26 Nov 2026 10:00:00 GMT", "Thu, 26 Nov 2026 10:01:30 GMT"] as const;
  test.each<[string, Record<string, string>, number | undefined]>([
    ["seconds", { "retry-after": " 1.5 " }, 1_500],
    ["a date", { "retry-after": LATER, date: TEN }, 90_000],
    ["a date that has passed", { "retry-after": TEN, date: LATER }, 0],
    ["a date without the service's own", { "retry-after": TEN }, undefined],
    ["something else, which is ignored", { "retry-after": "1.5 hours", date: TEN }, undefined],
    ["blank, which is ignored", { "retry-after": " " }, undefined],
  ])("Retry-After may be %s", async (_, headers, retryAfterMs) => {
    const { core, failed } = clientOn(() => raw(503, "", headers));
    expect(await failed(core.authTest())).toMatchObject({ code: "internal_error", retryAfterMs });
  });

  test("the retries of all calls together are limited", async () => {
    const { creates, failures, sent } = clientOn(() => raw(500, ""));
    await failures(creates(200));
    expect(sent.length).toBeLessThanOrEqual(200 + 200);
  });

  test("an answer that never ends is read up to a limit", async () => {
    const endless: Step = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1 << 20, " ");
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        response.once("drain", more);
      };
      more();
    };
    const { core } = await live([endless], "20s");
    expect(await failureOf(core.authTest())).toMatchObject({ code: "response_too_large" });
  });
});

describe("answers without the usual form", () => {
  test("an answer of 202 or 204 without a body keeps what is known", async () => {
    const { core, clock } = clientOn(({ method }) => raw(method === "PATCH" ? 204 : 202, ""));
    const { record } = await clock.run(core.update("server", "srv_1", { name: "m", zone: 1 }));
    const fields = { id: "srv_1", name: "m" };
    expect(record).toEqual({ id: "srv_1", fields, properties: { zone: 1 } });
    expect(await clock.run(core.remove("server", "srv_1"))).toBe("deleted");
  });

  test("an answer without a body keeps what an earlier answer said of the object", async () => {
    const made = ok({ id: "srv_1", name: "n", status: "running", zone: "eu" });
    const { core, clock } = clientOn(inTurn(made, raw(204, "")));
    await clock.run(core.create("server", { name: "n" }));
    const { record } = await clock.run(core.update("server", "srv_1", { name: "m" }));
    const fields = { id: "srv_1", name: "m", status: "running" };
    expect(record).toEqual({ id: "srv_1", fields, properties: { zone: "eu" } });
  });

  test("a created object without a body is found by its Location, or is an error", async () => {
    const answers = [raw(202, "", { location: "/v1/servers/srv%209?x=1" }), raw(202, "")];
    const { core, clock, failed } = clientOn(inTurn(...answers));
    const { record } = await clock.run(core.create("server", { name: "there" }));
    expect(record.id).toBe("srv 9");
    const error = await failed(core.create("server", { name: "lost" }));
    expect(error).toMatchObject({ code: "invalid_response", ambiguous: true });
  });

  test("a created object with an odd field keeps its id and its valid fields", async () => {
    const fields = { id: "srv_1", status: "running" };
    const { core, clock } = clientOn(() => ok({ ...fields, name: 7, zone: "eu" }));
    const { record } = await clock.run(core.create("server", { name: "n" }));
    expect(record).toEqual({ id: "srv_1", fields, properties: { zone: "eu" } });
  });

  test("answers without an envelope are understood", async () => {
    const rotation = {
      old_key: { id: "key_1", expires_at: "2026-01-02T00:00:00Z" },
      new_key: { id: "key_2", value: "acme_test_new1", created_at: "2026-01-01T00:00:00Z" },
    };
    const auth = { authenticated: true, key_id: "key_1", permissions: ["admin"] };
    const answers = [auth, rotation, [{ id: "a" }]].map((body) => raw(200, body));
    const { core, clock } = clientOn(inTurn(...answers));
    expect(await clock.run(core.authTest())).toMatchObject(auth);
    expect((await clock.run(core.rotate("key_1"))).rotation).toMatchObject(rotation);
    expect((await clock.run(core.snapshot("cloud_provider"))).records.size).toBe(1);
  });

  test.each([
    ["internal_error", 0],
    ["rate_limit_exceeded", 5],
  ])("a success that holds %s is retried like that", async (code, retry_after) => {
    const { core, clock, sent } = clientOn(inTurn(failure(200, code, { retry_after }), SERVER));
    await clock.run(core.create("server", { name: "n" }));
    expect(sent).toHaveLength(2);
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(retry_after * 1_000);
  });

  test.each([
    ["another object", ok({ id: "srv_2", name: "other" }), true],
    ["no object", ok(null), false],
    ["nothing", raw(200, ""), false],
    ["an object without an id", raw(200, { login: "https://portal" }), false],
  ])("an answer about %s is never taken for the object asked for", async (_, answer, forUpdate) => {
    const profile = { resources: { server: { operations: { get: true } } } };
    const { core, failed } = clientOn(() => answer, { given: { profile } });
    const read = await failed(core.read("server", "srv_1"));
    expect(read).toMatchObject({ code: "invalid_response", ambiguous: false });
    expect(String(read)).toContain("the response is missing the record of srv_1");
    if (!forUpdate) return;
    const written = await failed(core.update("server", "srv_1", { name: "n" }));
    expect(written).toMatchObject({ code: "invalid_response", ambiguous: true });
  });

  test("a rotation whose answer lacks the keys may have succeeded", async () => {
    const { core, failed } = clientOn(() => ok({ new_key: {} }));
    const error = await failed(core.rotate("key_1"));
    expect(error).toMatchObject({ code: "invalid_response", ambiguous: true, objectId: "key_1" });
  });

  test("a rotation whose answer lacks its times keeps the secret, with the answer's time", async () => {
    const new_key = { id: "key_2", value: "acme_test_new1" };
    const data = { old_key: { id: "key_1", expires_at: null }, new_key };
    const meta = { timestamp: "2026-01-01T00:00:00Z", request_id: null };
    const { core, clock } = clientOn(() => ok(data, { meta }));
    const { rotation } = await clock.run(core.rotate("key_1"));
    expect(rotation.new_key).toEqual({ ...new_key, created_at: meta.timestamp });
    expect(rotation.old_key.expires_at).toBe(meta.timestamp);
  });

  test("an operation that the service does not offer is reported before or after the call", async () => {
    const { core, failed, sent } = clientOn(() => failure(404, "not_found"));
    const before = await failureOf((async () => core.remove("team", "team_1"))());
    expect(before).toMatchObject({ code: "not_offered" });
    expect(sent).toHaveLength(0);
    const after = await failed(core.create("api_key", { name: "k" }));
    expect(after).toMatchObject({ code: "not_offered", status: 404 });
  });

  test("JSON of the wrong kind is an invalid response", async () => {
    const { core, failed } = clientOn(() => raw(200, "7"));
    expect(await failed(core.authTest())).toMatchObject({ code: "invalid_response" });
  });
});

const metaOf = (meta: unknown) =>
  decode(ok([], { meta }), 0, { call: { method: "GET", path: "/servers" } } as never).meta;

test("meta is kept with all its members, and what it lacks or is odd in it is empty", () => {
  const meta = { timestamp: "2026-01-01T00:00:00Z", request_id: "req_1", region: "eu" };
  expect(metaOf(meta)).toEqual(meta);
  for (const odd of [undefined, null, 5]) {
    expect(metaOf({ ...meta, timestamp: odd })).toEqual({ ...meta, timestamp: "" });
    expect(metaOf({ ...meta, request_id: odd })).toEqual({ ...meta, request_id: "" });
  }
  expect(metaOf({})).toEqual({ timestamp: "", request_id: "" });
  // No object is left out, and the answer stays.
  expect([metaOf("text"), metaOf(undefined)]).toEqual([undefined, undefined]);
});
