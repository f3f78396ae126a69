/** What a run that ended in order had made, while its host may not have stored it yet. */
import { describe, expect, test } from "@jest/globals";
import type { FaultInput } from "../../emulator";
import type { Clock } from "../../provider/client/clock";
import type { OperationOptions } from "../../provider/engine";
import { count, identity, place, type Place } from "./crashes";
import { clockOff, entriesOf, failureOf, kind, open } from "./support";

const server = kind("server");
const HOUR_MS = 3_600_000;

describe("a host that stores what it was told after an orderly end", () => {
  /** A run that creates and ends in order, and the next one, whose host may have lost that. */
  const ended = async (context: OperationOptions, clock?: Clock) => {
    const at = await place();
    const state = await endedIn(at, context);
    return { at, state, next: open({ ...at, ...(clock && { clock }) }).engine };
  };
  const endedIn = async (at: Place, context: OperationOptions) => {
    const run = open(at);
    const { state } = await run.engine.create(server, { name: "web" }, context);
    await run.engine.close({ storesLater: true });
    await run.kill();
    return state;
  };
  const madeAgain = async (
    { state, next }: Awaited<ReturnType<typeof ended>>,
    context: OperationOptions,
  ) => (await next.create(server, { name: "web" }, context)).state.id !== state.id;

  test("and was killed before: the next create for the same purpose takes the object", async () => {
    expect(await madeAgain(await ended({ identity }), { identity })).toBe(false);
  });

  test("and has stored it: the id that it mentions clears the intent", async () => {
    const run = await ended({ identity });
    await run.next.noteHeld(server, run.state.id, identity);
    expect(entriesOf(run.at.intents)).toEqual([]);
    expect(await madeAgain(run, { identity })).toBe(true);
  });

  test("and gives no identity: equal bytes alone are no proof", async () => {
    const run = await ended({});
    expect(entriesOf(run.at.intents)).toEqual([]);
    expect(await madeAgain(run, {})).toBe(true);
  });

  test.each([
    ["for a quarter of an hour", HOUR_MS / 4],
    ["on a clock that was put back", -HOUR_MS / 4],
  ])("and says nothing of it %s: it may be another's, and is not made twice", async (_, offMs) => {
    const { at, state, next } = await ended({ identity }, clockOff(offMs));
    const error = await failureOf(next.create(server, { name: "web" }, { identity }));
    expect(error).toMatchObject({ code: "handed_over" });
    expect(error.message).toContain(`import server ${state.id}`);
    expect(at.emulator.objects("server")).toMatchObject([{ id: state.id, name: "web" }]);
  });

  test("and says nothing of it for a day: it is forgotten", async () => {
    const run = await ended({ identity }, clockOff(25 * HOUR_MS));
    expect(await madeAgain(run, { identity })).toBe(true);
    expect(run.at.emulator.objects("server")).toHaveLength(2);
  });

  test("and declares it otherwise: it is neither taken nor touched, nor made twice", async () => {
    const run = await ended({ identity });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const error = await failureOf(run.next.create(server, { name: "other" }, { identity }));
      expect(error).toMatchObject({ code: "handed_over" });
      expect(error.message).toContain(`import server ${run.state.id}`);
    }
    expect(run.at.emulator.objects("server")).toMatchObject([{ id: run.state.id, name: "web" }]);
    expect(await madeAgain(run, { identity })).toBe(false);
  });

  test("and declares it otherwise once it is gone: another is made", async () => {
    const run = await ended({ identity });
    run.at.emulator.removeObject("server", run.state.id);
    const { state } = await run.next.create(server, { name: "other" }, { identity });
    expect(run.at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    await run.next.close();
    expect(entriesOf(run.at.intents)).toEqual([]);
  });

  test("and is killed again, with what the next run had found: found once more, at any time", async () => {
    const at = await place();
    const { id } = await endedIn(at, { identity });
    const again = open(at);
    await again.engine.create(server, { name: "web" }, { identity });
    await again.kill();
    const later = open({ ...at, clock: clockOff(HOUR_MS) }).engine;
    expect((await later.create(server, { name: "web" }, { identity })).state.id).toBe(id);
    expect(count(at)).toBe(1);
  });

  test("and lost a rotation: the next run is given the same secret", async () => {
    const at = await place();
    const key = kind("api_key");
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const wanted = { ...inputs, triggers: { day: "2" } };
    const { state: before } = await open(at).engine.create(key, inputs, {});
    const run = open(at);
    const { state } = await run.engine.update(key, before, wanted, { identity });
    await run.engine.close({ storesLater: true });
    await run.kill();
    const again = await open(at).engine.update(key, before, wanted, { identity });
    expect(again.state.values["value"]).toBe(state.values["value"]);
    expect(state.values["value"]).not.toBe(before.values["value"]);
    expect(count(at, "api_key")).toBe(3); // The emulator's own, and the two of this line.
  });

  const refused: FaultInput = {
    match: { method: "PATCH" },
    effect: { type: "status", status: 422 },
  };
  const failing: FaultInput = {
    match: { method: "POST", path: "/backups" },
    effect: { type: "provision", outcome: "failed" },
  };
  test.each([
    ["was good and its change refused, ended in order", refused, true],
    ["failed, ended in order", failing, true],
    ["failed, killed", failing, false],
  ])("takes no old backup before a change: one that %s", async (_, fault, inOrder) => {
    const at = await place();
    const instance = kind("instance");
    const [box] = at.emulator.createObjects("server", [{ name: "box" }]);
    const inputs = { name: "erp", server_id: String(box?.["id"]), version: "17.0" };
    const wanted = { ...inputs, version: "18.0", backup_before_upgrade: true };
    const { state } = await open(at).engine.create(instance, inputs, {});
    at.emulator.setFaults([fault]);
    const run = open(at);
    await failureOf(run.engine.update(instance, state, wanted, { identity }));
    if (inOrder) await run.engine.close({ storesLater: true });
    await run.kill();
    at.emulator.setFaults([]);
    await open(at).engine.update(instance, state, wanted, { identity });
    expect(count(at, "backup")).toBe(2);
    expect(at.emulator.objects("instance")).toMatchObject([{ version: "18.0" }]);
  });
});
