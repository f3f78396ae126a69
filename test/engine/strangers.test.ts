/** What belongs to somebody else, or only seems to be gone, is neither taken over nor given up. */
import { describe, expect, test } from "@jest/globals";
import type { FaultInput } from "../../emulator";
import { ask, isAccepted, strike } from "../support/ask";
import type { Values } from "../../provider/contract";
import type { IntentEntry } from "../../provider/engine";
import { isNear } from "../../provider/engine/evidence/search";
import { readListed } from "../../provider/engine/service/reading";
import { AskedTime, isOlder } from "../../provider/engine/values/time";
import { given } from "../support/given";
import { pause } from "../support/wait";
import { altered, createAndKill, exited, fails, identity, leftBy, rewrite } from "./crashes";
import { callsOf, changes, clockOff, codeOf, failureOf } from "./support";
import { kind, named, onTwoServers, readOn } from "./support";

const { server, instance, apiKey, rotation } = named;
const HOUR_MS = 3_600_000;

test("an object of the same name is not deleted for being on another server", async () => {
  const service = await given();
  const [inputs, elsewhere] = onTwoServers(service);
  const { id } = await createAndKill(service.engine(), instance, inputs);
  service.emulator.removeObject("instance", id);
  await rewrite(service, ({ answer: _, ...entry }) => entry);
  service.emulator.createObjects("instance", [elsewhere]);
  const { value } = service.emulator.createKey({ permissions: ["admin"] });
  const next = service.engine({ apiKey: value });
  await fails(next.engine.create(instance, inputs, { identity }), "orphan_suspected");
  expect(service.emulator.objects("instance")).toHaveLength(1);
});

test("a key of the same name is not rotated for its missing secret", async () => {
  const service = await given();
  const inputs = { name: "ci", permissions: ["servers:read"] };
  const { id } = await createAndKill(service.engine(), apiKey, inputs);
  service.emulator.removeObject("api_key", id);
  await rewrite(service, ({ answer: _, ...entry }) => entry);
  const theirs = service.emulator.createKey({ name: "ci", permissions: ["servers:*"] });
  const other = service.emulator.createKey({ permissions: ["admin"] }).value;
  const next = service.engine({ apiKey: other });
  await fails(next.engine.create(apiKey, inputs, { identity }), "orphan_suspected", theirs.id);
  expect(callsOf(service.emulator, "POST", /rotate/)).toBe(0);
  expect(callsOf(service.emulator, "PATCH", /api-keys/)).toBe(0);
});

test.each([
  ["an object may be older than its request by what clocks differ", -600_000, undefined, true],
  ["an object that is older than that is not its request's", -600_001, undefined, false],
  ["by the service's own time it may be five seconds older", -5_000, "service", true],
  ["and no more", -5_001, "service", false],
  ["a request may wait at the gate for seventy minutes", 4_200_000, "service", true],
  ["an object that is younger than that is another request's", 4_200_001, "service", false],
  ["also by this machine's time", 4_200_001, undefined, false],
  ["an object without a time is ruled out by its name alone", Number.NaN, "service", true],
] as const)("%s", (_, offsetMs, by, isFound) => {
  const time = Date.parse("2026-11-22T08:00:00Z");
  const entry = { time, name: "Web ", ...(by && { serviceTime: time }) } as IntentEntry;
  const created_at = Number.isNaN(offsetMs) ? undefined : new Date(time + offsetMs).toISOString();
  expect(isNear(entry, { fields: { name: "web", created_at } })).toBe(isFound);
  expect(isNear(entry, { fields: { name: "other", created_at } })).toBe(false);
  const { name: _name, ...nameless } = entry;
  expect(isNear(nameless, { fields: { name: "other", created_at } })).toBe(isFound);
});

test("an age is by the machine where the service has not said any time, then or now", async () => {
  const clock = { wallMs: () => 5_000, monotonicMs: () => 0, after: () => () => undefined };
  const silent = () => Promise.reject(new Error("silent"));
  const agesOf = async (authTest: ConstructorParameters<typeof AskedTime>[0]["authTest"]) => {
    const time = new AskedTime({ authTest }, clock);
    const begun = { time: 1_000 };
    return [await time.ageOf(begun, {}), await time.ageOf({ ...begun, serviceTime: 2_000 }, {})];
  };
  expect(await agesOf(silent)).toEqual([4_000, 4_000]);
});

test("what the service makes in the very millisecond of a request is not older than that", () => {
  let atMs = 0;
  const clock = { wallMs: () => 0, monotonicMs: () => atMs, after: () => () => undefined };
  const time = new AskedTime({ authTest: () => Promise.reject(new Error("asked")) }, clock);
  const created_at = "2026-01-01T00:00:00.001Z";
  time.learn(created_at);
  atMs = 0.4;

  expect(isOlder({ fields: { created_at } }, time.now())).toBe(false);
});

test("a rotation whose keys may not be listed lets no create pass where equal names are refused", async () => {
  const service = await given();
  const { id } = service.emulator.createKey({ permissions: ["api-keys:write"] });
  const { state } = await service.engine().engine.create(rotation, { key_id: id });
  const { value: own } = service.emulator.createKey({ permissions: ["api-keys:write"] });
  const { engine } = service.engine({ apiKey: own, options: { sameName: "error" } });
  await engine.read(rotation, state);
  const named = { name: "ci", permissions: ["servers:read"] };
  expect(await codeOf(engine.create(apiKey, named))).toBe("insufficient_permissions");
});

test("an ApiKeyRotation says that its key was rotated elsewhere, and follows it once the old one has ended", async () => {
  const { service, emulator, engine } = (await given()).engine();
  const { id: key_id } = emulator.createKey({ permissions: ["servers:read"] });
  const inputs = (n: string) => ({ key_id, triggers: { n } });
  const { state } = await engine.create(rotation, inputs("1"));
  const next = async (own = emulator.adminKey) => {
    const run = service.engine({ apiKey: own }).engine;
    return run.preflight().then(() => run);
  };
  expect(await (await next()).read(rotation, state)).toEqual({ state, warnings: [] });
  const others = service.engine({ apiKey: emulator.createKey({ permissions: ["admin"] }).value });
  const last = { key_id: String(state.values["current_key_id"]) };
  const elsewhere = (await others.engine.create(rotation, last)).state;

  emulator.clearJournal();
  const blind = await next(emulator.createKey({ permissions: ["api-keys:write"] }).value);
  expect(await blind.read(rotation, state)).toEqual({ state, warnings: [] });
  expect(callsOf(emulator, "GET", /api-keys/)).toBe(0);
  strike(emulator, "GET /api-keys", 400, { times: 1 });
  expect(await (await next()).read(rotation, state)).toEqual({ state, warnings: [] });
  const stopped = (await next()).read(rotation, state, { signal: AbortSignal.abort() });
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });

  const warnings = [{ code: "key_rotated_elsewhere" }];
  expect(await (await next()).read(rotation, state)).toMatchObject({ state, warnings });
  await expect(engine.update(rotation, state, inputs("2"))).rejects.toThrow("rotated elsewhere");
  emulator.advance("2d");
  const run = await next();
  const { state: moved = state, warnings: said } = await run.read(rotation, state);
  expect([said, moved.values["value"]]).toMatchObject([warnings, undefined]);
  expect(moved.values["current_key_id"]).toBe(elsewhere.values["current_key_id"]);
  expect(await changes(run, rotation, moved, inputs("1"))).toEqual([]);
  const turned = (await run.update(rotation, moved, inputs("2"))).state;
  expect(await isAccepted(emulator, turned.values["value"])).toBe(true);
});

describe("a key that somebody rotated elsewhere", () => {
  const rotatedInTheDashboard = async (runWith: "successor" | "another", strict = false) => {
    const service = await given({ strict });
    const { emulator } = service;
    const key = emulator.createKey({ name: "ops", permissions: ["admin"], grace_period: "1d" });
    const first = service.engine();
    const declared = (n: string) => ({ key_id: key.id, rotate_on_create: false, triggers: { n } });
    const { state } = await first.engine.create(rotation, declared("1"), { identity });
    const own = { key: key.value, body: {} };
    const answer = await ask(emulator, `POST /api-keys/${key.id}/rotate`, own);
    const { data } = (await answer.json()) as { data: { new_key: { id: string; value: string } } };
    await first.engine.close();
    emulator.clearJournal();
    const attempt = async () => {
      const run = service.engine(runWith === "successor" ? { apiKey: data.new_key.value } : {});
      const again = run.engine.update(rotation, state, declared("2"), { identity });
      const error = await failureOf(again);
      await run.kill();
      return error;
    };
    return { emulator, successor: data.new_key, attempt };
  };

  test.each([
    ["its successor", "successor"],
    ["another key", "another"],
  ] as const)(
    "a key that was rotated elsewhere is not rotated again by a run with %s",
    async (_, runWith) => {
      const { emulator, successor, attempt } = await rotatedInTheDashboard(runWith);
      // The next run, too, must not take the refused request of the first for a lost answer.
      for (const times of [1, 2]) {
        expect((await attempt()).message).toContain(`its successor is ${successor.id}`);
        expect(callsOf(emulator, "POST", /rotate/)).toBe(times);
      }
      emulator.advance("25h");
      expect(await isAccepted(emulator, successor.value)).toBe(true);
    },
  );

  test("where keys are not listed, the service's own refusal says so", async () => {
    const { attempt } = await rotatedInTheDashboard("another", true);
    expect((await attempt()).message).toContain("409 conflict: API key");
  });

  test("a rotation that the service refuses is asked for once", async () => {
    const { emulator, engine } = (await given()).engine();
    const inputs = (n: string) => ({ name: "k", permissions: ["servers:read"], triggers: { n } });
    const made = await engine.create(apiKey, inputs("1"), { identity });
    const { state } = await engine.update(apiKey, made.state, inputs("2"), { identity });
    emulator.clearJournal();
    strike(emulator, "/api-keys/*/rotate", 422);
    await failureOf(engine.update(apiKey, state, inputs("3"), { identity }));
    expect(callsOf(emulator, "POST", /rotate/)).toBe(1);
  });
});

describe("a delete that is answered with 404", () => {
  const once = { match: { method: "DELETE" }, times: 1 };
  const notFound = { skip: 1, effect: { type: "status", status: 404 } } as const;
  const LAG_MS = 400;
  const lag: FaultInput = { match: { path: "/servers" }, effect: { type: "list-lag", ms: LAG_MS } };

  test.each([
    ["server", { name: "a" }],
    ["api_key", { name: "a", permissions: ["servers:read"] }],
  ])(
    "a delete answered with 404 is repeated while lists show the object: %s",
    async (name, inputs) => {
      const { service, emulator, engine } = (await given()).engine();
      const { state } = await service.engine().engine.create(kind(name), inputs, { identity });
      strike(emulator, "DELETE", 404, { times: 1 });
      await engine.delete(kind(name), state, { identity });
      expect(emulator.objects(name).filter(({ id }) => id === state.id)).toEqual([]);
    },
  );

  test.each<[string, ...FaultInput[]]>([
    ["a router's, after a reset", { ...once, effect: "reset-before" }, { ...once, ...notFound }],
    ["true, after a reset, and lists lag", { ...once, effect: "reset-after" }, lag],
  ])("lists decide whether a 404 is true that is %s", async (_, ...faults) => {
    const profile = { settleWindowMs: 2 * LAG_MS };
    const { service, state } = await leftBy(exited, { profile });
    await pause(LAG_MS); // Lists that lag show it now.
    service.emulator.setFaults(faults);
    await service.engine({ profile }).engine.delete(server, state, { identity });
    expect(service.emulator.objects("server")).toEqual([]);
  });

  test("a delete that keeps being answered with 404 for a listed object fails", async () => {
    const { service, emulator, engine } = (await given()).engine();
    const state = await exited(service);
    strike(emulator, "DELETE", 404);
    expect(await codeOf(engine.delete(server, state, { identity }))).toBe("not_deleted");
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

test("a read waits until lists show an object that another process created a moment ago", async () => {
  const profile = { settleWindowMs: 2_000 };
  const { service, state } = await leftBy(exited, { profile });
  strike(service.emulator, "GET /servers", { type: "list-lag", ms: 1_500 });
  const notices: unknown[] = [];
  const onNotice = ({ data }: { data: unknown }) => void notices.push(data);
  const read = await service.engine({ profile }).engine.read(server, state, { identity, onNotice });
  expect(read.state?.id).toBe(state.id);
  const subject = expect.objectContaining({ id: state.id });
  const waiting = expect.objectContaining({ code: "waiting_until_listed", subject });
  expect(notices).toContainEqual(waiting);
});

test.each([
  ["gone", 2, 8_000],
  ["gone", 10, 0],
  ["gone", -3, 10_000], // The clock of what answers lists is behind.
  ["gone", Number.NaN, 0],
  ["present", 2, 0],
] as const)(
  "lists may still miss an object that is %s after %d s for %d ms",
  async (state, ageS, leftMs) => {
    const serviceTime = Number.isNaN(ageS)
      ? undefined
      : new Date(Date.UTC(2026, 0, 1, 0, 0, ageS)).toISOString();
    let pausedMs = 0;
    const op = {
      contract: { settleWindowMs: 10_000 },
      kind: server,
      core: { read: () => ({ state, serviceTime }) },
      subject: () => undefined,
      progress: () => undefined,
      pause: (ms: number) => (pausedMs = ms),
    };
    const created_at = "2026-01-01T00:00:00Z";
    await readListed(op as unknown as Parameters<typeof readListed>[0], "srv_1", { created_at });
    expect(pausedMs).toBe(leftMs);
  },
);

test("an ApiKey is deleted with a successor that it got since its list was read", async () => {
  const { emulator, engine } = (await given()).engine({ options: { readMaxAgeMs: 600_000 } });
  const states = await Promise.all(
    ["a", "b"].map(
      async (name) => (await engine.create(apiKey, { name, permissions: ["servers:read"] })).state,
    ),
  );
  const isOurs = ({ lineage_id }: Values) => states.some(({ id }) => id === lineage_id);
  for (const state of states) {
    await readOn(engine, apiKey, state);
    await ask(emulator, `POST /api-keys/${state.id}/rotate`);
  }
  emulator.clearJournal();
  await Promise.all(states.map((state) => engine.delete(apiKey, state)));
  expect(emulator.objects("api_key").filter(isOurs)).toEqual([]);
  expect(callsOf(emulator, "GET", /api-keys/)).toBe(1);
});

test("a lost rotation of a key made elsewhere is continued once that key has ended", async () => {
  const service = await given();
  const { id: key_id } = service.emulator.createKey({ permissions: ["servers:read"] });
  const inputs = { key_id, rotate_on_create: false, triggers: { n: "1" } };
  const { state } = await service.engine().engine.create(rotation, inputs, { identity });
  const turned = { ...inputs, triggers: { n: "2" } };
  const lost = service.engine();
  await lost.engine.update(rotation, state, turned, { identity });
  await lost.kill();
  service.emulator.advance("25h");
  const next = await service.engine().engine.update(rotation, state, turned, { identity });
  expect(next.warnings).toMatchObject([{ code: "lost_successor_rotated" }]);
  expect(await isAccepted(service.emulator, next.state.values["value"])).toBe(true);
});

test("where only this machine's clock says that the key of a rotation has ended, it is due, and its secret stays", async () => {
  const service = await given();
  const { id: key_id } = service.emulator.createKey({ permissions: ["servers:read"] });
  const inputs = { key_id, rotate_after: "1d" };
  const { state } = await service.engine().engine.create(rotation, inputs);
  await ask(service.emulator, `POST /api-keys/${String(state.values["current_key_id"])}/rotate`);
  altered("snapshot", () => ({ serviceTime: undefined }));
  altered("authTest", () => ({ meta: { timestamp: "", request_id: "" } }));
  const { engine } = service.engine({ clock: clockOff(9_000 * HOUR_MS) });
  const { value, rotation_due } = (await readOn(engine, rotation, state)).values;
  expect(await isAccepted(service.emulator, value)).toBe(true);
  expect(rotation_due).toBe(true);
});

test("a rotation that was done is continued where there was no quota for the look at its line", async () => {
  const service = await given();
  const { emulator } = service;
  const declared = (n: string) => ({ name: "k", permissions: ["servers:read"], triggers: { n } });
  const run = service.engine();
  const { state } = await run.engine.create(apiKey, declared("1"), { identity });
  const effect = { type: "status", status: 429, retry_after: 7_200 } as const;
  emulator.setFaults([
    { match: { method: "POST" }, times: 1, effect: "reset-after" },
    { match: { method: "GET", path: "/api-keys" }, effect },
  ]);
  await failureOf(run.engine.update(apiKey, state, declared("2"), { identity }));
  await run.kill();
  emulator.setFaults([]);
  emulator.advance("25h");
  const next = await service.engine().engine.update(apiKey, state, declared("2"), { identity });
  expect(await isAccepted(emulator, next.state.values["value"])).toBe(true);
});
