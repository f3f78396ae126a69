/** What another machine makes of a run that was cut off, and of what the state holds. */
import { describe, expect, test } from "@jest/globals";
import { folder, given, textOf, type EngineGiven, type Service } from "../../support/given";
import { count, createAndKill, fails } from "../crashes";
import { callsOf, checkOf, codeOf, failureOf } from "../support";
import { kind, named, namesOf, onTwoServers } from "../support";
import { cutOff, identity, machine, resuming, server, web } from "./machines";

const { apiKey: key, instance } = named;
const ids = ({ emulator }: Service): unknown[] => emulator.objects("server").map(({ id }) => id);

describe("after a run was cut off with its machine", () => {
  test("a create under its scope is refused before anything is created, and names the object and both ways on", async () => {
    const { service, id } = await cutOff();
    const work = machine(service).engine.create(server, web, { identity });
    await fails(work, "found_alive", id, /set resume .*to true for one run.* unset scope/);
    expect(ids(service)).toEqual([id]);
  });

  test("a plan names the object as possibly made by that run, and as another's once the service has forgotten it", async () => {
    const { service, id } = await cutOff();
    const plan = async (options: NonNullable<EngineGiven["options"]>) => {
      const { engine } = machine(service, { sameName: "warn", ...options });
      const { refused, notes } = await namesOf(engine, server, web, { identity });
      return [refused, ...notes].map((said) => said && [said.code, said.parts]);
    };
    const strict = { sameName: "error" } as const;
    const subject = { kind: "server", id, name: "web" };
    const ours = (resume: boolean) => ["possibly_ours", { subject, resume }];
    expect(await plan({})).toMatchObject([undefined, ours(false)]);
    expect(await plan({ resume: true, ...strict })).toMatchObject([undefined, ours(true)]);
    expect(await plan(strict)).toMatchObject([ours(false)]);
    service.emulator.advance("25h");
    expect(await plan({})).toMatchObject([undefined, ["same_name", { subject }]]);
    expect(await plan({ resume: true, ...strict })).toMatchObject([["same_name", { subject }]]);
  });

  test("without a scope, another machine knows nothing of it", async () => {
    const { service, id } = await cutOff();
    const run = machine(service, { scope: undefined, resume: true });
    const { state } = await run.engine.create(server, web, { identity });
    expect(state.id).not.toBe(id);
  });

  test("another scope, identity or kind leads to other objects", async () => {
    const { service } = await cutOff();
    const other = resuming(service);
    await other.engine.create(server, web, { identity: "other" });
    await machine(service, { scope: "staging" }).engine.create(server, web, { identity });
    await other.engine.create(kind("team"), web, { identity });
    expect(count(service)).toBe(3);
    expect(count(service, "team")).toBe(1);
  });

  test("an edit in between leads to the same object among many, of which the youngest are tried first", async () => {
    const service = await given();
    const strangers = (count: number) =>
      service.emulator.createObjects("server", Array(count).fill({ name: "theirs" }));
    strangers(45);
    const { id } = await cutOff(web, {}, service);
    strangers(12);
    service.emulator.clearJournal();
    const match = { method: "GET", path: "/servers" };
    service.emulator.setFaults([{ match, effect: { type: "ignore-order", order: "desc" } }]);
    const edited = { name: "renamed" };
    const { state } = await resuming(service).engine.create(server, edited, { identity });
    expect(state).toMatchObject({ id, values: edited });
    // The request as it is now, one for each younger object, and the right one.
    expect(callsOf(service.emulator, "POST", /^\/servers/)).toBe(1 + 12 + 1);
    service.emulator.clearJournal();
    service.emulator.removeObject("server", id);
    strangers(1);
    const error = await failureOf(
      resuming(service).engine.create(server, { name: "again" }, { identity }),
    );
    const [youngest, oldest] = [ids(service).at(-1), ids(service)[0]];
    expect(error).toMatchObject({ code: "candidates_left" });
    expect(callsOf(service.emulator, "POST", /^\/servers/)).toBe(1 + 50);
    expect(error.message).toContain(`it may be server ${String(youngest)}, `);
    expect(error.message).toContain(" or one of 48 more");
    expect(error.message).not.toContain(`${String(oldest)},`);
    expect(error.message).not.toContain("import server");
  });

  test.each([true, false])(
    "an edit in between is not led to an object that a state holds, or that this run has created",
    async (isHeld) => {
      const { service, id } = await cutOff();
      service.emulator.removeObject("server", id);
      const run = resuming(service);
      if (isHeld) {
        const [held] = service.emulator.createObjects("server", [{ name: "theirs" }]);
        await run.engine.noteInState(server, String(held?.["id"]), "other");
      } else await run.engine.create(server, { name: "x" }, { identity: "other" });
      const { state } = await run.engine.create(server, { name: "renamed" }, { identity });
      expect(ids(service)).toEqual([expect.any(String), state.id]);
    },
  );

  test("with resume it is not taken where the host has a state and has not shown its object", async () => {
    const { service, id } = await cutOff();
    const run = resuming(service);
    await checkOf(run.engine, server, web, identity, true);
    const error = await failureOf(run.engine.create(server, web, { identity }));
    expect(error).toMatchObject({ code: "found_alive", reason: { parts: { why: "uninformed" } } });
    expect(ids(service)).toEqual([id]);
  });

  test("another API key in between leads to the only object that matches, and to a question where two do", async () => {
    const { service, id } = await cutOff();
    const apiKey = service.emulator.createKey({ name: "new", permissions: ["admin"] }).value;
    expect(
      await codeOf(machine(service, {}, { apiKey }).engine.create(server, web, { identity })),
    ).toBe("found_alive");
    const { state } = await resuming(service, { apiKey }).engine.create(server, web, { identity });
    expect(state.id).toBe(id);
    service.emulator.createObjects("server", [web]);
    const work = resuming(service, { apiKey }).engine.create(server, web, { identity });
    await fails(work, "candidates_left", id);
    expect(count(service)).toBe(2);
  });

  test("a key's secret comes back with the key", async () => {
    const service = await given();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const lost = await createAndKill(machine(service), key, inputs, { identity });
    const { state } = await resuming(service).engine.create(key, inputs, { identity });
    expect(state.values["value"]).toBe(lost.values["value"]);
    expect(state.id).toBe(lost.id);
  });

  test("after the service's memory, an older object of that name is an error with resume and a warning without", async () => {
    const { service, id } = await cutOff();
    service.emulator.advance("25h");
    const { engine } = machine(service, { resume: true, sameName: "warn" });
    const error = await fails(engine.create(server, web, { identity }), "same_name");
    expect(error.message).toContain(`(${id}), and the service no longer remembers`);
    expect(error.message).toContain("run without resume (ERPHOST_RESUME)");
    expect(count(service)).toBe(1);
    const { engine: next } = machine(service, { sameName: "warn" });
    const { warnings } = await next.create(server, web, { identity });
    expect(textOf(warnings)).toContain(id);
  });
});

test("an object that was created before an immutable edit stops a run with resume, and is named by one without", async () => {
  const service = await given();
  const [one, two] = onTwoServers(service);
  const left = await createAndKill(machine(service), instance, one, { identity });
  for (const sameName of ["warn", "error"] as const) {
    const { engine } = machine(service, { resume: true, sameName });
    const work = engine.create(instance, two, { identity });
    await fails(work, "same_name", `(${left.id}), and it differs in something that cannot be`);
  }
  expect(service.emulator.objects("instance")).toHaveLength(1);
  const again = await resuming(service).engine.create(instance, one, { identity });
  expect(again.state.id).toBe(left.id);
  const { engine } = machine(service, { sameName: "warn" });
  const { state, warnings } = await engine.create(instance, two, { identity });
  expect(state.id).not.toBe(left.id);
  expect(textOf(warnings)).toContain(left.id);
});

test("a declaration whose object was made and removed is created again within the day, as often as needed, and each one is found by other machines", async () => {
  const service = await given();
  let state = (await machine(service).engine.create(server, web, { identity })).state;
  for (let round = 0; round < 3; round += 1) {
    const run = machine(service);
    await run.engine.delete(server, state, { identity });
    const again = (await run.engine.create(server, web, { identity })).state;
    expect(again.id).not.toBe(state.id);
    await run.kill();
    state = again;
  }
  const { state: found } = await resuming(service).engine.create(server, web, { identity });
  expect(found.id).toBe(state.id);
  expect(count(service)).toBe(1);
});

test.each([
  ["where somebody else removed it", web],
  ["after an edit, where no object is left that it may be", { name: "x" }],
])("a declaration whose object was made and removed is created again %s", async (_, inputs) => {
  const { service, id } = await cutOff();
  service.emulator.removeObject("server", id);
  const { state } = await machine(service).engine.create(server, inputs, { identity });
  expect(ids(service)).toEqual([state.id]);
  expect(state.id).not.toBe(id);
});

describe("a host that plans and applies in different processes", () => {
  const HOST = "7-7";

  const plans = async ({ engine }: ReturnType<typeof machine>, held?: string): Promise<void> => {
    if (held !== undefined) await engine.noteInState(server, held, identity);
    await checkOf(engine, server, web, identity);
    await engine.close({ storesLater: true });
  };

  test("knows in the apply what each of several providers of one account has planned", async () => {
    const service = await given();
    const { state } = await machine(service).engine.create(server, web, { identity });
    const place = { intents: folder(), userKey: undefined, host: HOST };
    for (const held of [state.id, undefined]) await plans(machine(service, {}, place), held);
    const { state: next } = await resuming(service, place).engine.create(server, web, { identity });
    expect(next.id).not.toBe(state.id);
  });

  test("replaces what the state holds although the process that created it ended only after the plan", async () => {
    const service = await given();
    const place = { intents: folder(), userKey: undefined };
    const first = service.engine(place);
    const { state } = await first.engine.create(server, web, { identity });
    await plans(service.engine({ ...place, host: HOST }), state.id);
    await first.kill();
    const apply = service.engine({ ...place, host: HOST });
    const { state: next } = await apply.engine.create(server, web, { identity });
    expect(next.id).not.toBe(state.id);
    expect(service.entries(place.intents).map(({ answer }) => answer)).not.toContain(state.id);
  });

  test.each([
    ["preceded", []],
    ["seen a state, where a process of its run planned nothing", [{}]],
  ])("resumes nothing in an apply that no plan of its own has %s", async (_, before) => {
    const { service, id } = await cutOff();
    const place = { intents: folder(), userKey: undefined, host: HOST };
    for (const options of before) {
      await machine(service, options, place).engine.close({ storesLater: true });
    }
    const work = resuming(service, place).engine.create(server, web, { identity });
    await fails(work, "found_alive", "plan and apply in one command");
    expect(ids(service)).toEqual([id]);
  });
});
