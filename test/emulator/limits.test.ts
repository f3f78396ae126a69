import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Limits, windowsOf } from "../../emulator/service/limits";
import { send, keyWith, newEmulator, manualTime } from "./support";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe("windows", () => {
  test.each([
    ["starter", "high_volume", 1_000, 100],
    ["professional", "standard", 1_000, 100],
    ["professional", "high_volume", 5_000, 500],
    ["enterprise", "high_volume", 10_000, 1_000],
    ["starter", "limited", 100, 10],
    ["professional", "unlimited", 5_000, 500],
  ] as const)("plan %s and %s: %i an hour, %i a minute", (plan, keyClass, hour, minute) => {
    expect(windowsOf(plan, keyClass)).toEqual([
      { requests: hour, windowMs: HOUR_MS },
      { requests: minute, windowMs: MINUTE_MS },
    ]);
  });

  test("the plan enterprise with the class unlimited has no windows", () => {
    expect(windowsOf("enterprise", "unlimited")).toEqual([]);
  });

  test("windows allow exactly as many requests as they say", () => {
    const window = fc.record({
      requests: fc.integer({ min: 1, max: 5 }),
      windowMs: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(
        fc.array(window, { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 80 }),
        (windows, steps) => {
          let nowMs = 0;
          const real = { wallMs: () => nowMs, monotonicMs: () => nowMs };
          const limits = new Limits(() => windows, real);
          const starts = windows.map(() => Number.NEGATIVE_INFINITY);
          const counts = windows.map(() => 0);
          for (const step of steps) {
            nowMs += step;
            windows.forEach(({ windowMs }, index) => {
              if (nowMs < (starts[index] ?? 0) + windowMs) return;
              starts[index] = nowMs;
              counts[index] = 0;
            });
            const free = windows.every(({ requests }, index) => (counts[index] ?? 0) < requests);
            const taken = limits.take("key_1", "standard");
            expect(taken.allowed).toBe(free);
            if (free) counts.forEach((count, index) => (counts[index] = count + 1));
            const left = windows.map(({ requests }, index) => requests - (counts[index] ?? 0));
            expect(taken.standing?.remaining).toBe(Math.min(...left));
          }
        },
      ),
    );
  });
});

describe("over HTTP", () => {
  test("every answer has the state of the quota, refusals included", async () => {
    const { realTime } = manualTime();
    const emulator = await newEmulator({ realTime, plan: "starter", keyClass: "standard" });
    const good = await send(emulator, "GET /servers");
    expect(good.headers.get("x-ratelimit-limit")).toBe("100");
    expect(good.headers.get("x-ratelimit-remaining")).toBe("99");
    const reset = Number(good.headers.get("x-ratelimit-reset"));
    expect(reset).toBe(Math.ceil(realTime.wallMs() / 1_000 + 60));
    expect((await send(emulator, "GET /planets")).headers.get("x-ratelimit-remaining")).toBe("98");
  });

  test("a request over the limit is a 429 with retry_after in body and header", async () => {
    const { realTime } = manualTime();
    const emulator = await newEmulator({ realTime, limits: [{ requests: 2, windowMs: 5_000 }] });
    for (let count = 0; count < 2; count += 1) await send(emulator, "GET /servers");
    const reply = await send(emulator, "GET /servers");
    const message = "too many requests; try again in 5 s";
    const error = { code: "rate_limit_exceeded", message, retry_after: 5 };
    expect(reply.status).toBe(429);
    expect(reply.body).toEqual({ success: false, error, meta: expect.any(Object) });
    expect(reply.headers.get("retry-after")).toBe("5");
    expect(reply.headers.get("x-ratelimit-remaining")).toBe("0");
  });

  test("a window ends in real time whatever the emulator's clock says", async () => {
    const { realTime, pass } = manualTime();
    const emulator = await newEmulator({ realTime, limits: [{ requests: 1, windowMs: 300 }] });
    await send(emulator, "GET /servers");
    emulator.advance("90d");
    for (const [ms, status] of [[0, 429] as const, [299, 429] as const, [1, 200] as const]) {
      pass(ms);
      expect((await send(emulator, "GET /servers")).status).toBe(status);
    }
  });

  test("each key has its own quota, by class", async () => {
    const emulator = await newEmulator({ keyClass: "standard" });
    const limited = keyWith(emulator, ["admin"], { key_class: "limited" });
    const free = keyWith(emulator, ["admin"], { key_class: "unlimited" });
    const remaining = async (key: string) =>
      (await send(emulator, "GET /servers", { key })).headers.get("x-ratelimit-remaining");
    expect(await remaining(emulator.adminKey)).toBe("99");
    expect(await remaining(limited)).toBe("9");
    expect(await remaining(free)).toBeNull();
    expect(emulator.limits()).toEqual([
      expect.objectContaining({ key_id: "key_1", limit: 100, remaining: 99 }),
      expect.objectContaining({ key_id: "key_2", limit: 10, remaining: 9 }),
    ]);
  });

  test("requests without a valid key use up nobody's quota", async () => {
    const emulator = await newEmulator({ limits: [{ requests: 1, windowMs: 60_000 }] });
    for (let count = 0; count < 5; count += 1)
      await send(emulator, "GET /servers", { key: "nobody" });
    expect((await send(emulator, "GET /servers")).status).toBe(200);
  });
});
