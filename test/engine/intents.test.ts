/**
 * A process may die at any moment, and a host before it has stored what a clean exit gave it: the next
 * one finds what was created, and creates nothing twice. Each way on from what is left is in earlier/.
 */
import { describe, expect, test } from "@jest/globals";
import { isReplayable } from "../../provider/engine";
import { count, createAndKill, exited, fails, identity, killed, leftBy, rewrite } from "./crashes";
import { given, type EngineGiven, type Service } from "../support/given";
import { until } from "../support/wait";
import { backup, callsOf, clockOff, codeOf, failureOf, instance } from "./support";
import { onTwoServers, server, withServer } from "./support";
import { strike } from "../support/ask";

const web = { name: "web" };
const HOUR_MS = 3_600_000;

/** Creates the server in a process that is killed once it has an id, and gives that. */
const createAndDie = async (service: Service, more: EngineGiven = {}): Promise<string> =>
  (await killed.afterAnswer(service, web, more)).id;

const nextDay = ({ emulator }: Service): EngineGiven => {
  emulator.advance("25h");
  return { clock: clockOff(25 * HOUR_MS) };
};

/** What comes between a run that was killed and the next one, which it may give to its engine. */
type Between = (service: Service, id: string) => EngineGiven | void | Promise<void>;

test.each<[title: string, killed: typeof killed.beforeAnswer, sent: number, between: Between]>([
  ["without its answer, by the same request with the same key", killed.beforeAnswer, 2, () => ({})],
  ["with its answer noted, without a further POST", killed.afterAnswer, 1, () => ({})],
  [
    "with its answer noted, a day later and even if it was renamed",
    killed.afterAnswer,
    1,
    (service, id) => {
      service.emulator.changeObject("server", id, { name: "renamed" });
      return nextDay(service);
    },
  ],
  [
    "a day later, for a clock that was put back makes no old idempotency key young",
    killed.beforeAnswer,
    1,
    ({ emulator }) => void emulator.advance("25h"),
  ],
  [
    "noted in the future and without the service's time, by its name",
    killed.beforeAnswer,
    1,
    (service) =>
      rewrite(service, ({ serviceTime: _, ...entry }) => ({ ...entry, time: entry.time + 60_000 })),
  ],
  [
    "although lists lag behind",
    killed.beforeAnswer,
    2,
    ({ emulator }) => {
      strike(emulator, "GET /servers", { type: "list-lag", ms: 900 });
      return { profile: { settleWindowMs: 1_500 } };
    },
  ],
])("what a killed process created is found: %s", async (_, create, sent, between) => {
  const service = await given();
  const { id } = await create(service);
  const next = service.engine((await between(service, id)) ?? {});
  const { state } = await next.engine.create(server, web, { identity });
  expect(state).toMatchObject({ id, values: { name: "web" } });
  expect(callsOf(service.emulator, "POST", /servers/)).toBe(sent);
  expect(count(service)).toBe(1);
});

test("processes killed again and again while recovering lead to one object", async () => {
  const { service, id } = await leftBy(killed.beforeAnswer);
  for (let run = 0; run < 3; run += 1) expect(await createAndDie(service)).toBe(id);
  expect(count(service)).toBe(1);
});

test("an object that someone deleted after the crash is created again", async () => {
  const { service, id } = await leftBy(killed.beforeAnswer);
  service.emulator.removeObject("server", id);
  expect(await createAndDie(service)).not.toBe(id);
  expect(count(service)).toBe(1);
});

describe("past the service's window the old idempotency key is never sent again", () => {
  test.each([
    ["was never sent", killed.beforeSending],
    ["made another", killed.beforeAnswer],
  ])("an object in a state of this run is nobody's orphan: the create %s", async (_, create) => {
    const service = await given();
    const left = await create(service);
    const [other] = service.emulator.createObjects("server", [web]);
    const next = service.engine(nextDay(service));
    await next.engine.noteInState(server, String(other?.["id"]), "urn:other-stack");
    const { state } = await next.engine.create(server, web, { identity });
    expect(state.id).not.toBe(other?.["id"]);
    if (create === killed.beforeAnswer) expect(state.id).toBe(left.id);
    expect(count(service)).toBe(2);
  });

  test("an object that is older than the interrupted create is not taken for its own", async () => {
    const service = await given();
    const [theirs] = service.emulator.createObjects("server", [web]);
    service.emulator.advance("1m");
    await killed.beforeSending(service);
    expect(await createAndDie(service, nextDay(service))).not.toBe(theirs?.["id"]);
    expect(count(service)).toBe(2);
  });
});

test.each([
  ["behind by a year", -365 * 24 * HOUR_MS],
  ["ahead by a year", 365 * 24 * HOUR_MS],
])("a machine whose clock is %s writes and finds its intent", async (_, offset) => {
  const { service, id } = await leftBy(killed.beforeAnswer, web, { clock: clockOff(offset) });
  expect(await createAndDie(service)).toBe(id);
  expect(count(service)).toBe(1);
});

describe("an interrupted create that cannot be repeated", () => {
  test("an API key without the scope leaves the intent for one that has it", async () => {
    const { service, id } = await leftBy(killed.beforeAnswer);
    const poor = service.engine({
      apiKey: service.emulator.createKey({ permissions: ["teams:read"] }).value,
    });
    await fails(poor.engine.create(server, web, { identity }), "insufficient_permissions");
    await poor.engine.close();
    await poor.kill();
    expect(await createAndDie(service)).toBe(id);
    expect(count(service)).toBe(1);
  });

  test.each<[title: string, applied: boolean, warned: string[]]>([
    ["leads to a second idempotency key", false, []],
    ["though it created the object, leads to that object", true, ["adopted"]],
  ])("a failure that the service keeps replaying %s", async (_, applied, warned) => {
    const { service, engine } = (await given()).engine();
    strike(service.emulator, "POST /servers", { type: "replay-500", applied }, { times: 1 });
    const { state, warnings } = await engine.create(server, web, { identity });
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
      const next = service.engine({ apiKey }).engine.create(server, web, { identity });
      expect(await codeOf(next)).toBe(ms > 0 ? undefined : "insufficient_permissions");
      expect(count(service)).toBe(1);
    },
  );
});

test("a create whose outcome is unknown is followed up by the next create in the same process", async () => {
  const { service, engine } = (await given()).engine();
  strike(service.emulator, "POST /servers", { type: "delay", ms: 1_000, when: "after" });
  const stop = new AbortController();
  const failed = failureOf(engine.create(server, web, { identity, signal: stop.signal }));
  await until(() => count(service) > 0);
  stop.abort();
  await failed;
  service.emulator.setFaults([]);
  expect(count(service)).toBe(1);
  const { state } = await engine.create(server, web, { identity });
  expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
});

test("a refused create leaves no intent", async () => {
  const { service, engine } = (await given()).engine();
  await fails(engine.create(instance, { name: "erp", server_id: "srv_none" }), "validation_error");
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

describe("a host that writes its state only after the provider's clean exit", () => {
  test("an object that a run handed over in the future, by a clock that was put back since, is neither taken over nor created twice", async () => {
    const { service, id } = await leftBy(exited, {}, true);
    const attempt = createAndDie(service, { clock: clockOff(-HOUR_MS / 4) });
    await fails(attempt, "handed_over", `import server ${id}`);
    expect(service.emulator.objects("server")).toMatchObject([{ id, ...web }]);
  });

  test("an object that a killed run had recovered is recovered once more, at any time", async () => {
    const { service, id } = await leftBy(exited, {}, true);
    expect(await createAndDie(service)).toBe(id);
    expect(await createAndDie(service, { clock: clockOff(HOUR_MS) })).toBe(id);
    expect(count(service)).toBe(1);
  });

  const failing = { type: "provision", outcome: "failed" } as const;
  test.each([
    ["succeeded before a refused change, in a run that exited cleanly", "PATCH", 422, true],
    ["failed, in a run that exited cleanly", "POST /backups", failing, true],
    ["failed, in a run that was killed", "POST /backups", failing, false],
  ])("an update takes a new backup after one that %s", async (_, call, effect, cleanly) => {
    const service = await given();
    const erp = { name: "erp", server_id: "$server", version: "17.0" };
    const inputs = withServer(service.emulator, erp);
    const wanted = { ...inputs, version: "18.0", backup_before_upgrade: true };
    const { state } = await service.engine().engine.create(instance, inputs, {});
    strike(service.emulator, call, effect);
    const run = service.engine();
    await failureOf(run.engine.update(instance, state, wanted, { identity }));
    if (cleanly) await run.engine.close({ storesLater: true });
    await run.kill();
    service.emulator.setFaults([]);
    await service.engine().engine.update(instance, state, wanted, { identity });
    expect(count(service, "backup")).toBe(2);
    expect(service.emulator.objects("instance")).toMatchObject([{ version: "18.0" }]);
  });
});

test("what an interrupted run made and nothing can delete is left, and named", async () => {
  const service = await given();
  const [{ server_id }, two] = onTwoServers(service);
  const { id } = await createAndKill(service.engine(), backup, { server_id });
  const other = { server_id: two.server_id };
  const next = service.engine().engine.create(backup, other, { identity });
  expect((await next).warnings).toMatchObject([
    { code: "recovered" },
    { code: "orphan_retained", parts: { subject: { id } } },
  ]);
  expect(count(service, "backup")).toBe(2);
});

test("a create that the service had no quota for leaves nothing behind", async () => {
  const service = await given();
  strike(service.emulator, "POST", { type: "status", status: 429, retry_after: 7_200 });
  await fails(service.engine().engine.create(server, web, { identity }), "rate_limit_exceeded");
  expect(service.entries()).toEqual([]);
});
