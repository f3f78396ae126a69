/** What a run makes of a request whose answer is lost for good: lists show what it may have led to. */
import { expect, jest, test } from "@jest/globals";
import { ClientCore } from "../../../provider/client";
import { folder, given } from "../../support/given";
import { count, createAndKill, fails } from "../crashes";
import { apiKey as key, backup, callsOf, codeOf } from "../support";
import { failureOf, hurried, instance, onTwoServers } from "../support";
import { cutOff, identity, machine, resuming, server, web } from "./machines";
import { strike } from "../../support/ask";

const theirs = { name: "theirs" };

test.each([
  ["and made nothing leads to a second key, whatever has other names", false, theirs, undefined],
  ["and made the object leads to that, whatever has other names", true, theirs, undefined],
  ["is a question where an older object is like it", false, web, "found_alive"],
  ["is a question where two objects are like it", true, web, "candidates_left"],
] as const)("a failure that the service keeps replaying %s", async (_, applied, other, code) => {
  const service = await given();
  service.emulator.createObjects("server", [other]);
  service.emulator.advance("1h");
  strike(service.emulator, "POST", { type: "replay-500", applied }, { times: 1 });
  const { engine } = machine(service);
  const made = engine.create(server, web, { identity });
  expect(await codeOf(made)).toBe(code);
  expect(count(service)).toBe(applied || code === undefined ? 2 : 1);
  if (code === undefined)
    expect((await made).warnings.map((said) => said.code)).toEqual(applied ? ["adopted"] : []);
});

test("under another API key what is older than the service's memory, or not like the program, is not taken", async () => {
  const service = await given();
  service.emulator.createObjects("server", [web]);
  service.emulator.advance("25h");
  service.emulator.createObjects("server", [theirs]);
  const { id } = await cutOff(web, {}, service);
  const apiKey = service.emulator.createKey({ name: "new", permissions: ["admin"] }).value;
  const run = resuming(service, { apiKey });
  await fails(run.engine.create(server, { name: "renamed" }, { identity }), "candidates_left", id);
  service.emulator.clearJournal();
  const next = resuming(service, { apiKey, profile: { settleWindowMs: 29_000 }, clock: hurried });
  const { state } = await next.engine.create(server, web, { identity });
  expect(state.id).toBe(id);
  // What is found at once is not waited for.
  expect(callsOf(service.emulator, "GET", /^\/servers/)).toBe(1);
});

test.each(["another", "the same"])(
  "under %s API key what lists do not show yet is waited for",
  async (which) => {
    const { service, id } = await cutOff();
    const { value } = service.emulator.createKey({ name: "new", permissions: ["admin"] });
    strike(service.emulator, "GET /servers", { type: "list-lag", ms: 250 });
    const profile = { settleWindowMs: 29_000 };
    const apiKey = which === "another" ? value : service.emulator.adminKey;
    const run = resuming(service, { apiKey, profile, clock: hurried });
    const looks = jest.spyOn(ClientCore.prototype, "snapshot");
    const { state } = await run.engine.create(server, web, { identity });
    expect(state.id).toBe(id);
    // A walk that is under way may have passed it already.
    const isNew = looks.mock.calls.map(([, options]) => options?.isNew);
    expect(isNew).toEqual(which === "another" ? [false, true] : []);
    looks.mockRestore();
  },
);

test("what a derived key shows to be another request's is not looked for by its name", async () => {
  const { service, id } = await cutOff();
  const edited = { name: "renamed" };
  const options = { resume: true, sameName: "allow" } as const;
  const place = { intents: folder(), clock: hurried, profile: { settleWindowMs: 29_000 } };
  strike(service.emulator, "GET /servers", 400);
  const run = machine(service, options, place);
  await failureOf(run.engine.create(server, edited, { identity }));
  await run.kill();
  service.emulator.setFaults([]);
  service.emulator.createObjects("server", [edited]);
  const { engine } = machine(service, options, place);
  const { state } = await engine.create(server, edited, { identity });
  expect(state.id).toBe(id);
});

test("what a service cannot update is not replaced by a run that an edit led to it", async () => {
  const service = await given();
  const [{ server_id }] = onTwoServers(service);
  const of = (tier: string) => ({ server_id, properties: { tier } });
  const { id } = await createAndKill(machine(service), backup, of("a"), { identity });
  const again = resuming(service).engine.create(backup, of("b"), { identity });
  expect(await failureOf(again)).toMatchObject({ reason: { parts: { why: "fixed" } } });
  expect(service.emulator.objects("backup")).toMatchObject([{ id }]);
});

test("a key whose secret only its first answer held is not taken under another API key", async () => {
  const service = await given();
  const inputs = { name: "ci", permissions: ["servers:read"] };
  await createAndKill(machine(service), key, inputs, { identity });
  const apiKey = service.emulator.createKey({ name: "new", permissions: ["admin"] }).value;
  const again = resuming(service, { apiKey }).engine.create(key, inputs, { identity });
  expect(await codeOf(again)).toBe("candidates_left");
});

test("an edit in between is led to nothing that no update could have changed into it", async () => {
  const service = await given();
  const [inputs, elsewhere] = onTwoServers(service);
  service.emulator.createObjects("instance", [{ ...elsewhere, name: "theirs" }]);
  const { id } = await createAndKill(machine(service), instance, inputs, { identity });
  service.emulator.removeObject("instance", id);
  await machine(service).engine.create(instance, { ...inputs, name: "renamed" }, { identity });
  expect(count(service, "instance")).toBe(2);
});

test.each<[string, string, string, number, string | undefined, number]>([
  ["tried although lists alone say the service's time", "1h", "/auth/test", 0, undefined, 2],
  ["tried until a try is refused for another reason", "1h", "/servers", 2, "forbidden", 2],
  ["not tried when it may soon be forgotten", "23h55m", "/auth/test", 0, "candidates_left", 1],
])("a key whose request an edit changed is %s", async (_, age, path, ...[skip, code, tries]) => {
  const { service } = await cutOff();
  service.emulator.advance(age);
  service.emulator.clearJournal();
  strike(service.emulator, path, 403, { skip });
  const again = resuming(service).engine.create(server, { name: "renamed" }, { identity });
  expect(await codeOf(again)).toBe(code);
  expect(callsOf(service.emulator, "POST", /^\/servers/)).toBe(tries);
});

test("each request that tries the key ends soon, wherever it waits: the service may forget the key meanwhile", async () => {
  const { service, id } = await cutOff();
  const sent = jest.spyOn(ClientCore.prototype, "createBytes");
  const { engine } = resuming(service);
  const { state } = await engine.create(server, { name: "renamed" }, { identity });
  expect(state.id).toBe(id);
  const [, ...tries] = sent.mock.calls.map(([, , options]) => options.timeoutMs);
  expect(tries).toEqual([300_000]);
});

test("a key that the service may soon forget is not tried for a younger object either", async () => {
  const { service } = await cutOff();
  service.emulator.advance("22h");
  service.emulator.createObjects("server", [theirs]);
  service.emulator.advance("1h55m");
  service.emulator.clearJournal();
  const again = resuming(service).engine.create(server, { name: "renamed" }, { identity });
  expect(await codeOf(again)).toBe("candidates_left");
  expect(callsOf(service.emulator, "POST", /^\/servers/)).toBe(1);
});

test("what a replay led to is followed again where lists may not be read today", async () => {
  const { service, id } = await cutOff();
  strike(service.emulator, "GET /servers", 403);
  const intents = folder();
  const refused = resuming(service, { intents });
  expect(await codeOf(refused.engine.create(server, web, { identity }))).toBe("forbidden");
  await refused.kill();
  expect(service.entries(intents)).toHaveLength(1);
  service.emulator.setFaults([]);
  const { state } = await resuming(service, { intents }).engine.create(server, web, { identity });
  expect(state.id).toBe(id);
});

const EMPTY = { type: "status", status: 429, retry_after: 7_200 } as const;

test("a create that was done is followed again where there is no quota for the look at its lists", async () => {
  const service = await given();
  const intents = folder();
  const effect = { type: "replay-500", applied: true } as const;
  service.emulator.setFaults([
    { match: { method: "POST" }, times: 1, effect },
    { match: { method: "GET", path: "/servers" }, effect: EMPTY },
  ]);
  const run = machine(service, {}, { intents });
  expect(await codeOf(run.engine.create(server, web, { identity }))).toBe("rate_limit_exceeded");
  await run.kill();
  service.emulator.setFaults([]);
  service.emulator.advance("25h");
  await machine(service, {}, { intents }).engine.create(server, web, { identity });
  expect(count(service)).toBe(1);
});

test("a key is tried for minutes after the service knew it, and no longer", async () => {
  const { service } = await cutOff();
  service.emulator.createObjects("server", [theirs]);
  service.emulator.clearJournal();
  const { mock } = jest.spyOn(ClientCore.prototype, "createBytes");
  // Each request takes six.
  const monotonicMs = () => hurried.monotonicMs() + mock.calls.length * 360_000;
  const { engine } = resuming(service, { clock: { ...hurried, monotonicMs } });
  const again = engine.create(server, { name: "renamed" }, { identity });
  expect(await codeOf(again)).toBe("candidates_left");
  expect(callsOf(service.emulator, "POST", /^\/servers/)).toBe(2);
});

test.each([true, false])(
  "what was renamed is replaced within the day, where this run deletes it: %s",
  async (isOurs) => {
    const service = await given();
    service.emulator.createObjects("server", [theirs]);
    const renamed = { name: "renamed" };
    const { engine } = machine(service);
    const { state } = await engine.create(server, web, { identity });
    const now = (await engine.update(server, state, renamed, { identity })).state;
    if (!isOurs) service.emulator.removeObject("server", state.id);
    await engine.delete(server, now, { identity });
    expect(await codeOf(engine.create(server, renamed, { identity }))).toBe(
      isOurs ? undefined : "candidates_left",
    );
    expect(count(service)).toBe(isOurs ? 2 : 1);
  },
);

test("what a run deletes explains one key of its declaration, not that of a run that was cut off", async () => {
  const service = await given();
  const { state } = await machine(service).engine.create(server, web, { identity });
  const cut = machine(service);
  await cut.engine.observe(server, { identity, prior: state });
  await createAndKill(cut, server, theirs, { identity });
  const { engine } = machine(service);
  await engine.delete(server, state, { identity });
  expect(await codeOf(engine.create(server, { name: "x" }, { identity }))).toBe("found_alive");
});
