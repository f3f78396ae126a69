import { describe, expect, test } from "@jest/globals";
import { createCore } from "../../provider/client/core";
import { readConfiguration } from "../../provider/client/settings/read";
import type { RawAnswer } from "../../provider/client/chain/call";
import type { WireRequest } from "../../provider/client/chain/transport";
import { FakeClock } from "./support/clock";
import {
  BASE_URL,
  CANARY,
  failure,
  failureOf,
  ok,
  raw,
  clientOn,
  transportOf,
  type Respond,
} from "./support/core";

/** An answer that never comes. */
const never = () => new Promise<undefined>(() => undefined);

test.each([
  ["aborted", { signal: AbortSignal.abort() }],
  ["stopped", { stop: AbortSignal.abort() }],
])("a call that is %s before it is sent sends nothing", async (_, options) => {
  const { core, clock, sent } = clientOn(() => ok([]));
  const error = await failureOf(clock.run(core.create("server", { name: "n" }, options)));
  expect(error).toMatchObject({ code: "aborted", ambiguous: false, retryable: false });
  expect(sent).toHaveLength(0);
});

describe("giving up", () => {
  test("a write that is aborted while its request is under way may have succeeded", async () => {
    const { core, clock } = clientOn(never);
    const quits = new AbortController();
    const failed = failureOf(core.create("server", { name: "n" }, { signal: quits.signal }));
    await clock.advance(10);
    quits.abort(new Error("enough"));
    expect(await failed).toMatchObject({ code: "aborted", ambiguous: true, objectId: undefined });
  });

  test("a call that is aborted while it waits for a slot never takes one", async () => {
    const { core, clock, sent } = clientOn(never, { given: { concurrency: 1 } });
    const quits = new AbortController();
    void core.create("server", { name: "a" }).catch(() => undefined);
    const failed = failureOf(core.create("server", { name: "b" }, { signal: quits.signal }));
    await clock.advance(10);
    quits.abort();
    expect(await failed).toMatchObject({ code: "aborted", ambiguous: false });
    expect(sent).toHaveLength(1);
  });

  test("when a call that waits for the quota is aborted, the others move up", async () => {
    const { core, clock, sent } = clientOn(() => ok({ id: "srv_1", name: "n" }), {
      given: { limits: [{ requests: 1, windowMs: 10_000 }] },
    });
    await clock.run(core.create("server", { name: "a" }));
    const quits = new AbortController();
    const failed = failureOf(core.create("server", { name: "b" }, { signal: quits.signal }));
    const next = core.create("server", { name: "c" });
    await clock.advance(10);
    quits.abort();
    expect(await failed).toMatchObject({ code: "aborted" });
    const begun = clock.monotonicMs();
    await clock.run(next);
    expect(clock.monotonicMs() - begun).toBeLessThan(10_100);
    expect(sent.map(({ body }) => body)).toEqual(['{"name":"a"}', '{"name":"c"}']);
  });

  test("a call that is aborted between two attempts makes no further one, and stays open where the first left it open", async () => {
    const { core, clock, sent } = clientOn(() => raw(500, ""), { more: { random: () => 1 } });
    const quits = new AbortController();
    const failed = failureOf(core.create("server", { name: "n" }, { signal: quits.signal }));
    await clock.advance(100);
    quits.abort();
    expect(await failed).toMatchObject({ code: "aborted", ambiguous: true });
    await clock.advance(60_000);
    expect(sent).toHaveLength(1);
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
  const refused = () => failure(429, "rate_limit_exceeded", { retry_after: 60 });
  const stopped = async (respond: Respond) => {
    const { core, clock, sent } = clientOn(respond);
    const stops = new AbortController();
    const begun = clock.monotonicMs();
    const created = core.create("server", { name: "n" }, { stop: stops.signal });
    const outcome = created.catch((error: unknown) => error);
    await clock.advance(10);
    stops.abort();
    return { outcome: await clock.run(outcome), sent, elapsedMs: clock.monotonicMs() - begun };
  };

  test("a stopped call ends at once while it waits for the quota and all its attempts were refused", async () => {
    const { outcome, sent, elapsedMs } = await stopped(refused);
    expect(outcome).toMatchObject({ code: "aborted", ambiguous: false });
    expect(String(outcome)).toContain("interrupted before this call changed anything");
    expect(sent).toHaveLength(1);
    expect(elapsedMs).toBeLessThan(100);
  });

  test("a stopped call whose write may have succeeded is finished", async () => {
    const answers = [raw(500, ""), ok({ id: "srv_1", name: "n" })];
    const { outcome, sent } = await stopped(() => answers.shift());
    expect(outcome).toMatchObject({ record: { id: "srv_1" } });
    expect(sent).toHaveLength(2);
  });

  test("a stopped call whose write may have succeeded does not wait for the quota and stays open", async () => {
    const answers = [raw(500, ""), refused(), ok({ id: "srv_1", name: "n" })];
    const { outcome, sent, elapsedMs } = await stopped(() => answers.shift());
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
    const { core, clock } = clientOn(() => ok({ id: "srv_1" }), {
      given: { limits: [{ requests: 1, windowMs: 60_000 }] },
    });
    await clock.run(core.create("server", { name: "a" }));
    const begun = clock.monotonicMs();
    const error = await failureOf(
      clock.run(core.create("server", { name: "b" }, { timeoutMs: 5_000 })),
    );
    expect(error).toMatchObject({ code: "deadline_exceeded", retryable: true, ambiguous: false });
    expect(clock.monotonicMs() - begun).toBe(5_000);
  });

  test("an attempt that would come too late is not waited for, and the error keeps the reason", async () => {
    const { core, clock } = clientOn(() => failure(503, "internal_error", { retry_after: 60 }));
    const begun = clock.monotonicMs();
    const error = await failureOf(
      clock.run(core.update("server", "srv_1", { name: "n" }, { timeoutMs: 5_000 })),
    );
    expect(error).toMatchObject({
      code: "deadline_exceeded",
      ambiguous: true,
      cause: { code: "internal_error" },
    });
    expect(clock.monotonicMs()).toBe(begun);
  });

  test("no call lasts longer than the window of its idempotency key", async () => {
    const { core, clock } = clientOn(() =>
      failure(429, "rate_limit_exceeded", { retry_after: 840 }),
    );
    const begun = clock.monotonicMs();
    const error = await failureOf(clock.run(core.create("server", { name: "n" })));
    expect(error).toMatchObject({ code: "deadline_exceeded" });
    expect(clock.monotonicMs() - begun).toBeLessThanOrEqual(24 * 3_600_000);
  });
});

describe("a client that was closed", () => {
  test("a closed client fails every further call", async () => {
    const { core, clock, sent } = clientOn(() => ok([]));
    await core.close();
    const error = await failureOf(clock.run(core.authTest()));
    expect(error).toMatchObject({ code: "closed" });
    expect(sent).toHaveLength(0);
  });
});

describe("ids", () => {
  test.each(["", ".", ".."])("the id %p is refused before any call", async (id) => {
    const { core, sent } = clientOn(() => ok({}));
    const calls = [
      async () => core.read("server", id),
      async () => core.update("server", id, {}),
      async () => core.remove("server", id),
      async () => core.rotate(id),
    ];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({ code: "invalid_input" });
    }
    expect(sent).toHaveLength(0);
  });

  test("the characters of an id stay in its path segment", async () => {
    const { core, clock, sent } = clientOn(() => ok({ id: "a/b?c" }));
    await clock.run(core.update("server", "a/b?c#d é", { name: "n" }));
    expect(sent[0]?.path).toBe("/v1/servers/a%2Fb%3Fc%23d%20%C3%A9");
  });

  test("the path of the base address is kept", async () => {
    const clock = new FakeClock();
    const sent: WireRequest[] = [];
    const core = createCore(
      readConfiguration({ given: { apiKey: CANARY, baseUrl: `${BASE_URL.slice(0, -3)}/eu/v1/` } }),
      {
        clock,
        random: () => 0,
        uuid: () => "u",
        transport: transportOf(() => ok({ id: "x" }), sent),
      },
    );
    await clock.run(core.update("server", "x", {}));
    expect(sent[0]?.path).toBe("/eu/v1/servers/x");
  });
});
