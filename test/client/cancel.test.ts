import { describe, expect, test } from "@jest/globals";
import type { CallOptions } from "../../provider/client/api";
import { manualCancellation } from "../../provider/client/cancellation";
import type { Call, RawAnswer } from "../../provider/client/chain/call";
import { withSlots } from "../../provider/client/chain/slots";
import { message } from "../../provider/messages";
import { BASE_URL, clientOn, failureOf, inTurn, queryOf } from "./support/core";
import { failure, ok, raw, SERVER, type ClientOnService, type Respond } from "./support/core";
import { ListService } from "./support/list-service";

/** An answer that never comes. */
const never = () => new Promise<undefined>(() => undefined);
const refused = () => failure(429, "rate_limit_exceeded", { retry_after: 60 });

test.each([
  ["aborted", { signal: AbortSignal.abort() }],
  ["stopped", { stop: AbortSignal.abort() }],
])("a call that is %s before it is sent sends nothing", async (_, options) => {
  const { core, failed, sent } = clientOn(() => ok([]));
  const error = await failed(core.create("server", { name: "n" }, options));
  expect(error).toMatchObject({ code: "aborted", ambiguous: false, retryable: false });
  expect(sent).toHaveLength(0);
});

describe("giving up", () => {
  /** Begins to create a server, and gives up after that time. */
  async function aborted({ core, clock }: ClientOnService, afterMs: number, name = "n") {
    const quits = new AbortController();
    const failed = failureOf(core.create("server", { name }, { signal: quits.signal }));
    await clock.advance(afterMs);
    quits.abort(new Error("enough"));
    return failed;
  }

  test("a write that is aborted while its request is under way may have succeeded", async () => {
    const error = await aborted(clientOn(never), 10);
    expect(error).toMatchObject({ code: "aborted", ambiguous: true, objectId: undefined });
  });

  test("a call that is aborted while it waits for a slot never takes one", async () => {
    const client = clientOn(never, { given: { concurrency: 1 } });
    void client.core.create("server", { name: "a" }).catch(() => undefined);
    expect(await aborted(client, 10)).toMatchObject({ code: "aborted", ambiguous: false });
    expect(client.sent).toHaveLength(1);
  });

  test("calls that wait for a slot take it in turn, whoever leaves", async () => {
    const order: number[] = [];
    const send = withSlots(async ({ attempt }) => {
      order.push(attempt);
      return Promise.reject(new Error("enough"));
    }, 1);
    const calls = Array.from({ length: 2_000 }, (_, attempt) => {
      const cancel = manualCancellation();
      // The step looks at nothing else of a call.
      const ended = send({ attempt, operation: "", cancel } as unknown as Call);
      return { cancel, ended: ended.catch(() => undefined) };
    });
    for (const { cancel } of calls.filter((_, index) => index % 3 === 1)) {
      cancel.cancel({ code: "aborted", why: message("call_aborted", {}) });
    }
    await Promise.all(calls.map(({ ended }) => ended));
    expect(order).toEqual(calls.map((_, index) => index).filter((index) => index % 3 !== 1));
  });

  test("when a call that waits for the quota is aborted, the others move up", async () => {
    const client = clientOn(() => SERVER, { given: { limits: ["1/10s"] } });
    const { core, clock, sent } = client;
    await clock.run(core.create("server", { name: "a" }));
    const failed = aborted(client, 10, "b");
    const next = core.create("server", { name: "c" });
    expect(await failed).toMatchObject({ code: "aborted" });
    await clock.run(next);
    expect(clock.elapsedMs).toBeLessThan(10_110);
    expect(sent.map(({ body }) => body)).toEqual(['{"name":"a"}', '{"name":"c"}']);
  });

  test("a call that is aborted between two attempts makes no further one, and stays open where the first left it open", async () => {
    const client = clientOn(() => raw(500, ""), { more: { random: () => 1 } });
    expect(await aborted(client, 100)).toMatchObject({ code: "aborted", ambiguous: true });
    await client.clock.advance(60_000);
    expect(client.sent).toHaveLength(1);
  });

  test("the client's own signal ends every call", async () => {
    const quits = new AbortController();
    const { core, clock } = clientOn(never, { more: { signal: quits.signal } });
    const calls = [core.snapshot("server"), core.authTest(), core.remove("server", "srv_1")];
    const failed = Promise.all(calls.map(failureOf));
    await clock.advance(10);
    quits.abort();
    for (const error of await failed) expect(error).toMatchObject({ code: "aborted" });
  });

  test("a proof that an object is gone ends with the last of those who asked for it", async () => {
    const service = new ListService(250);
    const { core, clock, sent } = clientOn((request) =>
      sent.length > 4 ? refused() : service.respond(request),
    );
    const quits = new AbortController();
    const read = (options: CallOptions) =>
      failureOf(core.read("server", "srv_none", { ...options, expectGone: true }));
    const leaves = read({ signal: quits.signal });
    const stays = read({ timeoutMs: 100_000 });
    await clock.advance(1_000);
    quits.abort();
    expect(await leaves).toMatchObject({ code: "aborted" });
    await clock.advance(90_000);
    expect(sent).toHaveLength(6);
    await clock.advance(10_000);
    expect(await stays).toMatchObject({ code: "deadline_exceeded" });
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    expect(sent).toHaveLength(6);
  });

  test("a page that fails ends the reading of the others", async () => {
    const service = new ListService(3_000);
    const { core, clock, failed, sent } = clientOn(async (request) => {
      if (queryOf(request).get("page") === "3") return ok({});
      await new Promise<void>((resolve) => void clock.after(10, resolve));
      return service.respond(request);
    });
    expect(await failed(core.list("server", {}))).toMatchObject({ code: "invalid_response" });
    await clock.advance(60_000);
    expect(sent.length).toBeLessThan(25);
  });

  test("a call that is over leaves no timer and no listener behind", async () => {
    const { core, clock } = clientOn(() => ok({ id: "srv_1" }));
    const quits = new AbortController();
    const options = { signal: quits.signal, timeoutMs: 60_000 };
    await clock.run(core.create("server", { name: "n" }, options));
    await clock.run(core.snapshot("cloud_provider", options).catch(() => undefined));
    expect(clock.pending).toBe(0);
  });
});

describe("stopping", () => {
  const stopped = async (respond: Respond) => {
    const { core, clock, sent } = clientOn(respond);
    const stops = new AbortController();
    const created = core.create("server", { name: "n" }, { stop: stops.signal });
    const outcome = created.catch((error: unknown) => error);
    await clock.advance(10);
    stops.abort();
    return { outcome: await clock.run(outcome), sent, elapsedMs: clock.elapsedMs };
  };

  test("a stopped call ends at once while it waits for the quota and all its attempts were refused", async () => {
    const { outcome, sent, elapsedMs } = await stopped(refused);
    expect(outcome).toMatchObject({ code: "aborted", ambiguous: false });
    expect(String(outcome)).toContain("interrupted before this call changed anything");
    expect(sent).toHaveLength(1);
    expect(elapsedMs).toBeLessThan(100);
  });

  test("a stopped call whose write may have succeeded is finished", async () => {
    const { outcome, sent } = await stopped(inTurn(raw(500, ""), SERVER));
    expect(outcome).toMatchObject({ record: { id: "srv_1" } });
    expect(sent).toHaveLength(2);
  });

  test("a stopped call whose write may have succeeded does not wait for the quota and stays open", async () => {
    const { outcome, sent, elapsedMs } = await stopped(inTurn(raw(500, ""), refused(), SERVER));
    expect(outcome).toMatchObject({ code: "aborted", ambiguous: true });
    expect(String(outcome)).toContain("an earlier attempt may have succeeded");
    expect(sent).toHaveLength(2);
    expect(elapsedMs).toBeLessThan(2_000);
  });

  test("a refusal after the stop ends the call", async () => {
    let answer = (_: RawAnswer): void => undefined;
    const { core, clock, sent } = clientOn(() => new Promise((resolve) => (answer = resolve)));
    const stops = new AbortController();
    const failed = failureOf(core.create("server", { name: "n" }, { stop: stops.signal }));
    await clock.advance(10);
    stops.abort();
    answer(refused());
    expect(await failed).toMatchObject({ code: "aborted", ambiguous: false });
    expect(sent).toHaveLength(1);
  });
});

describe("a deadline", () => {
  test("a time limit bounds the whole call, waits included", async () => {
    const { core, clock, failed } = clientOn(() => SERVER, { given: { limits: ["1/60s"] } });
    await clock.run(core.create("server", { name: "a" }));
    const error = await failed(core.create("server", { name: "b" }, { timeoutMs: 5_000 }));
    expect(error).toMatchObject({ code: "deadline_exceeded", retryable: true, ambiguous: false });
    expect(clock.elapsedMs).toBe(5_000);
  });

  test.each([
    [503, "internal_error"],
    [429, "rate_limit_exceeded"],
  ])("what would come too late is not waited for, with the reason: %i", async (status, code) => {
    const { core, clock, failed } = clientOn(() => failure(status, code, { retry_after: 60 }));
    const call = core.update("server", "srv_1", { name: "n" }, { timeoutMs: 5_000 });
    const ambiguous = status === 503;
    const late = { code: "deadline_exceeded", retryable: true, ambiguous, cause: { code } };
    expect(await failed(call)).toMatchObject(late);
    expect(clock.elapsedMs).toBe(0);
  });

  test("no call lasts longer than the window of its idempotency key", async () => {
    const refusal = failure(429, "rate_limit_exceeded", { retry_after: 840 });
    const { core, clock, failed } = clientOn(() => refusal, { given: { waitMax: "24h" } });
    const error = await failed(core.create("server", { name: "n" }));
    expect(error).toMatchObject({ code: "deadline_exceeded" });
    expect(clock.elapsedMs).toBeLessThanOrEqual(24 * 3_600_000);
  });

  describe("of a key that the service keeps for an hour", () => {
    const hourly = (limits: string[], respond: Respond) =>
      clientOn(respond, { given: { limits, profile: { idempotency: { windowHours: 1 } } } });
    const late = { code: "deadline_exceeded", ambiguous: true, cause: { code: "network_error" } };

    test("a retry that would wait longer for the quota is not sent, and may have succeeded", async () => {
      const { core, clock, failed, sent } = hourly(["1/1h"], inTurn(undefined, SERVER));
      expect(await failed(core.create("server", { name: "n" }))).toMatchObject(late);
      expect(clock.elapsedMs).toBeLessThan(1_000);
      expect(sent).toHaveLength(1);
      // A first attempt has no key yet that could be forgotten.
      await clock.run(core.create("server", { name: "n" }));
      expect(clock.elapsedMs).toBeGreaterThan(3_600_000);
    });

    test("neither is one that another retry keeps waiting for longer than it seemed", async () => {
      const lost = [0, 1_800_000];
      const { clock, creates, sent } = hourly(["2/59m"], async () => {
        const afterMs = lost.shift();
        if (afterMs === undefined) return SERVER;
        return new Promise((resolve) => void clock.after(afterMs, () => resolve(undefined)));
      });
      const outcomes = await clock.run(Promise.allSettled(creates(2)));
      expect(outcomes).toMatchObject([{ status: "fulfilled" }, { reason: late }]);
      expect(sent).toHaveLength(3);
      expect(clock.elapsedMs).toBeLessThan(3_600_000);
    });
  });
});

test("a closed client fails every further call", async () => {
  const { core, failed, sent } = clientOn(() => ok([]));
  await core.close();
  expect(await failed(core.authTest())).toMatchObject({ code: "closed" });
  expect(sent).toHaveLength(0);
});

test.each<[string, Respond, string[]]>([
  ["the quota", (request) => new ListService(150).respond(request), ["1/60s"]],
  ["a page after some", (request) => new ListService(950).respond(request), ["2/1s", "4/1h"]],
  ["the end of a pause", refused, []],
  ["its next attempt", () => raw(503, "", { "retry-after": "60" }), []],
])("what waits for %s ends when the client is closed", async (_, respond, limits) => {
  const { core, clock } = clientOn(respond, { given: { limits } });
  const reads = [core.snapshot("server"), core.read("server", "srv_none", { expectGone: true })];
  const failed = Promise.all(reads.map(failureOf));
  await clock.advance(2_100);
  await core.close();
  expect(await failed).toMatchObject([{ code: "closed" }, { code: "closed" }]);
  await clock.advance(0);
  expect(clock.pending).toBe(0);
});

test("a write that may have succeeded is finished when the client is closed", async () => {
  const { core, clock } = clientOn(inTurn(undefined, SERVER));
  const created = core.create("server", { name: "n" });
  await clock.advance(0);
  await core.close();
  expect(await clock.run(created)).toMatchObject({ leftOpen: true });
});

test.each(["", ".", ".."])("the id %p is refused before any call", async (id) => {
  const { core, sent } = clientOn(() => ok({}));
  const calls = [
    async () => core.read("server", id),
    async () => core.update("server", id, {}),
    async () => core.remove("server", id),
    async () => core.rotate(id),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "invalid_input" });
  expect(sent).toHaveLength(0);
});

test("the characters of an id stay in its path segment, below the path of the base address", async () => {
  const given = { baseUrl: `${BASE_URL.slice(0, -3)}/eu/v1/` };
  const { core, clock, sent } = clientOn(() => raw(204, ""), { given });
  await clock.run(core.update("server", "a/b?c#d é", { name: "n" }));
  expect(sent[0]?.path).toBe("/eu/v1/servers/a%2Fb%3Fc%23d%20%C3%A9");
});
