/** A process may die at any moment; the next one finds what it created, and creates nothing twice. */
import { describe, expect, test } from "@jest/globals";
import { isReplayable } from "../../provider/engine";
import {
  count,
  identity,
  killedAfterAnswer,
  killedBeforeAnswer,
  killedBeforeSending,
  rewrite,
} from "./crashes";
import { callsOf, clockOff, codeOf, failureOf, kind } from "./support";
import { given, textOf, type EngineGiven, type Service } from "../support/given";

const server = kind("server");
const instance = kind("instance");
const HOUR_MS = 3_600_000;

const nextDay = ({ emulator }: Service): EngineGiven => {
  emulator.advance("25h");
  return { clock: clockOff(25 * HOUR_MS) };
};

/** What comes between a run that was killed and the next one, which it may give to its engine. */
type Between = (service: Service, id: string) => EngineGiven | void | Promise<void>;

test.each<[title: string, killed: typeof killedBeforeAnswer, sent: number, between: Between]>([
  ["without its answer, by the same request with the same key", killedBeforeAnswer, 2, () => ({})],
  ["with its answer noted, without a further POST", killedAfterAnswer, 1, () => ({})],
  [
    "with its answer noted, a day later and even if it was renamed",
    killedAfterAnswer,
    1,
    (service, id) => {
      service.emulator.changeObject("server", id, { name: "renamed" });
      return nextDay(service);
    },
  ],
  [
    "a day later, for a clock that was put back makes no old idempotency key young",
    killedBeforeAnswer,
    1,
    ({ emulator }) => void emulator.advance("25h"),
  ],
  [
    "noted in the future and without the service's time, by its name",
    killedBeforeAnswer,
    1,
    (service) =>
      rewrite(service, ({ serviceTime: _, ...entry }) => ({ ...entry, time: entry.time + 60_000 })),
  ],
  [
    "under another API key, by its name",
    killedBeforeAnswer,
    1,
    ({ emulator }) => ({ apiKey: emulator.createKey({ permissions: ["admin"] }).value }),
  ],
  [
    "although lists lag behind",
    killedBeforeAnswer,
    2,
    ({ emulator }) => {
      const match = { method: "GET", path: "/servers" };
      emulator.setFaults([{ match, effect: { type: "list-lag", ms: 900 } }]);
      return { profile: { settleWindowMs: 1_500 } };
    },
  ],
])("what a killed process created is found: %s", async (_, killed, sent, between) => {
  const service = await given();
  const { id } = await killed(service);
  const next = service.engine((await between(service, id)) ?? {});
  const { state } = await next.engine.create(server, { name: "web" }, { identity });
  expect(state).toMatchObject({ id, values: { name: "web" } });
  expect(callsOf(service.emulator, "POST", /servers/)).toBe(sent);
  expect(count(service)).toBe(1);
});

describe("wherever a process dies, the next one creates no duplicate", () => {
  test("a process killed before its request is sent leads to one object", async () => {
    const service = await given();
    await killedBeforeSending(service);
    const next = service.engine();
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    await next.engine.close();
    expect(service.entries()).toEqual([]);
  });

  test("processes killed again and again while recovering lead to one object", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    for (let run = 0; run < 3; run += 1) {
      const again = service.engine();
      const { state } = await again.engine.create(server, { name: "web" }, { identity });
      expect(state.id).toBe(id);
      await again.kill();
    }
    expect(count(service)).toBe(1);
  });

  test("an API key keeps its secret through a crash", async () => {
    const service = await given();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const first = service.engine();
    const made = await first.engine.create(kind("api_key"), inputs, { identity });
    await first.kill();
    const { state } = await service.engine().engine.create(kind("api_key"), inputs, { identity });
    expect(state.values["value"]).toBe(made.state.values["value"]);
    expect(state.id).toBe(made.state.id);
  });
});

describe("an object that was declared otherwise since the crash", () => {
  test("a recovered object is patched to what is configured now", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    const { state } = await service.engine().engine.create(server, { name: "web-2" }, { identity });
    expect(state).toMatchObject({ id, values: { name: "web-2" } });
    expect(service.emulator.objects("server")).toMatchObject([{ id, name: "web-2" }]);
  });

  test("a recovered object that would need replacement is deleted, and another one is created", async () => {
    const service = await given();
    const [one, two] = service.emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    const first = service.engine();
    const inputs = { name: "erp", server_id: String(one?.["id"]) };
    const made = await first.engine.create(instance, inputs, { identity });
    await first.kill();
    const moved = { ...inputs, server_id: String(two?.["id"]) };
    const { state, warnings } = await service.engine().engine.create(instance, moved, { identity });
    expect(service.emulator.objects("instance").map(({ id }) => id)).toEqual([state.id]);
    expect(state.id).not.toBe(made.state.id);
    expect(warnings).toMatchObject([
      { code: "recovered", subject: { id: made.state.id } },
      { code: "orphan_deleted", subject: { id: made.state.id } },
    ]);
  });

  test("an object that someone deleted after the crash is created again", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    service.emulator.removeObject("server", id);
    const { state } = await service.engine().engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(id);
    expect(count(service)).toBe(1);
  });
});

describe("past the service's window the old idempotency key is never sent again", () => {
  test("an interrupted create that left no object is repeated a day later", async () => {
    const service = await given();
    await killedBeforeSending(service);
    const { state, warnings } = await service
      .engine(nextDay(service))
      .engine.create(server, { name: "web" }, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(warnings).toEqual([]);
  });

  test("one object of the name and time of an interrupted create is adopted, with a warning", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    const next = service.engine(nextDay(service));
    const { state, warnings } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(warnings).toMatchObject([{ code: "adopted", subject: { id, name: "web" } }]);
    expect(callsOf(service.emulator, "POST", /servers/)).toBe(1);
  });

  test("several objects of the name and time of an interrupted create are named, and left alone", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    const [twin] = service.emulator.createObjects("server", [{ name: "web" }]);
    const next = service.engine(nextDay(service));
    const error = await failureOf(next.engine.create(server, { name: "web" }, { identity }));
    expect(error).toMatchObject({ code: "orphan_suspected" });
    expect(error.message).toContain(id);
    expect(error.message).toContain(String(twin?.["id"]));
    expect(count(service)).toBe(2);
    expect(service.entries()).toHaveLength(1);
  });

  test.each([
    ["was never sent", killedBeforeSending],
    ["made another", killedBeforeAnswer],
  ])("an object in a state of this run is nobody's orphan: the create %s", async (_, killed) => {
    const service = await given();
    const left = await killed(service);
    const [other] = service.emulator.createObjects("server", [{ name: "web" }]);
    const next = service.engine(nextDay(service));
    await next.engine.noteInState(server, String(other?.["id"]), "urn:other-stack");
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(other?.["id"]);
    if (left) expect(state.id).toBe(left.id);
    expect(count(service)).toBe(2);
  });

  test("an object that is older than the interrupted create is not taken for its own", async () => {
    const service = await given();
    service.emulator.createObjects("server", [{ name: "web" }]);
    service.emulator.advance("1m");
    await killedBeforeSending(service);
    const { state } = await service
      .engine(nextDay(service))
      .engine.create(server, { name: "web" }, { identity });
    expect(count(service)).toBe(2);
    expect(service.emulator.objects("server").at(0)?.["id"]).not.toBe(state.id);
  });

  test("an API key that was recovered without its secret is rotated", async () => {
    const service = await given();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const first = service.engine();
    const made = await first.engine.create(kind("api_key"), inputs, { identity });
    await first.kill();
    const next = service.engine(nextDay(service));
    const { state, warnings } = await next.engine.create(kind("api_key"), inputs, { identity });
    expect(state.id).toBe(made.state.id);
    expect(state.values["value"]).toMatch(/_test_/);
    expect(state.values["value"]).not.toBe(made.state.values["value"]);
    expect(textOf(warnings)).toContain(`Nobody has the secret of API key ${made.state.id}`);
  });
});

describe("the service's clock decides how old an intent is", () => {
  test.each([
    ["behind by a year", -365 * 24 * HOUR_MS],
    ["ahead by a year", 365 * 24 * HOUR_MS],
  ])("a machine whose clock is %s writes and finds its intent", async (_, offset) => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service, { name: "web" }, { clock: clockOff(offset) });
    const { state } = await service.engine().engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(service)).toBe(1);
  });
});

describe("an interrupted create that cannot be repeated", () => {
  test("an API key without the scope leaves the intent for one that has it", async () => {
    const service = await given();
    const { id } = await killedBeforeAnswer(service);
    const poor = service.engine({
      apiKey: service.emulator.createKey({ permissions: ["teams:read"] }).value,
    });
    expect(await codeOf(poor.engine.create(server, { name: "web" }, { identity }))).toBe(
      "insufficient_permissions",
    );
    await poor.engine.close();
    await poor.kill();
    const { state } = await service.engine().engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(service)).toBe(1);
  });

  test.each<[title: string, applied: boolean, warned: string[]]>([
    ["leads to a second idempotency key", false, []],
    ["though it created the object, leads to that object", true, ["adopted"]],
  ])("a failure that the service keeps replaying %s", async (_, applied, warned) => {
    const service = await given();
    const match = { method: "POST", path: "/servers" };
    service.emulator.setFaults([{ match, times: 1, effect: { type: "replay-500", applied } }]);
    const { engine } = service.engine();
    const { state, warnings } = await engine.create(server, { name: "web" }, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(warnings).toMatchObject(warned.map((code) => ({ code, subject: { id: state.id } })));
  });

  test.each<[title: string, permissions: string[], lagMs: number]>([
    ["the run is interrupted while lists lag", ["servers:*"], 3_000],
    ["its key may write and not read", ["servers:write"], 0],
  ])(
    "one whose look for its object fails is left to the next run: %s",
    async (_, permissions, ms) => {
      const service = await given();
      const match = { method: "POST", path: "/servers" };
      service.emulator.setFaults([
        { match, times: 1, effect: { type: "replay-500", applied: true } },
        { match: { method: "GET", path: "/servers" }, effect: { type: "list-lag", ms } },
      ]);
      const apiKey = service.emulator.createKey({ permissions }).value;
      const run = service.engine({ apiKey, profile: { settleWindowMs: 60_000 } });
      const stop = new AbortController();
      const options = { identity, signal: stop.signal };
      const doomed = codeOf(run.engine.create(server, { name: "web" }, options));
      setTimeout(() => stop.abort(), 1_000).unref();
      expect(await doomed).toBeDefined();
      await run.kill();
      service.emulator.setFaults([]);
      const next = service.engine({ apiKey }).engine.create(server, { name: "web" }, { identity });
      expect(await codeOf(next)).toBe(ms > 0 ? undefined : "insufficient_permissions");
      expect(count(service)).toBe(1);
    },
  );
});

test("a create whose outcome is unknown is followed up by the next create in the same process", async () => {
  const service = await given();
  const { engine } = service.engine();
  service.emulator.setFaults([
    {
      match: { method: "POST", path: "/servers" },
      effect: { type: "delay", ms: 1_000, when: "after" },
    },
  ]);
  const stop = new AbortController();
  const doomed = engine.create(server, { name: "web" }, { identity, signal: stop.signal });
  const failed = failureOf(doomed);
  while (count(service) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await failed;
  service.emulator.setFaults([]);
  expect(count(service)).toBe(1);
  const { state } = await engine.create(server, { name: "web" }, { identity });
  expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
});

test("a refused create leaves no intent", async () => {
  const service = await given();
  const { engine } = service.engine();
  expect(await codeOf(engine.create(instance, { name: "erp", server_id: "srv_none" }))).toBe(
    "validation_error",
  );
  expect(service.entries()).toEqual([]);
});

test.each([
  ["a request of this moment", 0, true],
  ["one of an hour ago", HOUR_MS, true],
  ["one at the end of the window", 24 * HOUR_MS, false],
  ["one of the future, because a clock was put back", -1, false],
])("an answer is replayed only while that is certain: %s", (_, ageMs, certain) => {
  expect(isReplayable({ idempotencyWindowMs: 24 * HOUR_MS }, ageMs)).toBe(certain);
});
