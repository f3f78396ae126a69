/** What must never happen: mass forgetting, another account's state, two rotators, ids twice. */
import { describe, expect, test } from "@jest/globals";
import { ClientCore, type Core, type Reading } from "../../provider/client";
import { readConfiguration } from "../../provider/client/settings/read";
import { systemInjectables } from "../../provider/client/settings/system";
import { accountRefusal } from "../../provider/engine/plan/account";
import { guardedCore } from "../../provider/engine/service/account-guard";
import { Ledger } from "../../provider/engine/ledger";
import { MassGuard } from "../../provider/engine/service/mass";
import { engineError, type State } from "../../provider/engine";
import type { Kind } from "../../provider/resources";
import { FakeClock } from "../client/support/clock";
import { given, type Service } from "../support/given";
import { atATime } from "../support/wait";
import { codeOf, diffOf, named, withServer } from "./support";

const { server, team, apiKey, backup } = named;
const clock = new FakeClock();
const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
const gone: Reading = { state: "gone", serviceTime: undefined };
const present: Reading = {
  state: "present",
  record: { id: "srv", fields: {}, properties: {} },
  serviceTime: undefined,
};
const after =
  (reading: Reading, ms = 0) =>
  async () => (await pause(ms), reading);

/** A guard where states hold that many servers. */
function massGuard({ allow = false, known = 0 } = {}): MassGuard {
  const ledger = new Ledger();
  for (let i = 0; i < known; i += 1) {
    ledger.note({ is: "inState", at: { kind: "server", id: `id_${i}` }, live: true });
  }
  return new MassGuard(allow, clock, ledger);
}

/** The code that each of several simultaneous questions fails with; undefined: it is let through. */
const asked = (guard: MassGuard, readings: readonly Reading[], of = server) =>
  Promise.all(readings.map((it, i) => codeOf(guard.ask(of, `id_${i}`, after(it, i % 5)))));
const askAll = (...questions: Parameters<typeof asked>) => clock.run(asked(...questions));
const times = (count: number, reading: Reading) => Array.from({ length: count }, () => reading);

test("nothing is written or read before the service is confirmed, and nothing that is refused is written", async () => {
  const { emulator } = await given();
  const configuration = readConfiguration({
    given: { apiKey: emulator.adminKey, baseUrl: emulator.baseUrl },
  });
  const core = new ClientCore(configuration, systemInjectables());
  const guarded = (isConfirmed: boolean): Core =>
    guardedCore(core, async (kind) => {
      if (!isConfirmed) throw new Error("not confirmed");
      if (kind !== undefined) throw engineError("moves_only", { kind, does: "change", from: "" });
    });
  const writes = (by: Core) => [
    by.create("server", { name: "a" }),
    by.createBytes("server", '{"name":"a"}', { idempotencyKey: "a" }),
    by.update("server", "srv_1", { name: "a" }),
    by.remove("server", "srv_1"),
    by.rotate("key_1"),
  ];
  const reads = (by: Core) => [
    by.authTest(),
    by.snapshot("server"),
    by.read("server", "srv_1"),
    by.list("server", {}),
    by.pages("server", {})(1, 100),
    by.newest("server")(1, 100),
  ];
  const outcomes = (calls: readonly Promise<unknown>[]) => Promise.all(calls.map(codeOf));
  const unconfirmed = await outcomes([...writes(guarded(false)), ...reads(guarded(false))]);
  expect(unconfirmed).toEqual(Array(11).fill(new Error("not confirmed")));
  expect(await outcomes(writes(guarded(true)))).toEqual(Array(5).fill("moves_only"));
  expect(emulator.journal()).toEqual([]);
  expect(await outcomes(reads(guarded(true)))).toEqual(Array(6).fill(undefined));
  await core.close();
});

describe("the mass guard", () => {
  test.each([
    ["lets three of three objects go: a small program that someone took down", 3, 0, false],
    ["refuses four of four: nothing is left of what was asked for", 4, 0, true],
    ["lets ten of eleven objects go", 10, 1, false],
    ["refuses eleven of twelve", 11, 1, true],
    ["lets twenty of a hundred objects go", 20, 80, false],
    ["refuses twenty-one of a hundred", 21, 79, true],
  ])("the mass guard %s", async (_, lost, there, refused) => {
    const readings = [...times(lost, gone), ...times(there, present)];
    const codes = await askAll(massGuard(), readings);
    expect(codes).toEqual(readings.map((it) => (refused && it === gone ? "mass_gone" : undefined)));
  });

  test("the mass guard waits for a slow read before it lets the first objects go", async () => {
    const guard = massGuard();
    const early = asked(guard, times(9, gone));
    const late = [9, 10].map((i) => codeOf(guard.ask(server, `id_${i}`, after(gone, 300))));
    const codes = await clock.run(Promise.all([early, ...late]));
    expect(codes.flat()).toEqual(times(11, gone).map(() => "mass_gone"));
  });

  test.each([
    [8, 0],
    [1, 3],
  ])(
    "the mass guard, asked by %i at a time, lets %i objects go and then none",
    async (width, most) => {
      const guard = massGuard();
      const ids = Array.from({ length: 60 }, (_, at) => `id_${at}`);
      const ask = (id: string) => codeOf(guard.ask(server, id, after(gone, 1)));
      const codes = await clock.run(atATime(width, ids, ask));
      expect(codes.filter((code) => code === undefined)).toHaveLength(most);
    },
  );

  test("the mass guard knows ids in states, so that an empty list is refused from the first object on", async () => {
    const codes = await askAll(massGuard({ known: 60 }), times(13, gone));
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
  });

  test("the mass guard counts each kind by itself: one empty list among long ones", async () => {
    const guard = massGuard();
    const servers = asked(guard, times(200, present));
    const codes = await askAll(guard, times(12, gone), team);
    await servers;
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
  });

  test("the mass guard counts ids, not questions, and forgets those that show up again", async () => {
    const guard = massGuard();
    const six = [...times(6, gone), present];
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await askAll(guard, six)).not.toContain("mass_gone");
    }
    expect(await askAll(guard, times(6, present))).not.toContain("mass_gone");
    const some = [...times(6, present), ...times(5, gone)];
    expect(await askAll(guard, some)).not.toContain("mass_gone");
  });

  /** When a read begins, how long it takes, what it answers, and of which kind, in milliseconds. */
  type Step = readonly [at: number, lasts: number, reading: Reading, of?: Kind];
  const several = (count: number, ...step: Step) => Array.from({ length: count }, () => step);
  const [held, letGo] = ["mass_gone", undefined];
  test.each<[string, number, Step[], unknown[]]>([
    [
      "waits for no read that began after those which it waits for",
      20,
      [
        [0, 1, gone],
        [0, 100, present],
        [50, 9_000, present],
      ],
      [letGo],
    ],
    [
      "waits for the read that began last before, however few are gone",
      60,
      [...several(12, 0, 1, gone), [0, 100, gone]],
      Array(13).fill(held),
    ],
    [
      "judges nothing while a read is under way",
      0,
      [...several(9, 0, 1, gone), [0, 300, present]],
      Array(9).fill(letGo),
    ],
    [
      "waits until a host has asked all that it asks at once, whatever it asks of another kind",
      200,
      [...several(3, 0, 1, gone, team), [50, 1, gone], ...several(3, 100, 1, gone, team)],
      [held, held, held, letGo, held, held, held],
    ],
    [
      "lets all go that it holds at the first quiet moment",
      0,
      [
        [0, 0, gone],
        [0, 10, gone],
        [0, 20, gone],
        [155, 9_000, present],
      ],
      [letGo, letGo, letGo],
    ],
  ])("the mass guard %s", async (_, known, steps, codes) => {
    const guard = massGuard({ known });
    const begunAt = clock.monotonicMs();
    const answered = steps.map(async ([at, lasts, reading, of = server], i) => {
      await pause(at);
      const code = await codeOf(guard.ask(of, `id_${i}`, after(reading, lasts)));
      return reading === gone ? [{ code, ms: clock.monotonicMs() - begunAt }] : [];
    });
    const all = (await clock.run(Promise.all(answered))).flat();
    expect(all.map(({ code }) => code)).toEqual(codes);
    expect(Math.max(...all.map(({ ms }) => ms))).toBeLessThan(1_000);
  });

  test("the mass guard is switched off by allowMassGone", async () => {
    expect(await askAll(massGuard({ allow: true }), times(50, gone))).not.toContain("mass_gone");
  });

  test("a read that fails does not count for the mass guard and holds nobody up", async () => {
    const guard = massGuard();
    const failing = guard.ask(server, "id_x", () => Promise.reject(new Error("500")));
    await expect(failing).rejects.toThrow("500");
    expect(await clock.run(codeOf(guard.ask(server, "id_y", after(gone))))).toBeUndefined();
  });
});

describe("guards on a service", () => {
  const made = async (count: number) => {
    const { service, emulator, engine } = (await given()).engine();
    const states: State[] = [];
    for (let i = 0; i < count; i += 1) {
      states.push((await engine.create(server, { name: `s${i}` })).state);
    }
    return { service, emulator, states };
  };

  /** The codes that reads of these in the next run fail with, once the service lists none but one. */
  async function onceGone(service: Service, of: Kind, states: readonly State[], own?: string) {
    for (const { id } of service.emulator.objects(of.name)) {
      if (id !== own) service.emulator.removeObject(of.name, String(id));
    }
    const { engine } = service.engine();
    return new Set(await Promise.all(states.map((state) => codeOf(engine.read(of, state)))));
  }

  test("a list that is empty by mistake forgets nothing", async () => {
    const { service, states } = await made(15);
    expect(await onceGone(service, server, states)).toEqual(new Set(["mass_gone"]));
    const allowed = service.engine({ options: { allowMassGone: true } }).engine;
    const reads = await Promise.all(states.map((state) => allowed.read(server, state)));
    expect(reads.every(({ state }) => state === undefined)).toBe(true);
  });

  test("an empty list of keys that were rotated forgets none of them", async () => {
    const { service, engine } = (await given()).engine();
    const inputs = (n: string) => ({ permissions: ["servers:read"], triggers: { n } });
    const states: State[] = [];
    for (let i = 0; i < 6; i += 1) {
      const name = `key ${i}`;
      const { state } = await engine.create(apiKey, { ...inputs("1"), name });
      states.push((await engine.update(apiKey, state, { ...inputs("2"), name })).state);
    }
    const own = (await engine.lookups.auth()).keyId;
    expect(await onceGone(service, apiKey, states, own)).toEqual(new Set(["mass_gone"]));
  });

  test.each([
    ["objects that a killed run deleted itself do not count as a mass", [], undefined],
    [
      "objects that a killed run failed to delete count as a mass",
      [{ effect: { type: "status", status: 422 } }],
      "mass_gone",
    ],
  ] as const)("%s", async (_, faults, code) => {
    const { service, emulator, states } = await made(12);
    const run = service.engine();
    emulator.setFaults([...faults]);
    await Promise.all(states.map((state) => codeOf(run.engine.delete(server, state))));
    await run.kill();
    emulator.setFaults([]);
    expect(await onceGone(service, server, states)).toEqual(new Set([code]));
  });

  test("backups that the service pruned expire, however many, and cost no further requests", async () => {
    const { service, emulator, engine } = (await given()).engine();
    const inputs = withServer(emulator, { server_id: "$server" });
    const states = await Promise.all(
      Array.from({ length: 12 }, () => engine.create(backup, inputs).then(({ state }) => state)),
    );
    for (const { id } of states) emulator.removeObject("backup", id);
    const next = service.engine().engine;
    const reads = await Promise.all(states.map((state) => next.read(backup, state)));
    expect(reads.every(({ state }) => state?.values["status"] === "expired")).toBe(true);
    expect(reads[0]?.warnings).toMatchObject([{ code: "expired" }]);
    emulator.clearJournal();
    const again = await next.read(backup, reads[0]?.state as State);
    expect(again).toMatchObject({ state: { values: { status: "expired" } }, warnings: [] });
    expect(emulator.journal()).toHaveLength(1);
  });

  test("a state of another base address or environment is refused by every operation", async () => {
    const { emulator, states } = await made(1);
    const { emulator: other, engine } = (await given()).engine();
    const [state] = states as [State];
    expect(await codeOf(engine.read(server, state))).toBe("wrong_account");
    expect(await codeOf(engine.update(server, state, { name: "x" }))).toBe("wrong_account");
    expect(await codeOf(engine.delete(server, state))).toBe("wrong_account");
    const { refused } = await diffOf(engine, server, state, { name: "x" });
    const parts = { theirs: { baseUrl: emulator.baseUrl } };
    expect(refused).toMatchObject({ code: "wrong_account", parts });
    expect(other.journal()).toEqual([]);
  });

  type Account = State["private"]["account"];
  const HERE: Account = { baseUrl: "https://here.example/v1", environment: "test" };
  const [there, twin] = ["https://there.example/v1", "http://127.0.0.1:4010/v1"];
  const TWIN = { ...HERE, baseUrl: twin, twinOf: HERE.baseUrl };
  test.each<[string, Account, Partial<Account>, string | undefined, object?]>([
    ["its own", HERE, {}, undefined],
    ["its own in the account's place", HERE, {}, undefined, { isAccountsPlace: true }],
    ["another address", HERE, { baseUrl: there }, "wrong_account"],
    ["the former address", HERE, { baseUrl: there }, undefined, { former: there }],
    ["neither address", HERE, { baseUrl: twin }, "wrong_account", { former: there }],
    ["the other environment", HERE, { environment: "live" }, "wrong_account"],
    ["another id", { ...HERE, id: "a" }, { id: "b" }, "wrong_account"],
    ["no id", { ...HERE, id: "a" }, {}, undefined],
    ["an id where the service says none", HERE, { id: "b" }, undefined],
    ["a twin's", HERE, { twinOf: there }, "state_of_twin"],
    ["the account's on its twin", TWIN, {}, undefined],
    ["the account's in its place", TWIN, {}, "own_state_on_twin", { isAccountsPlace: true }],
    ["a twin's in that place", TWIN, TWIN, undefined, { isAccountsPlace: true }],
    ["another twin's of the account", TWIN, { ...TWIN, baseUrl: there }, undefined],
    ["another account's on a twin", TWIN, { baseUrl: there }, "wrong_account"],
    ["a twin's of another account", TWIN, { twinOf: there }, "wrong_account"],
    ["the twin's, as if it were none", TWIN, { baseUrl: twin }, "wrong_account"],
  ])("a state is taken or refused by its account: %s", (_, account, ...[theirs, code, more]) => {
    const state = { id: "srv_1", values: {}, private: { account: { ...HERE, ...theirs } } };
    // The guard reads nothing else of a state.
    expect(accountRefusal({ account, kind: server, ...more }, state as State)?.code).toBe(code);
  });
});
