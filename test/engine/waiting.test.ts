/** Waiting until an object is ready, and when an update does not. */
import { describe, expect, test } from "@jest/globals";
import type { Emulator, FaultInput } from "../../emulator";
import type { Clock } from "../../provider/client/clock";
import { isRetried, PartialFailure } from "../../provider/engine";
import { given, textOf } from "../support/given";
import { atATime } from "../support/wait";
import { altered } from "./crashes";
import { callsOf, changes, codeOf, diffOf, failureOf, named, readOn, withServer } from "./support";
import { strike } from "../support/ask";

const { server, instance, backup } = named;

/** A server that somebody stopped, as its state shows it. */
async function stoppedServer() {
  const { emulator, engine } = (await given()).engine();
  const made = await engine.create(server, { name: "web" });
  emulator.changeObject("server", made.state.id, { status: "stopped" });
  return { emulator, engine, state: await readOn(engine, server, made.state) };
}

/** From now on, what is created never becomes ready, or fails. */
const provision = (emulator: Emulator, outcome: "failed" | "never") =>
  strike(emulator, "POST", { type: "provision", outcome });

test("an object that is not ready in time causes a warning with the time, however short, never a failure", async () => {
  const { emulator, engine } = (await given()).engine();
  provision(emulator, "never");
  const { state, warnings } = await engine.create(server, { name: "slow" }, { timeoutMs: 300 });
  expect(state.values["status"]).toBe("provisioning");
  expect(warnings).toMatchObject([{ code: "not_ready", parts: { status: "provisioning" } }]);
  expect(textOf(warnings)).toContain("still provisioning after 0.3 s");
});

test("an object that ends in a failed state fails the create and stays in the state", async () => {
  const { emulator, engine } = (await given()).engine();
  provision(emulator, "failed");
  const inputs = withServer(emulator, { name: "erp", server_id: "$server" });
  const error = await failureOf(engine.create(instance, inputs));
  expect(error).toBeInstanceOf(PartialFailure);
  expect(error).toMatchObject({ state: { values: { status: "failed", name: "erp" } } });
  expect(error.message).toContain("ended in the state failed");
});

test("wait false does not wait, and ready_states say what ready is", async () => {
  const { emulator, engine } = (await given()).engine();
  provision(emulator, "never");
  const quick = await engine.create(server, { name: "a", wait: false });
  const ready = await engine.create(server, { name: "b", ready_states: ["provisioning"] });
  for (const { state, warnings } of [quick, ready]) {
    expect(state.values["status"]).toBe("provisioning");
    expect(warnings).toEqual([]);
  }
  expect(callsOf(emulator, "GET", /servers/)).toBe(0);
});

test("an error while waiting for an object keeps it in the state", async () => {
  const { emulator, engine } = (await given({ provisionMs: 60_000 })).engine();
  strike(emulator, "GET /servers", 403);
  const { state, warnings } = await engine.create(server, { name: "a" });
  expect(state.id).toMatch(/^srv_/);
  expect(warnings).toMatchObject([{ code: "not_watched", subject: { id: state.id } }]);
});

test("an instance that someone stopped is renamed without waiting for it to run", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = withServer(emulator, { name: "erp", server_id: "$server" });
  const { state } = await engine.create(instance, inputs);
  emulator.changeObject("instance", state.id, { status: "stopped" });
  const stopped = await readOn(engine, instance, state);
  const next = await engine.update(instance, stopped, { ...inputs, name: "erp-2" });
  expect(next).toMatchObject({ warnings: [], state: { values: { status: "stopped" } } });
});

test("a server that someone stopped is renamed without waiting for it, and the warning names ready_states", async () => {
  const { emulator, engine, state } = await stoppedServer();
  emulator.clearJournal();
  const next = await engine.update(server, state, { name: "web-2" });
  expect(next.state.values).toMatchObject({ name: "web-2", status: "stopped" });
  expect(next.warnings).toMatchObject([{ code: "not_awaited" }]);
  expect(textOf(next.warnings)).toContain("Server srv_1 (web-2) was stopped before this update");
  expect(textOf(next.warnings)).toContain("add it to ready_states");
  expect(callsOf(emulator, "GET", /servers/)).toBe(0);
});

test("a server that someone stopped counts as ready where the program says so", async () => {
  const { engine, state } = await stoppedServer();
  const inputs = { name: "web-2", ready_states: ["running", "stopped"] };
  expect((await engine.update(server, state, inputs)).warnings).toEqual([]);
});

test("an update that makes an unready object fail reports the failure", async () => {
  const { emulator, engine, state } = await stoppedServer();
  emulator.changeObject("server", state.id, { status: "failed" });
  const error = await failureOf(engine.update(server, state, { name: "web-2" }));
  expect(error).toBeInstanceOf(PartialFailure);
});

test("an object that was ready is waited for after an update that sets it to work", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, { name: "web" });
  emulator.changeObject("server", state.id, { status: "restarting" });
  const update = engine.update(server, state, { name: "web-2" });
  while (callsOf(emulator, "GET", /servers/) === 0) await new Promise(setImmediate);
  emulator.changeObject("server", state.id, { status: "running" });
  expect(await update).toMatchObject({ warnings: [], state: { values: { status: "running" } } });
});

test("the state after an upgrade is not foreseen, and that after a new name is", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = withServer(emulator, { name: "erp", server_id: "$server", version: "17.0" });
  const state = await readOn(engine, instance, (await engine.create(instance, inputs)).state);
  expect(state.values["status"]).toBe("running");
  const unknown = async (next: object) =>
    (await diffOf(engine, instance, state, { ...inputs, ...next })).unknown;
  expect(await unknown({ name: "shop" })).toEqual([]);
  // What waits for the upgrade would otherwise take it for a success.
  expect(await unknown({ version: "18.0" })).toEqual(["status"]);
});

test.each([
  ["fails", "failed", []],
  ["is not done in time", "upgrading", ["not_ready"]],
  ["is ignored", "running", ["not_taken"]],
  ["nobody waits for", "running", [], false],
])("an upgrade that %s is planned again", async (_, status, codes, wait = true) => {
  const { emulator, engine } = (await given()).engine();
  const inputs = withServer(emulator, { name: "erp", server_id: "$server", version: "17.0" });
  const { state } = await engine.create(instance, inputs);
  const wanted = { ...inputs, version: "18.0", ...(!wait && { wait }) };
  altered("update", ({ record: { fields, ...rest } }) => {
    const old = { version: "17.0", status };
    emulator.changeObject("instance", state.id, old);
    return { record: { ...rest, fields: { ...fields, ...old } } };
  });

  const after = await engine
    .update(instance, state, wanted, { timeoutMs: 0 })
    .catch((error: unknown) => error as PartialFailure);

  expect(after.warnings.map(({ code }) => code)).toEqual(codes);
  emulator.changeObject("instance", state.id, { status: "running" }); // Somebody repairs it.
  for (const now of [after.state, await readOn(engine, instance, after.state)]) {
    expect(await changes(engine, instance, now, wanted)).toMatchObject([{ path: ["version"] }]);
  }
});

test("a wait that is interrupted counts only the time that it waited", async () => {
  const service = await given();
  provision(service.emulator, "never");
  const stop = new AbortController();
  let nowMs = 0;
  let pauses = 0;
  const after = (ms: number, work: () => void) => {
    if (ms >= 30_000) return () => undefined; // The limit of a file system, not a pause.
    pauses += 1;
    if (pauses <= 2) {
      nowMs += ms;
      setImmediate(work);
    } else {
      nowMs += 100; // Of 512.
      setImmediate(() => stop.abort());
    }
    return () => undefined;
  };
  const clock: Clock = { wallMs: () => Date.now(), monotonicMs: () => nowMs, after };
  const { engine } = service.engine({ clock });
  const { warnings } = await engine.create(server, { name: "slow" }, { stop: stop.signal });
  // 0.2 s and 0.32 s, then the tenth.
  expect(warnings).toMatchObject([{ code: "not_ready", parts: { seconds: 0.7 } }]);
});

describe("what is created is waited for by the newest pages", () => {
  /** A service of many servers, whose own take a moment to become ready. */
  const crowded = async (count = 350) => {
    const service = await given({ provisionMs: 50 });
    const add = (more: number) =>
      service.emulator.createObjects("server", Array(more).fill({ name: "other" }));
    add(count);
    return { service, add, pages: () => callsOf(service.emulator, "GET", /^\/servers/) };
  };
  const works = (name: string) => ({
    warnings: [],
    state: { values: { name, status: "running" } },
  });

  const delays = [700, 400].map((ms, index): FaultInput => {
    return { match: { method: "POST" }, effect: { type: "delay", ms }, every: 2 - index };
  });
  type Creates = Readonly<Record<"count" | "inFlight", number>> & { delays?: FaultInput[] };
  test.each<[string, Creates, number]>([
    ["ten at a time are a page each turn", { count: 60, inFlight: 10 }, 9],
    ["more than a page at a time are two each turn, and no more", { count: 240, inFlight: 120 }, 9],
    ["those whose slow answers come apart are a page", { count: 20, inFlight: 20, delays }, 3],
  ])("%s", async (_, { count, inFlight, delays: faults = [] }, pagesMax) => {
    const { service, pages } = await crowded();
    service.emulator.setFaults(faults);
    const { engine } = service.engine();
    const names = Array.from({ length: count }, (_, at) => `server-${at}`);
    await atATime(inFlight, names, async (name) => {
      expect(await engine.create(server, { name })).toMatchObject(works(name));
    });
    expect(pages()).toBeLessThanOrEqual(pagesMax);
  });

  const asked = { method: "GET", path: "/servers" };
  test.each<[string, FaultInput["effect"], number]>([
    ["lags behind", { type: "list-lag", ms: 400 }, 3],
    ["keeps no order, and begins with the oldest", { type: "ignore-order", order: "asc" }, 5],
    ["keeps no order at all", { type: "ignore-order", order: "random" }, 5],
    ["has smaller pages", { type: "clamp-per-page", max: 20 }, 2],
  ])("a list that %s ends a wait well", async (_, effect, pagesMax) => {
    const { service, pages } = await crowded();
    service.emulator.setFaults([{ match: asked, effect }]);
    const { engine } = service.engine({ profile: { settleWindowMs: 2_000 } });
    expect(await engine.create(server, { name: "web" })).toMatchObject(works("web"));
    expect(pages()).toBeLessThanOrEqual(pagesMax);
  });

  test.each([
    ["are on further pages where others' creates have moved them there", 0],
    ["are found where others delete between two pages", 1],
    ["are found where others create between two pages", -1],
  ])("objects %s", async (_, by) => {
    const { service, add, pages } = await crowded();
    const effect = { type: "shift-pages", by } as const;
    const match = { ...asked, query: { page: "2" } };
    if (by !== 0) service.emulator.setFaults([{ match, effect, times: 1 }]);
    const work = service.engine().engine.create(server, { name: "web" });
    while (callsOf(service.emulator, "POST", /servers/) === 0) await new Promise(setImmediate);
    add(100);
    expect(await work).toMatchObject(works("web"));
    expect(pages()).toBeLessThanOrEqual(7);
  });

  test("a list that shows an update late does not end the wait for it, though it shows the object ready", async () => {
    const { service } = await crowded(0);
    const { engine } = service.engine({ profile: { settleWindowMs: 2_000 } });
    const { state } = await engine.create(server, { name: "web" });
    service.emulator.changeObject("server", state.id, { status: "restarting" });
    service.emulator.setFaults([{ match: asked, effect: { type: "list-lag", ms: 300 } }]);
    const updated = await engine.update(server, state, { name: "web-2" }, { timeoutMs: 400 });
    expect(updated.warnings).toMatchObject([{ code: "not_ready" }]);
    expect(updated.state.values).toMatchObject({ name: "web-2", status: "restarting" });
  });

  test("a run that ends takes nobody's look with it", async () => {
    const { service } = await crowded(0);
    strike(service.emulator, "GET /servers", { type: "delay", ms: 800 });
    const { engine } = service.engine();
    const end = new AbortController();
    const seen = async (method: string) => {
      while (callsOf(service.emulator, method, /servers/) === 0) await new Promise(setImmediate);
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const ended = engine.create(server, { name: "a" }, { signal: end.signal });
    await seen("POST"); // The look is that of the first, and the other joins it.
    const other = engine.create(server, { name: "b" });
    await seen("GET");
    await new Promise((resolve) => setTimeout(resolve, 200));
    end.abort();
    expect(await ended).toMatchObject({ warnings: [{ code: "not_watched" }] });
    expect(await other).toMatchObject(works("b"));
  });
});

describe("an answer that leaves out the status", () => {
  const mute = (call: "createBytes" | "update") =>
    altered(call, ({ record: { fields } }) => {
      delete (fields as { status?: unknown }).status;
      return {};
    });

  test("an object that is created is waited for all the same", async () => {
    mute("createBytes");
    const { emulator, engine } = (await given({ provisionMs: 300 })).engine();
    const { state } = await engine.create(server, { name: "web" });
    expect(state.values["status"]).toBe("running");
    provision(emulator, "never");
    const { warnings } = await engine.create(server, { name: "slow" }, { timeoutMs: 0 });
    expect(textOf(warnings)).toContain("(slow) is still without a status after 0 s");
  });

  test("an update that does not wait has nothing to warn of", async () => {
    const { emulator, engine, state } = await stoppedServer();
    mute("update");
    emulator.clearJournal();
    expect((await engine.update(server, state, { name: "web-2" })).warnings).toEqual([]);
    expect(callsOf(emulator, "GET", /servers/)).toBe(0);
  });

  test.each([
    ["that is pending is waited for, and nothing is upgraded", {}, false],
    ["of which the list says no status either serves", { status: "no" }, true],
  ])("a backup %s", async (_, fields, serves) => {
    const profile = { settleWindowMs: 0, resources: { backup: { fields } } };
    const { emulator, engine } = (await given()).engine({ profile });
    const inputs = withServer(emulator, { name: "erp", server_id: "$server", version: "17.0" });
    const { state } = await engine.create(instance, inputs);
    mute("createBytes");
    provision(emulator, "never");
    emulator.clearJournal();
    const wanted = { ...inputs, version: "18.0", backup_before_upgrade: true };
    const options = { timeoutMs: 300 };
    const code = await codeOf(engine.update(instance, state, wanted, options));
    expect(code).toBe(serves ? undefined : "backup_failed");
    expect(emulator.objects("instance")).toMatchObject([{ version: serves ? "18.0" : "17.0" }]);
    if (serves) expect(callsOf(emulator, "GET", /backups/)).toBe(1);
    const order = { of: "instance", id: state.id } as const;
    const action = await codeOf(engine.backup(order, options));
    expect(action).toBe(serves ? undefined : "backup_unfinished");
  });
});

test("a refresh that finds an object in a failed state says so once, and keeps it", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, { name: "web" });
  emulator.changeObject("server", state.id, { status: "failed" });
  const found = await engine.read(server, state);
  expect(textOf(found.warnings)).toBe(
    `Server ${state.id} (web) is in the state failed now. It exists in the service; find the reason there.`,
  );
  if (!found.state) throw new Error("the object is gone");
  expect(found.state.values["status"]).toBe("failed");
  expect((await engine.read(server, found.state)).warnings).toEqual([]);
});

test("a failed object is updated without a change until it is what the program accepts, or is gone", async () => {
  const { emulator, engine } = (await given()).engine();
  provision(emulator, "failed");
  const web = { name: "web" };
  const [one, two] = await Promise.all(
    [1, 2].map(async () => (await failureOf(engine.create(server, web))) as PartialFailure),
  );
  const [kept = two?.state, lost] = [one?.state, two?.state];
  if (!kept || !lost) throw new Error("both have failed");
  const scope = { contract: engine.contract, account: kept.private.account, kind: server };
  expect(isRetried(scope, kept, web)).toBe(true);
  const accepting = { ...web, ready_states: ["running", "failed"] };
  const { state } = await engine.update(server, kept, accepting);
  expect([isRetried(scope, state, accepting), isRetried(scope, state, web)]).toEqual([false, true]);
  emulator.removeObject("server", lost.id);
  const gone = await failureOf(engine.update(server, lost, web));
  expect(gone).toMatchObject({ state: lost, reason: { code: "gone" } });
  // The service removes backups by itself, and nothing brings one back.
  const of = { server_id: kept.id };
  const failed = await failureOf(engine.create(backup, of));
  const { state: old } = failed as PartialFailure;
  emulator.removeObject("backup", old.id);
  const { state: expired } = await engine.update(backup, old, of);
  expect([expired.values["status"], isRetried(scope, expired, of)]).toEqual(["expired", false]);
});
