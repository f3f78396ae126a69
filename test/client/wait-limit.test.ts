/** How long the service may keep a run waiting, which holds the lock of a state all the while. */
import { describe, expect, test } from "@jest/globals";
import type { Notice } from "../../provider/client/api";
import { seeded } from "./support/clock";
import { clientOn, failure, inTurn, raw, SERVER } from "./support/core";
import { limitedService } from "./support/limited-service";

const HOUR_MS = 3_600_000;
/** A refusal that asks for a pause of that many seconds. */
const pause = (retry_after: number) => failure(429, "rate_limit_exceeded", { retry_after });

describe("a wait that the service asks for", () => {
  test.each([
    ["429", pause(901)],
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

  test("calls that wait for the quota already fail at once with those that are refused", async () => {
    const given = { limits: ["8/1h"], concurrency: 20 };
    const { clock, creates } = clientOn(() => pause(7_200), { given });
    await clock.run(Promise.allSettled(creates(20)));
    expect(clock.elapsedMs).toBe(0);
  });
});

describe("a wait for the next window of the quota", () => {
  test("a key of 1,000 requests an hour is waited for, and each wait is announced", async () => {
    const notices: Notice[] = [];
    const onNotice = (notice: Notice) => notices.push(notice);
    const { clock, creates } = clientOn((request) => service.respond(request));
    const service = limitedService(clock, {
      ...{ phase: "first-request", reset: "unix-ceil", latencyMs: [2, 6], random: seeded(1) },
      limits: [{ requests: 1_000, windowMs: HOUR_MS }],
    });
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
