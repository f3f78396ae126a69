import { describe, expect, jest, test } from "@jest/globals";
import { Clock } from "../../emulator/time/clock";
import { Scheduler } from "../../emulator/time/scheduler";
import type { Outbox } from "../../emulator/webhooks/outbox";
import { Sender } from "../../emulator/webhooks/sender";
import { atEnd } from "../support/folder";
import { send, newEmulator, control, until } from "./support";

const create = { body: { name: "a" } };

describe("the clock", () => {
  test("the clock can be advanced and dates what happens next", async () => {
    const emulator = await newEmulator();
    const before = Date.now();
    const { now } = (await control(emulator, "PUT /clock", { advance: "90d" })).body;
    const aheadMs = Date.parse(now) - before - 90 * 86_400_000;
    expect(aheadMs >= 0 && aheadMs < 5_000).toBe(true);
    const { data, meta } = (await send(emulator, "POST /servers", create)).body;
    for (const time of [data.created_at, meta.timestamp]) expect(time >= now).toBe(true);
  });

  test("the clock can run faster, stand still and jump", async () => {
    let monotonic = 0;
    const clock = new Clock({ wallMs: () => 1_000, monotonicMs: () => monotonic });
    monotonic = 10;
    expect(clock.nowMs()).toBe(1_010);
    clock.setRate(60);
    monotonic = 20;
    expect(clock.nowMs()).toBe(1_610);
    clock.setRate(0);
    monotonic = 500;
    expect(clock.nowMs()).toBe(1_610);
    clock.advance(5);
    expect(clock.nowMs()).toBe(1_615);
  });

  test("the clock can be set to a later time or date", async () => {
    const emulator = await newEmulator();
    emulator.setClock({ rate: 0 });
    const { body } = await control(emulator, "PUT /clock", { now: "2098-12-31T12:00:00+01:00" });
    expect(body.now).toBe("2098-12-31T11:00:00.000Z");
    expect(emulator.setClock({ now: "2099-01-01" }).now).toBe("2099-01-01T00:00:00.000Z");
  });

  test("the clock cannot be set to an earlier time, and says what time it is", async () => {
    const emulator = await newEmulator();
    emulator.setClock({ rate: 0 });
    const { now } = emulator.setClock({ now: "2099-01-01" });
    const { status, body } = await control(emulator, "PUT /clock", { now: "2098-12-31", rate: 1 });
    expect(status).toBe(422);
    expect(body.error?.message).toBe(
      `clock: now is before the emulator's time, ${now}; its clock only goes forward.`,
    );
    expect(emulator.clock()).toEqual({ now, rate: 0 });
  });
});

test("a failing timer is reported and tried again after growing waits, and ends no process", () => {
  jest.useFakeTimers();
  const warnings: string[] = [];
  let faults = 3;
  let runs = 0;
  const job = {
    nextDueMs: () => (runs === 0 ? 0 : undefined),
    run: () => {
      if ((faults -= 1) >= 0) throw new Error("database is locked");
      runs += 1;
    },
  };
  const clock = new Clock({ wallMs: () => 1_000, monotonicMs: () => 0 });
  const scheduler = new Scheduler(clock, [job], (sentence) => void warnings.push(sentence));
  atEnd(() => jest.useRealTimers());
  atEnd(() => scheduler.stop());
  scheduler.plan();
  jest.advanceTimersByTime(0);
  const said = (waitS: number) =>
    `what was due could not be done: Error: database is locked. The next try is in ${waitS} s.`;
  expect(warnings).toEqual([said(1)]);
  // A request plans as well, and must not try at once what has just failed.
  scheduler.plan();
  jest.advanceTimersByTime(999);
  expect(warnings).toHaveLength(1);
  jest.advanceTimersByTime(1 + 2_000);
  expect(warnings).toEqual([said(1), said(2), said(4)]);
  expect(runs).toBe(0);
  jest.advanceTimersByTime(4_000);
  expect(runs).toBe(1);
  expect(warnings).toHaveLength(3);
});

test("a message whose outcome cannot be stored ends no process, and is reported", async () => {
  const delivery = { seq: 1, endpoint_id: "whe_1", attempts: 0, due_ms: 0 };
  const full = new Error("database or disk is full");
  const outbox = {
    due: () => [delivery],
    target: () => ({ url: "http://127.0.0.1:1", secrets: [] }),
    recordAttempt: () => {
      throw full;
    },
  };
  const failed = Promise.withResolvers<unknown>();
  const sender = new Sender({
    // The parts of an outbox that sending uses.
    outbox: outbox as unknown as Outbox,
    clock: new Clock({ wallMs: () => 1_000, monotonicMs: () => 0 }),
    random: () => 0,
    send: () => Promise.resolve({ status: 204, problem: null }),
    plan: () => undefined,
    failed: failed.resolve,
  });
  sender.run(0);
  expect(await failed.promise).toBe(full);
  sender.stop();
});

describe("provisioning", () => {
  test("provisioning ends by itself in real time", async () => {
    const emulator = await newEmulator({ provisionMs: 30 });
    await send(emulator, "POST /servers", create);
    const isRunning = () => emulator.objects("server")[0]?.["status"] === "running";
    await expect(until(isRunning)).resolves.toBeUndefined();
  });

  test("provisioning ends when the object is deleted or its state is set from outside", async () => {
    const emulator = await newEmulator({ provisionMs: 60_000 });
    for (let count = 0; count < 2; count += 1) await send(emulator, "POST /servers", create);
    await send(emulator, "DELETE /servers/srv_1");
    emulator.changeObject("server", "srv_2", { status: "failed" });
    emulator.advance("1h");
    const { data } = (await send(emulator, "GET /servers")).body;
    expect(data).toMatchObject([{ id: "srv_2", status: "failed" }]);
  });
});
