/** How long the service may keep a run waiting, which holds the lock of a state all the while. */
import { describe, expect, test } from "@jest/globals";
import type { Notice } from "../../provider/client/api";
import type { ErpHostError } from "../../provider/client/errors";
import { seeded } from "./support/clock";
import { clientOn, failure, failureOf, ok, raw } from "./support/core";
import { limitedService } from "./support/limited-service";

const HOUR_MS = 3_600_000;
const record = () => ok({ id: "srv_1", name: "n" });

describe("a wait that the service asks for", () => {
  test.each([
    ["429", () => failure(429, "rate_limit_exceeded", { retry_after: 901 })],
    ["503", () => raw(503, "", { "retry-after": "901" })],
    ["a request under way", () => failure(409, "idempotency_in_flight", { retry_after: 901 })],
  ])("a call fails at once when it would be longer than 15 minutes: %s", async (_, respond) => {
    const { core, clock, sent } = clientOn(respond);
    const begun = clock.monotonicMs();
    const error = await failureOf(clock.run(core.create("server", { name: "n" })));
    expect(clock.monotonicMs()).toBe(begun);
    expect(sent).toHaveLength(1);
    expect(String(error)).toContain("; the wait would be 901 s, and at most 900 s are allowed");
    expect(error).toMatchObject({ retryAfterMs: 901_000, retryable: true });
  });

  test("the error gives the service's own word, its code, and the setting to raise", async () => {
    const { core, clock } = clientOn(() =>
      failure(429, "rate_limit_exceeded", { message: "Slow down", retry_after: 3_600 }),
    );
    const error = await failureOf(clock.run(core.authTest()));
    expect(String(error)).toBe(
      "ErpHostError: GET /auth/test → 429 rate_limit_exceeded: Slow down; the wait would be 3600 s, and at most 900 s are allowed. Try again after that time, or raise waitMax (ERPHOST_WAIT_MAX). (request req_1)",
    );
  });

  test("a wait of 15 minutes, and a longer one that is allowed, is kept", async () => {
    for (const [given, seconds] of [
      [{}, 900],
      [{ waitMax: "1h" }, 3_600],
    ] as const) {
      let calls = 0;
      const { core, clock } = clientOn(
        () =>
          ++calls === 1 ? failure(429, "rate_limit_exceeded", { retry_after: seconds }) : record(),
        { given },
      );
      const begun = clock.monotonicMs();
      await clock.run(core.create("server", { name: "n" }));
      expect(clock.monotonicMs() - begun).toBeGreaterThanOrEqual(seconds * 1000);
    }
  });

  test("calls that wait, and those that come, fail too and refer to the first; later ones are sent", async () => {
    let refuse = true;
    const { core, clock, sent } = clientOn(() =>
      refuse ? failure(429, "rate_limit_exceeded", { retry_after: 3_600 }) : record(),
    );
    const create = () => core.create("server", { name: "n" });
    const calls = Array.from({ length: 300 }, () => failureOf(create()));
    // Each of them failed, or the test has.
    const errors = (await clock.run(Promise.all(calls))) as ErpHostError[];
    expect(sent).toHaveLength(10);
    expect(errors.at(-1)).toMatchObject({ status: 429, repeated: true, ambiguous: false });
    expect(errors.at(-1)?.message).toContain("same failure as before");
    refuse = false;
    // What is left of the wait is short enough now.
    await clock.advance(HOUR_MS - 800_000);
    await clock.run(create());
    expect(sent).toHaveLength(11);
  });

  test("calls that wait for the quota already fail at once with those that are refused", async () => {
    const { core, clock } = clientOn(
      () => failure(429, "rate_limit_exceeded", { retry_after: 7_200 }),
      { given: { limits: ["8/1h"], concurrency: 20 } },
    );
    const begun = clock.monotonicMs();
    const calls = Array.from({ length: 20 }, () => core.create("server", { name: "n" }));
    await clock.run(Promise.allSettled(calls));
    expect(clock.monotonicMs()).toBe(begun);
  });
});

describe("a wait for the next window of the quota", () => {
  test("a key of 1,000 requests an hour is waited for, and each wait is announced", async () => {
    const notices: Notice[] = [];
    const onNotice = (notice: Notice) => notices.push(notice);
    const { core, clock } = clientOn((request) => service.respond(request));
    const limits = [{ requests: 1_000, windowMs: HOUR_MS }];
    const service = limitedService(clock, {
      limits,
      phase: "first-request",
      reset: "unix-ceil",
      latencyMs: [2, 6],
      random: seeded(1),
    });
    const creates = Array.from({ length: 2_100 }, () =>
      core.create("server", { name: "n" }, { onNotice }),
    );
    await clock.run(Promise.all(creates));
    expect(service.accepted).toHaveLength(2_100);
    // The last of a window may be refused, with all of the hour to wait: it is our own hour.
    expect(service.refused.length).toBeLessThanOrEqual(3);
    expect(Math.max(...notices.map(({ waitMs = 0 }) => waitMs))).toBeGreaterThan(3_000_000);
  });

  test("a quota that the service declares used up for a day is not waited for", async () => {
    const { core, clock } = clientOn(() =>
      raw(
        200,
        { success: true, data: { id: "srv_1", name: "n" } },
        {
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": "80000",
        },
      ),
    );
    await clock.run(core.create("server", { name: "n" }));
    const begun = clock.monotonicMs();
    const error = await failureOf(clock.run(core.create("server", { name: "n" })));
    expect(clock.monotonicMs()).toBe(begun);
    expect(String(error)).toMatch(
      /rate_limit_exceeded: the quota of the key of 5 requests per 80000 s is used up; the wait would be 8\d{4} s, and at most 36\d\d s/,
    );
  });

  test("a quota whose window is configured is waited for, however long it is", async () => {
    const { core, clock } = clientOn(record, { given: { limits: ["1/8h"] } });
    const begun = clock.monotonicMs();
    await clock.run(core.create("server", { name: "a" }));
    await clock.run(core.create("server", { name: "b" }));
    expect(clock.monotonicMs() - begun).toBeGreaterThanOrEqual(8 * HOUR_MS);
  });
});
