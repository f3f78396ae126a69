/** What must never happen: mass forgetting, another account's state, two rotators, ids twice. */
import { describe, expect, test } from "@jest/globals";
import type { Reading } from "../../provider/client/api";
import { systemInjectables } from "../../provider/client/settings/system";
import { issueText } from "../../provider/engine";
import { accountRefusal } from "../../provider/engine/guards/account";
import { IdGuard } from "../../provider/engine/guards/ids";
import { MassGuard } from "../../provider/engine/guards/mass";
import { RotatorGuard } from "../../provider/engine/guards/rotators";
import type { State } from "../../provider/engine";
import { codeOf, folder, kind, open, Population, started } from "./support";

const server = kind("server");
const team = kind("team");
const { clock } = systemInjectables();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const gone: Reading = { state: "gone", serviceTime: undefined };
const present: Reading = {
  state: "present",
  record: { id: "srv", fields: {}, properties: {} },
  serviceTime: undefined,
};
const after =
  (reading: Reading, ms = 0) =>
  async () => (await pause(ms), reading);

/** Codes of what came of questions asked all at once; undefined: it was let go. */
const askAll = (guard: MassGuard, readings: readonly Reading[], of = server) =>
  Promise.all(
    readings.map((reading, i) => codeOf(guard.ask(of, `id_${i}`, after(reading, i % 5)))),
  );

const times = (count: number, reading: Reading): Reading[] =>
  Array.from({ length: count }, () => reading);

describe("the mass guard", () => {
  test("lets three of three go: that is a small program someone took down", async () => {
    const codes = await askAll(new MassGuard(false, clock), times(3, gone));
    expect(codes).toEqual(times(3, gone).map(() => undefined));
  });

  test("refuses all of four of four: nothing that was asked for is left", async () => {
    const codes = await askAll(new MassGuard(false, clock), times(4, gone));
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
  });

  test("lets ten of eleven go, and refuses all of eleven of twelve", async () => {
    const mixed = (lost: number) => [...times(lost, gone), present];
    expect(await askAll(new MassGuard(false, clock), mixed(10))).not.toContain("mass_gone");
    const codes = await askAll(new MassGuard(false, clock), mixed(11));
    expect(codes).toEqual([...times(11, gone).map(() => "mass_gone"), undefined]);
  });

  test("lets twenty of a hundred go, and refuses all of twenty-one", async () => {
    const mixed = (lost: number) => [...times(lost, gone), ...times(100 - lost, present)];
    expect(await askAll(new MassGuard(false, clock), mixed(20))).not.toContain("mass_gone");
    const codes = await askAll(new MassGuard(false, clock), mixed(21));
    expect(codes.slice(0, 21)).toEqual(times(21, gone).map(() => "mass_gone"));
  });

  test("waits for a slow read before it lets the first ones go", async () => {
    const guard = new MassGuard(false, clock);
    const early = askAll(guard, times(9, gone));
    const late = [9, 10].map((i) => codeOf(guard.ask(server, `id_${i}`, after(gone, 300))));
    expect(await Promise.all([...(await early), ...late])).toEqual(
      times(11, gone).map(() => "mass_gone"),
    );
  });

  test.each([
    [8, 0],
    [1, 3],
  ])("asked by %i at a time, lets go of %i and then of nothing", async (width, most) => {
    const guard = new MassGuard(false, clock);
    const codes: unknown[] = [];
    let next = 0;
    const worker = async () => {
      while (next < 60) codes.push(await codeOf(guard.ask(server, `id_${next++}`, after(gone, 1))));
    };
    await Promise.all(Array.from({ length: width }, worker));
    expect(codes.filter((code) => code === undefined)).toHaveLength(most);
  });

  test("knows ids that states mentioned: an empty list is refused from the first on", async () => {
    const guard = new MassGuard(false, clock);
    for (let i = 0; i < 60; i += 1) guard.know("server", `id_${i}`);
    const codes = await askAll(guard, times(13, gone));
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
  });

  test("counts a kind by itself: one empty list among long ones", async () => {
    const guard = new MassGuard(false, clock);
    const servers = askAll(guard, times(200, present));
    const codes = await askAll(guard, times(12, gone), team);
    await servers;
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
  });

  test("counts ids, not questions; what shows up again no longer counts", async () => {
    const guard = new MassGuard(false, clock);
    const six = [...times(6, gone), present];
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await askAll(guard, six)).not.toContain("mass_gone");
    }
    expect(await askAll(guard, times(6, present))).not.toContain("mass_gone");
    expect(await askAll(guard, [...times(6, present), ...times(5, gone)])).not.toContain(
      "mass_gone",
    );
  });

  test("is switched off by allowMassGone", async () => {
    const codes = await askAll(new MassGuard(true, clock), times(50, gone));
    expect(codes).not.toContain("mass_gone");
  });

  test("an error is no verdict and holds nobody up", async () => {
    const guard = new MassGuard(false, clock);
    const failing = guard.ask(server, "id_x", () => Promise.reject(new Error("500")));
    await expect(failing).rejects.toThrow("500");
    expect(await codeOf(guard.ask(server, "id_y", after(gone)))).toBeUndefined();
  });
});

describe("on the service", () => {
  const made = async (count: number, of = server) => {
    const emulator = await started();
    const { engine } = open({ emulator });
    const states: State[] = [];
    for (let i = 0; i < count; i += 1) {
      states.push((await engine.create(of, { name: `s${i}` })).state);
    }
    return { emulator, states };
  };

  test("a list that is empty by mistake forgets nothing", async () => {
    const { emulator, states } = await made(15);
    for (const { id } of emulator.objects("server")) emulator.removeObject("server", String(id));
    const { engine } = open({ emulator });
    const codes = await Promise.all(states.map((state) => codeOf(engine.read(server, state))));
    expect(new Set(codes)).toEqual(new Set(["mass_gone"]));
    const allowed = open({ emulator, options: { allowMassGone: true } }).engine;
    const reads = await Promise.all(states.map((state) => allowed.read(server, state)));
    expect(reads.every(({ state }) => state === undefined)).toBe(true);
  });

  test.each([
    ["what a killed run has deleted itself is no mass", [], undefined],
    [
      "what it was refused to delete is",
      [{ effect: { type: "status", status: 422 } }],
      "mass_gone",
    ],
  ] as const)("%s", async (_, faults, code) => {
    const { emulator, states } = await made(12);
    const intents = folder();
    const population = new Population();
    const run = open({ emulator, intents, population });
    emulator.setFaults([...faults]);
    await Promise.all(states.map((state) => codeOf(run.engine.delete(server, state))));
    await run.kill();
    emulator.setFaults([]);
    for (const { id } of emulator.objects("server")) emulator.removeObject("server", String(id));
    const next = open({ emulator, intents, population }).engine;
    const codes = await Promise.all(states.map((state) => codeOf(next.read(server, state))));
    expect(new Set(codes)).toEqual(new Set([code]));
  });

  test("backups that the service pruned expire, however many, and cost nothing more", async () => {
    const emulator = await started();
    const [box] = emulator.createObjects("server", [{ name: "box" }]);
    const { engine } = open({ emulator });
    const backup = kind("backup");
    const inputs = { server_id: String(box?.["id"]) };
    const states = await Promise.all(
      Array.from({ length: 12 }, () => engine.create(backup, inputs).then(({ state }) => state)),
    );
    for (const { id } of states) emulator.removeObject("backup", id);
    const next = open({ emulator }).engine;
    const reads = await Promise.all(states.map((state) => next.read(backup, state)));
    expect(reads.every(({ state }) => state?.values["status"] === "expired")).toBe(true);
    expect(reads[0]?.warnings.join()).toContain("has expired");
    emulator.clearJournal();
    const again = await next.read(backup, reads[0]?.state as State);
    expect(again).toMatchObject({ state: { values: { status: "expired" } }, warnings: [] });
    expect(emulator.journal()).toHaveLength(1);
  });

  test("a state of another base address or environment is refused by every operation", async () => {
    const { emulator, states } = await made(1);
    const other = await started();
    const { engine } = open({ emulator: other });
    const [state] = states as [State];
    expect(await codeOf(engine.read(server, state))).toBe("wrong_account");
    expect(await codeOf(engine.update(server, state, { name: "x" }))).toBe("wrong_account");
    expect(await codeOf(engine.delete(server, state))).toBe("wrong_account");
    const { refused } = await engine.diff(server, state, { name: "x" });
    expect(refused && issueText(refused)).toContain(emulator.baseUrl);
    expect(other.journal()).toEqual([]);
    const live = { ...state.private.account, environment: "live" as const };
    expect(accountRefusal({ account: live, kind: server }, state)).toContain("(live)");
  });
});

describe("ids", () => {
  test("none answers two creates", () => {
    const ids = new IdGuard();
    ids.registerCreated("server", "srv_1", "a");
    expect(() => ids.registerCreated("server", "srv_1", "b")).toThrow(/a has already/);
    ids.registerCreated("team", "srv_1", "b");
  });

  test("none that a state holds answers a create", () => {
    const ids = new IdGuard();
    ids.hold("server", "srv_1");
    expect(() => ids.registerCreated("server", "srv_1", "b")).toThrow(/answered the create/);
    ids.forget("server", "srv_1");
    ids.registerCreated("server", "srv_1", "b");
  });
});

test("a key has one rotator; claiming twice under one name is one", () => {
  const rotators = new RotatorGuard();
  rotators.claim("key_1", "a");
  rotators.claim("key_1", "a");
  expect(() => rotators.claim("key_1", "b")).toThrow(/already has a rotator \(a\)/);
});
