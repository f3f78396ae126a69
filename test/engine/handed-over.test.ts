/** What a run that exited cleanly created, while its host may not have stored it yet. */
import { describe, expect, test } from "@jest/globals";
import type { FaultInput } from "../../emulator";
import type { Clock } from "../../provider/client/clock";
import type { OperationOptions } from "../../provider/engine";
import { given, type Service } from "../support/given";
import { count, identity } from "./crashes";
import { clockOff, failureOf, kind } from "./support";

const server = kind("server");
const HOUR_MS = 3_600_000;

describe("a host that writes its state only after the provider's clean exit", () => {
  /** A run that creates and exits cleanly, and the next one, whose host may have lost that. */
  const ended = async (options: OperationOptions, clock?: Clock) => {
    const service = await given();
    const state = await endedIn(service, options);
    return { service, state, next: service.engine({ ...(clock && { clock }) }).engine };
  };
  const endedIn = async (service: Service, options: OperationOptions) => {
    const run = service.engine();
    const { state } = await run.engine.create(server, { name: "web" }, options);
    await run.engine.close({ storesLater: true });
    await run.kill();
    return state;
  };
  const createsAgain = async (
    { state, next }: Awaited<ReturnType<typeof ended>>,
    options: OperationOptions,
  ) => (await next.create(server, { name: "web" }, options)).state.id !== state.id;

  test("a create takes over the object of a run whose host was killed before it wrote its state", async () => {
    expect(await createsAgain(await ended({ identity }), { identity })).toBe(false);
  });

  test("an id in the state clears the intent of the run that exited cleanly", async () => {
    const run = await ended({ identity });
    await run.next.noteInState(server, run.state.id, identity);
    expect(run.service.entries()).toEqual([]);
    expect(await createsAgain(run, { identity })).toBe(true);
  });

  test("without an identity, an object of a run that exited cleanly is not taken over", async () => {
    const run = await ended({});
    expect(run.service.entries()).toEqual([]);
    expect(await createsAgain(run, {})).toBe(true);
  });

  test.each([
    ["a quarter of an hour ago", HOUR_MS / 4],
    ["in the future (its clock was put back)", -HOUR_MS / 4],
  ])(
    "an object that a run handed over %s is neither taken over nor created twice",
    async (_, offMs) => {
      const { service, state, next } = await ended({ identity }, clockOff(offMs));
      const error = await failureOf(next.create(server, { name: "web" }, { identity }));
      expect(error).toMatchObject({ code: "handed_over" });
      expect(error.message).toContain(`import server ${state.id}`);
      expect(service.emulator.objects("server")).toMatchObject([{ id: state.id, name: "web" }]);
    },
  );

  test("an object that a run handed over a day ago is forgotten", async () => {
    const run = await ended({ identity }, clockOff(25 * HOUR_MS));
    expect(await createsAgain(run, { identity })).toBe(true);
    expect(run.service.emulator.objects("server")).toHaveLength(2);
  });

  test("an object that was handed over and is declared otherwise is neither taken, changed nor created twice", async () => {
    const run = await ended({ identity });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const error = await failureOf(run.next.create(server, { name: "other" }, { identity }));
      expect(error).toMatchObject({ code: "handed_over" });
      expect(error.message).toContain(`import server ${run.state.id}`);
    }
    expect(run.service.emulator.objects("server")).toMatchObject([
      { id: run.state.id, name: "web" },
    ]);
    expect(await createsAgain(run, { identity })).toBe(false);
  });

  test("an object that was handed over and is gone is created under its new declaration", async () => {
    const run = await ended({ identity });
    run.service.emulator.removeObject("server", run.state.id);
    const { state } = await run.next.create(server, { name: "other" }, { identity });
    expect(run.service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    await run.next.close();
    expect(run.service.entries()).toEqual([]);
  });

  test("an object that a killed run had recovered is recovered once more, at any time", async () => {
    const service = await given();
    const { id } = await endedIn(service, { identity });
    const again = service.engine();
    await again.engine.create(server, { name: "web" }, { identity });
    await again.kill();
    const later = service.engine({ clock: clockOff(HOUR_MS) }).engine;
    expect((await later.create(server, { name: "web" }, { identity })).state.id).toBe(id);
    expect(count(service)).toBe(1);
  });

  test("a rotation whose result the host lost gives the next run the same secret", async () => {
    const service = await given();
    const key = kind("api_key");
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const wanted = { ...inputs, triggers: { day: "2" } };
    const { state: before } = await service.engine().engine.create(key, inputs, {});
    const run = service.engine();
    const { state } = await run.engine.update(key, before, wanted, { identity });
    await run.engine.close({ storesLater: true });
    await run.kill();
    const again = await service.engine().engine.update(key, before, wanted, { identity });
    expect(again.state.values["value"]).toBe(state.values["value"]);
    expect(state.values["value"]).not.toBe(before.values["value"]);
    expect(count(service, "api_key")).toBe(3); // The emulator's own, and the two of this line.
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
    ["succeeded before a refused change, in a run that exited cleanly", refused, true],
    ["failed, in a run that exited cleanly", failing, true],
    ["failed, in a run that was killed", failing, false],
  ])("an update takes a new backup after one that %s", async (_, fault, cleanly) => {
    const service = await given();
    const instance = kind("instance");
    const [box] = service.emulator.createObjects("server", [{ name: "box" }]);
    const inputs = { name: "erp", server_id: String(box?.["id"]), version: "17.0" };
    const wanted = { ...inputs, version: "18.0", backup_before_upgrade: true };
    const { state } = await service.engine().engine.create(instance, inputs, {});
    service.emulator.setFaults([fault]);
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
