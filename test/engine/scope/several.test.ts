/** Several declarations and runs of one scope, and kinds that the service keeps. */
import { describe, expect, test } from "@jest/globals";
import { folder, given, textOf, type Service } from "../../support/given";
import { count, fails } from "../crashes";
import { apiKey as key, callsOf, codeOf, failureOf, instance, kind } from "../support";
import { cutOff, identity, machine, resuming, server, web } from "./machines";
import { strike } from "../../support/ask";

const ids = (service: Service): unknown[] => service.emulator.objects("server").map(({ id }) => id);

describe("two declarations or runs with one identity", () => {
  test.each([
    ["with a scope", {}],
    ["without one", { scope: undefined }],
  ])(
    "in one run the second is refused, whether its values are the same or not, %s",
    async (_, at) => {
      const service = await given();
      const run = machine(service, at);
      const made = await Promise.all(
        [web, { name: "api" }, web].map((inputs) =>
          codeOf(run.engine.create(server, inputs, { identity })),
        ),
      );
      expect(made).toEqual([undefined, "identity_shared", "identity_shared"]);
      expect(count(service)).toBe(1);
    },
  );

  test("in one process the next run may replace what its state shows", async () => {
    const { engine } = (await given()).engine();
    const { state } = await engine.create(server, web, { identity });
    await engine.observe(server, { identity, prior: state });
    expect((await engine.create(server, web, { identity })).state.id).not.toBe(state.id);
  });

  test("in one run the second is refused where the first was taken over by its intent", async () => {
    const place = { intents: folder(), userKey: undefined };
    const { service, id } = await cutOff(web, place);
    const { engine } = resuming(service, place);
    expect((await engine.create(server, web, { identity })).state.id).toBe(id);
    expect(await codeOf(engine.create(server, web, { identity }))).toBe("identity_shared");
  });

  test("of two runners at once, one creates and the other is given the object's id", async () => {
    const service = await given();
    const outcomes = await Promise.all(
      [machine(service), machine(service)].map(({ engine }) =>
        codeOf(engine.create(server, web, { identity })),
      ),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(outcomes).toContain("found_alive");
    expect(count(service)).toBe(1);
  });

  test("a lost answer is followed by the same run without a question", async () => {
    const service = await given();
    service.emulator.setFaults([{ match: { method: "POST" }, times: 1, effect: "reset-after" }]);
    const { state } = await machine(service).engine.create(server, web, { identity });
    expect(ids(service)).toEqual([state.id]);
  });

  test("without an identity the name is one, and a kind without a name is reported once", async () => {
    const service = await given();
    const { state } = await machine(service).engine.create(server, web);
    expect(await codeOf(machine(service).engine.create(server, web))).toBe("found_alive");
    const run = machine(service);
    const backup = () => run.engine.create(kind("backup"), { server_id: state.id });
    expect(textOf((await backup()).warnings)).toContain("not covered by the scope");
    expect(textOf((await backup()).warnings)).toBe("");
    expect(count(service, "backup")).toBe(2);
  });
});

describe("kinds that the service keeps", () => {
  const upgraded = { name: "erp", version: "18.0", backup_before_upgrade: true };

  async function running() {
    const service = await given();
    const { state: box } = await machine(service).engine.create(server, web, { identity: "box" });
    const inputs = { ...upgraded, server_id: box.id };
    const before = { ...inputs, version: "17.0" };
    const { state } = await machine(service).engine.create(instance, before, { identity: "erp" });
    return { service, state, inputs, before };
  }
  const options = { identity: "erp" };

  test("a backup before an interrupted change is used again by another machine, without a question", async () => {
    const { service, state, inputs } = await running();
    strike(service.emulator, "PATCH", 422);
    const work = machine(service).engine.update(instance, state, inputs, options);
    await fails(work, "validation_error");
    service.emulator.setFaults([]);
    await machine(service).engine.update(instance, state, inputs, options);
    expect(count(service, "backup")).toBe(1);
  });

  test("a backup that failed is not used again by another machine", async () => {
    const { service, state, inputs } = await running();
    strike(service.emulator, "POST /backups", { type: "provision", outcome: "failed", ms: 0 });
    const stopped = machine(service);
    const updated = stopped.engine.update(instance, state, inputs, options);
    expect(await codeOf(updated)).toBe("backup_failed");
    await stopped.kill();
    service.emulator.setFaults([]);
    await machine(service).engine.update(instance, state, inputs, options);
    const backups = service.emulator.objects("backup").map(({ status }) => status);
    expect(backups).toEqual(["failed", "completed"]);
  });

  test("a backup before a finished change is never used for a later one, though both look alike", async () => {
    const { service, inputs, before, ...made } = await running();
    let { state } = made;
    for (const next of [inputs, before, inputs, before, inputs]) {
      ({ state } = await machine(service).engine.update(instance, state, next, options));
    }
    expect(count(service, "backup")).toBe(5);
    // A change that only a refresh has seen counts as well.
    const old = state;
    await machine(service).engine.update(instance, old, before, options);
    const seen = await machine(service).engine.read(instance, old, options);
    expect(seen.state?.private.generation).toBe(6);
  });

  test("a rotation on another machine leads to the same successor and secret, without a scope", async () => {
    const service = await given();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const { state } = await service.engine().engine.create(key, inputs, {});
    const wanted = { ...inputs, triggers: { day: "2" } };
    const rotate = async () => {
      const run = machine(service, { scope: undefined });
      const rotated = await run.engine.update(key, state, wanted, { identity });
      await run.kill();
      return rotated.state;
    };
    const first = await rotate();
    const second = await rotate();
    expect(second.values["value"]).toBe(first.values["value"]);
    expect(callsOf(service.emulator, "POST", /rotate$/)).toBe(2);
    const third = { ...wanted, triggers: { day: "3" } };
    await machine(service).engine.update(key, second, third, { identity });
    const { message } = await failureOf(rotate());
    expect(message).toContain("key_2 was rotated elsewhere");
  });
});
