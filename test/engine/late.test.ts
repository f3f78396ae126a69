/** What comes late: lists that lag, answers that waited, clocks that differ, runs a day later. */
import { describe, expect, jest, test } from "@jest/globals";
import { ClientCore, ErpHostError } from "../../provider/client";
import { PartialFailure, type IntentEntry } from "../../provider/engine";
import { isOfThisCall } from "../../provider/engine/evidence/replay";
import { message } from "../../provider/messages";
import { strike } from "../support/ask";
import { folder, given, textOf } from "../support/given";
import { pause } from "../support/wait";
import { altered, count, createAndKill, exited, fails, identity } from "./crashes";
import { killed, leftBy, rewrite } from "./crashes";
import { changes, clockOff, codeOf, failureOf, kind, named, readOn, withServer } from "./support";

const { server, instance, apiKey } = named;
const key = { name: "ci", permissions: ["servers:read"] };
const web = { name: "web" };
const HOUR_MS = 3_600_000;

test("what was made a moment before its process died is found, however long its request had waited", async () => {
  const profile = { settleWindowMs: 1_000 };
  const { service, state: made } = await leftBy(killed.afterAnswer, web, { profile });
  const earlier = ({ serviceTime: at = 0 }) => ({ serviceTime: at - HOUR_MS });
  await rewrite(service, (entry) => ({ ...entry, ...earlier(entry) }));
  strike(service.emulator, "GET /servers", { type: "list-lag", ms: 900 });
  const { state } = await service.engine({ profile }).engine.create(server, web, { identity });
  expect(state.id).toBe(made.id);
  expect(count(service)).toBe(1);
});

test("a list that many creates share sets no clock back: what a stranger made meanwhile is not taken", async () => {
  const options = { sameName: "warn", readMaxAgeMs: HOUR_MS } as const;
  const { service, emulator, engine } = (await given()).engine({ options });
  await engine.create(server, { name: "first" }, { identity: "urn:first" });
  emulator.advance("1m");
  const [stranger] = emulator.createObjects("server", [web]);
  emulator.advance("1m");
  await engine.create(server, { name: "second" }, { identity: "urn:second" });
  strike(emulator, "POST /servers", { type: "replay-500", applied: false }, { times: 1 });
  const { state } = await engine.create(server, web, { identity });
  expect(state.id).not.toBe(stranger?.["id"]);
  expect(count(service)).toBe(4);
});

test("a list that a search has read slowly sets no clock back", async () => {
  const { service, engine } = (await given()).engine();
  altered("snapshot", () => ({ serviceTime: new Date(Date.now() - HOUR_MS).toISOString() }));
  strike(service.emulator, "POST /servers", { type: "replay-500", applied: false }, { times: 1 });
  await engine.create(server, web, { identity });
  const [second] = service.entries(); // The first is gone with its search.
  expect(second?.serviceTime).toBeGreaterThan(Date.now() - HOUR_MS / 2);
});

test("a request that is repeated ends before the service forgets its key, wherever it waits", async () => {
  const { service, state: made } = await leftBy(killed.beforeAnswer);
  const ageMs = 23.5 * HOUR_MS;
  service.emulator.advance(ageMs);
  const { engine } = service.engine({ clock: clockOff(ageMs) });
  const sent = jest.spyOn(ClientCore.prototype, "createBytes");
  const { state } = await engine.create(server, web, { identity });
  expect(state.id).toBe(made.id);
  const { timeoutMs = Infinity } = sent.mock.calls[0]?.[2] ?? {};
  expect(timeoutMs).toBeLessThan(24 * HOUR_MS - ageMs);
  expect(timeoutMs).toBeGreaterThan(0);
});

test.each([
  ["and was not sent, what it led to is looked for", false, undefined, 0],
  ["and may be done yet, nothing is sent, and its intent stays", true, "deadline_exceeded", 1],
])("where a repeated request's time is up %s", async (_, ambiguous, code, left) => {
  const { service } = await leftBy(killed.beforeAnswer);
  const facts = { operation: "POST /servers", attempts: Number(ambiguous), ambiguous };
  const why = message("time_is_up", { timeoutMs: 1 });
  const error = new ErpHostError({ ...facts, code: "deadline_exceeded", why });
  jest.spyOn(ClientCore.prototype, "createBytes").mockRejectedValueOnce(error);
  const { engine } = service.engine();
  expect(await codeOf(engine.create(server, web, { identity }))).toBe(code);
  await engine.close();
  expect(service.entries()).toHaveLength(left);
  expect(count(service)).toBe(1);
});

test("the time of a replayed answer, which may be the first one's, sets no clock back", async () => {
  const options = { scope: "prod", resume: true };
  const { service, state } = await leftBy(killed.afterAnswer, web, { options });
  const old = { timestamp: new Date(Date.now() - HOUR_MS).toISOString() };
  const record = { id: state.id, fields: state.values, properties: {} };
  const replay = { record, meta: old, replayed: true, leftOpen: false } as never;
  jest.spyOn(ClientCore.prototype, "createBytes").mockResolvedValueOnce(replay);
  const intents = folder();
  const { engine } = service.engine({ intents, options });
  expect((await engine.create(server, web, { identity })).state.id).toBe(state.id);
  await engine.create(server, { name: "next" }, { identity: "urn:next" });
  const next = service.entries(intents).find(({ name }) => name === "next");
  expect(next?.serviceTime).toBeGreaterThan(Date.now() - HOUR_MS / 2);
});

test.each([
  [30, true],
  [1_000, false],
])("an object whose time is %d ms before its request's is this call's: %s", (ms, isOurs) => {
  const beganMs = Date.now();
  const fields = { created_at: new Date(beganMs - ms).toISOString() };
  const record = { id: "srv_1", fields, properties: {} };
  const answer = { record, replayed: false, leftOpen: false } as never;
  expect(isOfThisCall(answer, beganMs)).toBe(isOurs);
});

describe("a key", () => {
  const rotated = (n: string) => ({ ...key, triggers: { n } });

  /** A rotation that was answered, and whose process died before the host had the answer, or did not. */
  async function cutOff(isKilled = true) {
    const service = await given();
    const first = service.engine();
    const { state } = await first.engine.create(apiKey, rotated("1"), { identity });
    await first.engine.close();
    const cut = service.engine();
    const lost = (await cut.engine.update(apiKey, state, rotated("2"), { identity })).state;
    await (isKilled ? cut.kill() : cut.engine.close());
    return { service, state, lost };
  }

  test.each([
    ["whose entry is left", true],
    ["that ended well", false],
  ])("a replayed rotation %s is refused where its key was deleted since", async (_, isKilled) => {
    const { service, state, lost } = await cutOff(isKilled);
    const successor = String(lost.values["current_key_id"]);
    service.emulator.removeObject("api_key", successor);
    const { engine } = service.engine();
    const reason = { code: "successor_gone", parts: { keyId: state.id, successor } };
    const again = engine.update(apiKey, state, rotated("2"), { identity });
    await expect(again).rejects.toMatchObject({ reason });
    expect(service.entries()).toEqual([]);
  });

  test("a replayed key that lists do not show yet is waited for", async () => {
    const { service, state, lost } = await cutOff();
    strike(service.emulator, "GET /api-keys", { type: "list-lag", ms: 400 });
    const { engine } = service.engine({ profile: { settleWindowMs: 1_000 } });
    const next = await engine.update(apiKey, state, rotated("2"), { identity });
    expect(next.state.values["value"]).toBe(lost.values["value"]);
  });

  test.each([
    ["", {}],
    [" of a service without lines", { resources: { api_key: { fields: { lineage_id: "no" } } } }],
  ])("a list behind a rotation makes a key%s neither gone nor lost", async (_, more) => {
    const profile = { settleWindowMs: 1_000, ...more };
    const { service, engine } = (await given()).engine({ profile });
    const { state } = await engine.create(apiKey, rotated("1"));
    await pause(400); // So that lists show the first key.
    const next = (await engine.update(apiKey, state, rotated("2"))).state;
    strike(service.emulator, "GET /api-keys", { type: "list-lag", ms: 400 });
    const read = await service.engine({ profile }).engine.read(apiKey, next);
    expect(read).toEqual({ state: next, warnings: [] });
  });

  test("a rotation that was cut off is continued after a refresh: the state gets the same secret", async () => {
    const { service, state, lost } = await cutOff();
    const { engine } = service.engine();
    const read = await readOn(engine, apiKey, state);
    expect(await changes(engine, apiKey, read, rotated("1"))).toMatchObject([
      { path: ["rotation_due"] },
    ]);
    const next = await engine.update(apiKey, read, rotated("2"), { identity });
    expect(next.state.values).toMatchObject({ value: lost.values["value"], rotation_due: false });
    expect(next.state.private.lost).toBeUndefined();
    expect(count(service, "api_key")).toBe(3); // The run's own as well.
  });

  test("once the key that a run has rotated is over, the state moves on to its successor", async () => {
    const { service, state, lost } = await cutOff();
    service.emulator.removeObject("api_key", state.id);
    const read = await readOn(service.engine().engine, apiKey, state);
    expect(read.values["current_key_id"]).toBe(lost.values["current_key_id"]);
  });

  describe("where its rotation fails", () => {
    const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

    test("a recipient that is new still asks for it", async () => {
      const { emulator, engine } = (await given()).engine();
      const { state } = await engine.create(apiKey, key);
      strike(emulator, "POST /api-keys/*/rotate", 403, { times: 1 });
      const sealed = { ...key, recipient: AGE };
      const kept = await failureOf(engine.update(apiKey, state, sealed));
      if (!(kept instanceof PartialFailure)) throw kept;
      const left = await changes(engine, apiKey, kept.state, sealed);
      expect(left).toMatchObject([{ path: ["recipient"] }]);
      const next = await engine.update(apiKey, kept.state, sealed);
      expect(next.state.values).toMatchObject({ encrypted_value: expect.any(String) });
      expect(next.state.values["value"]).toBeUndefined();
    });

    test("a secret that is lost still asks for it", async () => {
      const { service, emulator, engine } = (await given()).engine();
      const { state } = await engine.create(apiKey, key);
      await service.engine().engine.create(kind("api_key_rotation"), { key_id: state.id });
      const read = await readOn(engine, apiKey, state);
      strike(emulator, "POST /api-keys/*/rotate", 403, { times: 1 });
      const kept = await failureOf(engine.update(apiKey, read, key));
      if (!(kept instanceof PartialFailure)) throw kept;
      const again = await readOn(engine, apiKey, kept.state);
      expect(await changes(engine, apiKey, again, key)).toMatchObject([{ path: ["rotation_due"] }]);
    });

    test("a key that was found without its secret still asks for it", async () => {
      const service = await given();
      await createAndKill(service.engine(), apiKey, key);
      service.emulator.advance("25h");
      strike(service.emulator, "POST /api-keys/*/rotate", 403, { times: 1 });
      const { engine } = service.engine({ clock: clockOff(25 * HOUR_MS) });
      const kept = await failureOf(engine.create(apiKey, key, { identity }));
      if (!(kept instanceof PartialFailure)) throw kept;
      const next = await engine.update(apiKey, await readOn(engine, apiKey, kept.state), key);
      expect(next.state.values).toMatchObject({ value: expect.any(String), rotation_due: false });
    });
  });
});

test.each([
  ["killed", undefined],
  ["refused in a scope", "prod"],
])("a day after an upgrade was %s, the next takes its own backup", async (_, scope) => {
  const service = await given();
  const { emulator } = service;
  const options = { scope };
  const inputs = withServer(emulator, {
    ...{ name: "erp", server_id: "$server", edition: "community" },
    backup_before_upgrade: true,
  });
  const first = service.engine({ options });
  const before = { ...inputs, version: "17.0" };
  const { state } = await first.engine.create(instance, before, { identity });
  const upgraded = { ...inputs, version: "18.0" };
  strike(emulator, "PATCH /**", 422, { times: 1 });
  await failureOf(first.engine.update(instance, state, upgraded, { identity }));
  await (scope === undefined ? first.kill() : first.engine.close());
  emulator.advance("20h");
  const next = service.engine({ options, clock: clockOff(20 * HOUR_MS) });
  const { warnings } = await next.engine.update(instance, state, upgraded, { identity });
  const [, second] = emulator.objects("backup");
  expect(count(service, "backup")).toBe(2);
  expect(textOf(warnings)).toContain(String(second?.["id"]));
});

test("what an interrupted create made is upgraded only once it is managed, after its backup", async () => {
  const service = await given();
  const inputs = withServer(service.emulator, {
    ...{ name: "erp", server_id: "$server", version: "17.0", backup_before_upgrade: true },
  });
  const { id } = await createAndKill(service.engine(), instance, inputs);
  const cut = service.engine();
  const upgraded = cut.engine.create(instance, { ...inputs, version: "18.0" }, { identity });
  await fails(upgraded, "upgrade_of_unfinished", /version is 17[.]0.*Set version to 17[.]0/);
  await cut.engine.close();
  await cut.kill();
  const next = await service.engine().engine.create(instance, inputs, { identity });
  expect(next.state.id).toBe(id);
});

test("an unwanted object is gone only where lists say so", async () => {
  const { service, engine } = (await given()).engine({ profile: { settleWindowMs: 0 } });
  const of = () => withServer(service.emulator, { name: "erp", server_id: "$server" });
  const { id } = await createAndKill(service.engine(), instance, of());
  strike(service.emulator, "DELETE /instances/*", 404);
  await fails(engine.create(instance, of(), { identity }), "not_deleted");
  expect(service.emulator.objects("instance")).toMatchObject([{ id }]);
  expect(service.entries()).toHaveLength(1);
});

test.each([
  ["an object of a create of long ago", 720, (entry: IntentEntry) => entry],
  // Without its body, as `erphost intents resolve --object` leaves it.
  ["what only a person says was created", 0, ({ body: _, ...entry }: IntentEntry) => entry],
])("%s and is declared otherwise now is left to a person", async (_, hours, written) => {
  const service = await given();
  const { emulator } = service;
  const erp = () => withServer(emulator, { name: "erp", server_id: "$server" });
  const { id } = await createAndKill(service.engine(), instance, erp());
  await rewrite(service, written);
  emulator.advance(`${hours}h`);
  const { engine } = service.engine({ clock: clockOff(hours * HOUR_MS) });
  const reason = { parts: { ids: [id] } };
  const again = engine.create(instance, erp(), { identity });
  await expect(again).rejects.toMatchObject({ code: "orphan_suspected", reason });
  expect(count(service, "instance")).toBe(1);
});

test("what a create of long ago made is not removed with the object that is replaced", async () => {
  const { service, state: old } = await leftBy(exited);
  const { id } = await killed.afterAnswer(service);
  service.emulator.advance("720h");
  const { engine } = service.engine({ clock: clockOff(720 * HOUR_MS) });
  await engine.observe(server, { identity, hasState: true, declared: web });
  await engine.create(server, web, { identity });
  await engine.delete(server, old, { identity });
  expect(service.emulator.objects("server").map((one) => one["id"])).toContain(id);
});

test("where the successor of a replacement is not made, the delete of an older object takes no live one with it", async () => {
  const { service, state: old } = await leftBy(exited);
  const cut = service.engine();
  await cut.engine.observe(server, { identity, hasState: true, declared: web });
  await cut.engine.observe(server, { identity, prior: old });
  const live = (await cut.engine.create(server, web, { identity })).state;
  await cut.kill(); // Its host has stored it, and still has to delete the old one.
  const { engine } = service.engine();
  await engine.observe(server, { identity, hasState: true, declared: web });
  strike(service.emulator, "POST /servers", 422, { times: 1 });
  await failureOf(engine.create(server, web, { identity }));
  await engine.delete(server, old, { identity });
  expect(service.emulator.objects("server")).toMatchObject([{ id: live.id }]);
});
