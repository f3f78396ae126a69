import { describe, expect, test } from "@jest/globals";
import { rateOfHeaders } from "../../provider/client/quota/rate-headers";
import fc from "fast-check";
import { seededRandom } from "../../emulator/random";
import { Budget } from "../../provider/client/quota/budget";
import { resetOf } from "../../provider/client/quota/rate-headers";
import { FakeClock } from "./support/clock";
import { clientOn, failure, inTurn, ok, raw, SERVER, type Respond } from "./support/core";
import { limitedService, type ServiceOptions } from "./support/limited-service";

const LIMITS = [
  { requests: 100, windowMs: 2_000 },
  { requests: 1_000, windowMs: 60_000 },
];

/** Creates `count` servers from that many cores on one key; milliseconds it took. */
async function load(count: number, options: ServiceOptions, cores = 1, limits = options.limits) {
  const clock = new FakeClock();
  const service = limitedService(clock, options);
  const given = { limits, share: 1 / cores };
  const rigs = Array.from({ length: cores }, () => clientOn(service.respond, { clock, given }));
  const begun = clock.wallMs();
  await clock.run(Promise.all(rigs.flatMap(({ creates }) => creates(count / cores))));
  return { took: clock.wallMs() - begun, begun, ...service };
}

const local = {
  limits: LIMITS,
  phase: "first-request",
  reset: "unix-ceil",
  latencyMs: [2, 6],
} as const;

describe("pacing", () => {
  test.each([
    ["one process", 1, 2, 6],
    ["two processes with half each", 2, 2, 6],
    ["one process far away", 1, 20, 40],
  ])("2,500 creates run at 91 % of what the windows allow: %s", async (_, cores, min, max) => {
    const options = { ...local, latencyMs: [min, max] as const, random: seededRandom(3) };
    const run = await load(2_500, options, cores);
    // Ten bursts in each of two minutes and five in the third; the last needs no wait after it.
    const allowedMs = 2 * 60_000 + 4 * 2_000;
    expect(allowedMs / run.took).toBeGreaterThanOrEqual(0.91);
    expect(run.refused.length).toBeLessThanOrEqual(25);
    const hundredth = (run.accepted[99] ?? Number.NaN) - run.begun;
    // Ten at a time, each there and back.
    expect(hundredth).toBeLessThanOrEqual(10 * max + 5);
  });

  test("a service whose windows begin on the minute is not kept waiting after the minute ends", async () => {
    const clock = new FakeClock(Date.parse("2026-01-01T00:00:40.000Z") - 1_000);
    const service = limitedService(clock, { ...local, phase: "epoch", random: seededRandom(5) });
    const { creates } = clientOn(service.respond, { clock, given: { limits: LIMITS } });
    await clock.run(Promise.all(creates(2_500)));
    // 1,000 until the minute ends after 20 s, 1,000 in the next, 500 in the third.
    const allowedMs = 20_000 + 60_000 + 4 * 2_000;
    expect(allowedMs / clock.elapsedMs).toBeGreaterThanOrEqual(0.91);
    expect(service.refused.length).toBeLessThanOrEqual(25);
  });

  test("configured windows are never exceeded, whatever the phase, the latency and the form of the reset", async () => {
    const limits = [
      { requests: 20, windowMs: 2_000 },
      { requests: 60, windowMs: 15_000 },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          phase: fc.constantFrom("first-request", "epoch"),
          reset: fc.constantFrom("unix-ceil", "unix-floor", "iso", "delta", "none"),
          minMs: fc.integer({ min: 1, max: 60 }),
          spreadMs: fc.integer({ min: 0, max: 40 }),
          cores: fc.integer({ min: 1, max: 2 }),
          seed: fc.integer(),
        }),
        async ({ phase, reset, minMs, spreadMs, cores, seed }) => {
          const latencyMs = [minMs, minMs + spreadMs] as const;
          const options = { limits, phase, reset, latencyMs, random: seededRandom(seed) };
          const run = await load(160, options, cores);
          expect(run.accepted).toHaveLength(160);
          // A few may be refused where an arrival is held up more than any before it.
          expect(run.refused.length).toBeLessThanOrEqual(cores);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("windows that are not configured are learned from the answers", async () => {
    const limits = [{ requests: 100, windowMs: 60_000 }];
    const run = await load(250, { ...local, limits, random: seededRandom(7) }, 1, []);
    expect(run.refused.length).toBeLessThanOrEqual(3);
    expect(run.took).toBeLessThan(2 * 60_000 * 1.05);
  });

  test("the quota that /auth/test reports paces the calls after it, although no answer has rate headers", async () => {
    const resetMs = 30_000;
    const { core, clock, creates, times } = clientOn(({ path }) => {
      if (!path.endsWith("/auth/test")) return SERVER;
      const reset = Math.floor((clock.wallMs() + resetMs) / 1000);
      const rate_limit = { limit: 3, remaining: 2, reset };
      const data = { authenticated: true, key_id: "key_1", permissions: ["admin"], rate_limit };
      return raw(200, { success: true, data });
    });
    await clock.run(core.authTest());
    const begun = clock.elapsedMs;
    await clock.run(Promise.all(creates(3)));
    const waits = times.slice(1).map((time) => time - begun);
    expect(waits.slice(0, 2)).toEqual([0, 0]);
    expect(waits[2]).toBeGreaterThanOrEqual(resetMs - 1_000);
    expect(waits[2]).toBeLessThan(resetMs + 3_000);
  });

  const reset = "2026-01-01T01:00:00Z";
  const quotas = [0, -1, null, "none"].map((limit) => ({ limit, remaining: limit, reset }));
  test.each([...quotas, null])("a quota of %j, as some say, slows nothing", async (rate_limit) => {
    const tested = ok({ authenticated: true, key_id: "key_1", permissions: [], rate_limit });
    const { core, clock, creates } = clientOn(inTurn(tested, SERVER));
    await clock.run(core.authTest());
    await clock.run(Promise.all(creates(5)));
    expect(clock.elapsedMs).toBeLessThan(1_000);
  });

  test("calls wait in the order they come, and those that have started go first", async () => {
    const order: string[] = [];
    const respond: Respond = ({ body }) => {
      const { name } = JSON.parse(body ?? "{}") as { name: string };
      order.push(name);
      return order.join("") === "a" ? failure(500, "internal_error") : ok({ id: name, name });
    };
    const { core, clock } = clientOn(respond, { given: { limits: ["1/1s"], concurrency: 2 } });
    await clock.run(Promise.all([..."abcde"].map((name) => core.create("server", { name }))));
    expect(order.filter((name) => name !== "a")).toEqual([..."bcde"]);
    expect(order.lastIndexOf("a")).toBeLessThan(order.indexOf("c"));
  });

  test("a 429 closes the gate for the whole key, for at least as long as was asked", async () => {
    const { creates, clock, times, notices, onNotice } = clientOn(inTurn(pause(7), SERVER));
    const first = creates(1, { onNotice });
    await clock.advance(0);
    await clock.run(Promise.all([...first, ...creates(1, { onNotice })]));
    expect(times).toHaveLength(3);
    expect(times[1]).toBeGreaterThan(7_000);
    expect(times[1]).toBeLessThan(8_100);
    expect(notices.map(({ kind }) => kind)).toEqual(["rate-limit", "rate-limit"]);
    expect(notices[0]?.message).toMatch(/asked for a pause \(429\); continuing in about \d s/);
  });

  test("429s without a Retry-After are met with growing waits, one request at a time", async () => {
    const bare = { status: 429, headers: {}, body: "" };
    const { creates, clock, times } = clientOn(() => (times.length <= 14 ? bare : SERVER));
    await clock.run(Promise.all(creates(10)));
    // Ten were under way; then one goes ahead at a time, later and later.
    const probes = times.slice(10, 15);
    const gaps = probes.slice(1).map((time, index) => time - (probes[index] ?? 0));
    expect(gaps.every((gap, index) => gap > 1.5 * (gaps[index - 1] ?? 500))).toBe(true);
    expect(times).toHaveLength(24);
  });

  test("a listener that throws stops neither its own call nor those after it", async () => {
    const { clock, creates } = clientOn(inTurn(pause(5), raw(503, ""), SERVER));
    const onNotice = () => {
      throw new Error("mine");
    };
    await clock.run(Promise.all(creates(1, { onNotice })));
    await clock.run(Promise.all(creates(1)));
    expect(clock.elapsedMs).toBeLessThan(10_000);
  });

  test("requests of others with the same key lower the estimate until the window ends", () => {
    const budget = new Budget([{ requests: 10, windowMs: 60_000 }], 1);
    budget.grant();
    budget.answered(0, 1, { limit: 10, remaining: 2, resetInMs: 30_000, marginMs: 0 });
    budget.grant();
    budget.grant();
    expect(budget.waitMs(10)).toBe(29_990);
    expect(budget.blocking(10)).toEqual({ requests: 10, windowMs: 60_000 });
  });

  test("another process that stays within its share does not lower ours", () => {
    const budget = new Budget([{ requests: 10, windowMs: 60_000 }], 0.5);
    budget.grant();
    budget.answered(0, 1, { limit: 10, remaining: 4, resetInMs: 30_000, marginMs: 0 });
    for (let count = 0; count < 4; count += 1) {
      expect(budget.waitMs(10)).toBe(0);
      budget.grant();
    }
    expect(budget.waitMs(10)).toBeGreaterThan(0);
  });

  test("a reset may be Unix seconds, a delta, milliseconds or a timestamp", () => {
    const wallMs = Date.parse("2020-01-01T00:00:00Z");
    const at = Date.parse("2026-01-01T00:00:30.000Z");
    const resetIn = (reset: string | number) =>
      resetOf(reset, "2026-01-01T00:00:00.500Z", wallMs).resetInMs;
    expect(resetIn("30")).toBe(30_000);
    const same = [String(at / 1000), at, "2026-01-01T00:00:30Z"];
    expect(same.map(resetIn)).toEqual([29_500, 29_500, 29_500]);
    expect(resetOf("2026-01-01T00:00:30Z", undefined, at).resetInMs).toBe(0);
    const odd = ["soon", "", "-5000", "99999999999999999"];
    expect(odd.map(resetIn)).toEqual(odd.map(() => undefined));
  });
});

/** How long the service may keep a run waiting, which holds the lock of a state all the while. */
const HOUR_MS = 3_600_000;
/** A refusal that asks for a pause of that many seconds. */
const pause = (retry_after: number) => failure(429, "rate_limit_exceeded", { retry_after });

describe("a wait that the service asks for", () => {
  test.each([
    ["429", pause(901)],
    ["429 as a text", failure(429, "rate_limit_exceeded", { retry_after: "901" })],
    ["429 with null", failure(429, "rate_limit_exceeded", { retry_after: 901, details: null })],
    ["503", raw(503, "", { "retry-after": "901" })],
    ["a request under way", failure(409, "idempotency_in_flight", { retry_after: 901 })],
  ])("a call fails at once when it would be longer than 15 minutes: %s", async (_, answer) => {
    const { core, clock, failed, sent } = clientOn(() => answer);
    const error = await failed(core.create("server", { name: "n" }));
    expect(clock.elapsedMs).toBe(0);
    expect(sent).toHaveLength(1);
    expect(String(error)).toContain("; the wait would be 901 s, and at most 900 s are allowed");
    expect(error).toMatchObject({ retryAfterMs: 901_000, retryable: true });
  });

  test("the error gives the service's own word, its code, and the setting to raise", async () => {
    const detail = { message: "Slow down", retry_after: 3_600 };
    const { core, failed } = clientOn(() => failure(429, "rate_limit_exceeded", detail));
    expect(String(await failed(core.authTest()))).toBe(
      "ErpHostError: GET /auth/test → 429 rate_limit_exceeded: Slow down; the wait would be 3600 s, and at most 900 s are allowed. Try again after that time, or raise waitMax (ERPHOST_WAIT_MAX). (request req_1)",
    );
  });

  test("a wait of 15 minutes, and a longer one that is allowed, is kept", async () => {
    for (const [given, seconds] of [
      [{}, 900],
      [{ waitMax: "1h" }, 3_600],
    ] as const) {
      const { core, clock } = clientOn(inTurn(pause(seconds), SERVER), { given });
      await clock.run(core.create("server", { name: "n" }));
      expect(clock.elapsedMs).toBeGreaterThanOrEqual(seconds * 1000);
    }
  });

  test("calls that wait, and those that come, fail too and refer to the first; later ones are sent", async () => {
    let refuse = true;
    const { clock, creates, failures, sent } = clientOn(() => (refuse ? pause(3_600) : SERVER));
    const errors = await failures(creates(300));
    expect(sent).toHaveLength(10);
    expect(errors.at(-1)).toMatchObject({ status: 429, repeated: true, ambiguous: false });
    expect(errors.at(-1)?.message).toContain("same failure as before");
    refuse = false;
    // What is left of the wait is short enough now.
    await clock.advance(HOUR_MS - 800_000);
    await clock.run(Promise.all(creates(1)));
    expect(sent).toHaveLength(11);
  });

  test("refusals that follow each other are waited for as long as two windows, unless calls begin later", async () => {
    let refuse = true;
    const { core, clock, creates, failures, sent } = clientOn(() => (refuse ? pause(60) : SERVER));
    const errors = await failures([core.snapshot("server"), ...creates(30)]);
    expect(clock.elapsedMs / HOUR_MS).toBeCloseTo(2, 1);
    expect(String(errors[0])).toMatch(
      /; the wait would be 7[23]\d\d s, and at most 7[23]\d\d s are/,
    );
    expect(errors.every(({ why }) => /wait_too_long|failed_as_before/.test(why.code))).toBe(true);
    const before = sent.length;
    await clock.advance(HOUR_MS);
    const later = creates(2);
    await clock.advance(HOUR_MS / 2);
    refuse = false;
    await clock.run(Promise.all(later));
    expect(sent.length).toBeGreaterThan(before + 25);
  });

  test("calls that wait for the quota already fail at once with those that are refused", async () => {
    const given = { limits: ["8/1h"], concurrency: 20 };
    const { clock, creates } = clientOn(() => pause(7_200), { given });
    await clock.run(Promise.allSettled(creates(20)));
    expect(clock.elapsedMs).toBe(0);
  });
});

describe("a wait for the next window of the quota", () => {
  test("a key of 1,000 requests an hour is waited for, and each wait is announced", async () => {
    const limits = [{ requests: 1_000, windowMs: HOUR_MS }];
    const { clock, creates, notices, onNotice } = clientOn((each) => service.respond(each));
    const service = limitedService(clock, { ...local, limits, random: seededRandom(1) });
    await clock.run(Promise.all(creates(2_100, { onNotice })));
    expect(service.accepted).toHaveLength(2_100);
    // The last of a window may be refused, with all of the hour to wait: it is our own hour.
    expect(service.refused.length).toBeLessThanOrEqual(3);
    expect(Math.max(...notices.map(({ waitMs = 0 }) => waitMs))).toBeGreaterThan(3_000_000);
  });

  test("a quota that the service declares used up for a day is not waited for", async () => {
    const headers = {
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "80000",
    };
    const { core, clock, failed } = clientOn(() => ({ ...SERVER, headers }));
    await clock.run(core.create("server", { name: "n" }));
    const error = await failed(core.create("server", { name: "n" }));
    expect(clock.elapsedMs).toBe(0);
    expect(String(error)).toMatch(
      /rate_limit_exceeded: the quota of the key of 5 requests in about 80000 s is used up; the wait would be 8\d{4} s, and at most 36\d\d s/,
    );
  });

  test("a quota whose window is configured is waited for, however long it is", async () => {
    const { creates, clock } = clientOn(() => SERVER, { given: { limits: ["1/8h"] } });
    await clock.run(Promise.all(creates(2)));
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(8 * HOUR_MS);
  });
});

test("a window ends by the time of the answer's header where its meta says none", () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  const reset = String(Date.parse(date) / 1000 + 30);
  const headers = { "x-ratelimit-limit": "60", "x-ratelimit-reset": reset, date };
  expect(rateOfHeaders(headers, "", 0)).toMatchObject({ resetInMs: 30_000 });
});
