/** Keys that rotate: because a trigger changed, because they are due, and whatever goes wrong. */
import { describe, expect, test } from "@jest/globals";
import { isAccepted, strike } from "../support/ask";
import type { Emulator } from "../../emulator";
import { UNKNOWN } from "../../provider/resources";
import { PartialFailure, plannedUpdate, type Engine, type State } from "../../provider/engine";
import { plainVoice, sentence } from "../../provider/messages";
import { folder, given, type Run } from "../support/given";
import { changes, checkOf, codeOf, diffOf, failureOf, named, readOn } from "./support";

const { apiKey, rotation } = named;
const key = { name: "ci", permissions: ["servers:read"] };
const keyed = (n: string) => ({ ...key, triggers: { n } });
const isKey = (value: unknown) => typeof value === "string" && /_test_/.test(value);

const lineOf = (emulator: Emulator, id: string) =>
  emulator.objects("api_key").filter(({ lineage_id }) => lineage_id === id);

/** Reads first, as every engine does before it plans. */
const update = async (engine: Engine, of: typeof apiKey, state: State, inputs: object) =>
  (await engine.update(of, state, { ...inputs })).state;

test("an ApiKey keeps its id while its keys change: the id is the line's", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, keyed("1"));
  const next = await update(engine, apiKey, state, keyed("2"));
  expect(next.id).toBe(state.id);
  expect(next.values["current_key_id"]).not.toBe(state.id);
  expect(next.values["value"]).not.toBe(state.values["value"]);
  expect(await isAccepted(emulator, next.values["value"])).toBe(true);
  expect(await isAccepted(emulator, state.values["value"])).toBe(true); // Its grace.
  const read = await readOn(engine, apiKey, next);
  expect(read).toEqual(next);
  expect(await changes(engine, apiKey, read, keyed("2"))).toEqual([]);
});

test("an ApiKey rotates when its time has passed by the service's clock, as of the last read", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = { ...key, rotate_after: "90d" };
  const { state } = await engine.create(apiKey, inputs);
  expect(state.values["rotation_due"]).toBe(false);
  emulator.advance("90d");
  expect(await changes(engine, apiKey, state, inputs)).toEqual([]); // Planning makes no call.
  const due = await readOn(engine, apiKey, state);
  expect(due.values["rotation_due"]).toBe(true);
  expect(await changes(engine, apiKey, due, key)).toMatchObject([{ path: ["rotate_after"] }]);
  const planned = await diffOf(engine, apiKey, due, inputs);
  const reason = { code: "rotation_due", parts: { after: "90d" } };
  expect(planned.changes).toMatchObject([{ path: ["rotation_due"], kind: "update", reason }]);
  expect(planned.unknown).toContain("value");
  const after = plannedUpdate(apiKey, due, inputs, planned);
  expect(after).toMatchObject({ rotation_due: false, value: UNKNOWN, rotated_at: UNKNOWN });
  const next = await update(engine, apiKey, due, inputs);
  expect(next.values).toMatchObject({ rotation_due: false });
  expect(await changes(engine, apiKey, await readOn(engine, apiKey, next), inputs)).toEqual([]);
});

test("an ApiKey is patched, read and deleted under the key of its line that works now", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, keyed("1"));
  emulator.advance("1h");
  const rotated = await update(engine, apiKey, state, keyed("2"));
  const renamed = await update(engine, apiKey, rotated, { ...keyed("2"), name: "cd" });
  const current = emulator.object("api_key", String(renamed.values["current_key_id"]));
  expect(current).toMatchObject({ name: "cd", lineage_id: state.id });
  expect(renamed.values).toMatchObject({ created_at: state.values["created_at"] });
  await engine.delete(apiKey, renamed);
  expect(lineOf(emulator, state.id)).toEqual([]);
  expect(await isAccepted(emulator, state.values["value"])).toBe(false);
});

test("an ApiKey that was rotated elsewhere stays the same object, and a warning says which secret the state has", async () => {
  const { service, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, key);
  const { engine: other } = service.engine();
  const elsewhere = await other.create(rotation, { key_id: state.id });
  const read = await engine.read(apiKey, state);
  const { current_key_id, rotated_at } = elsewhere.state.values;
  const { created_at } = state.values;
  const values = { created_at, current_key_id, rotated_at, rotation_due: true };
  expect(read.state).toMatchObject({ id: state.id, values, private: { lost: true } });
  expect(read.warnings).toMatchObject([{ code: "key_rotated_elsewhere" }]);
  // A state that has no secret lacks none.
  const imported = { ...state, values: { ...state.values, value: undefined } };
  const { state: now } = await engine.read(apiKey, imported);
  expect(now).toMatchObject({ values: { current_key_id, rotation_due: false } });
});

test("an ApiKey whose current key was deleted is gone, though the one before still works", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, keyed("1"));
  const next = await update(engine, apiKey, state, keyed("2"));
  emulator.removeObject("api_key", String(next.values["current_key_id"]));
  const read = await engine.read(apiKey, next);
  expect(read).toMatchObject({ warnings: [{ code: "gone" }] });
  expect(read.state).toBeUndefined();
});

test("an ApiKey is imported by any id of its line", async () => {
  const { service, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, keyed("1"));
  const next = await update(engine, apiKey, state, keyed("2"));
  const current = String(next.values["current_key_id"]);
  for (const reference of [state.id, current, "name=ci"]) {
    const imported = await service.engine().engine.import(apiKey, reference);
    expect(imported).toMatchObject({ id: state.id, values: { current_key_id: current } });
    expect(imported.values["value"]).toBeUndefined();
  }
});

const own = async () => {
  const service = await given();
  const { emulator } = service;
  const made = emulator.createKey({ name: "own", permissions: ["admin"] });
  return { emulator, made, engine: service.engine({ apiKey: made.value }).engine };
};

test("the key that a run uses is rotated only where the program allows it", async () => {
  const { emulator, made, engine } = await own();
  const error = await failureOf(engine.create(rotation, { key_id: made.id }));
  expect(error).toMatchObject({ code: "self_rotation", path: ["allow_self_rotation"] });
  expect(emulator.keys()).toHaveLength(2);
});

test("a run that rotated its own key continues with the new one", async () => {
  const { emulator, made, engine } = await own();
  const inputs = { key_id: made.id, allow_self_rotation: true };
  const { state } = await engine.create(rotation, inputs);
  emulator.removeObject("api_key", made.id); // The old one ends.
  expect(await isAccepted(emulator, made.value)).toBe(false);
  expect((await engine.lookups.auth()).keyId).toBe(state.values["current_key_id"]);
  const next = await update(engine, rotation, state, { ...inputs, triggers: { n: "1" } });
  expect((await engine.lookups.auth()).keyId).toBe(next.values["current_key_id"]);
});

test("the key that a run uses is never deleted, nor is a line that it belongs to", async () => {
  const { service, emulator, engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, { name: "own", permissions: ["admin"] });
  const { engine: inside } = service.engine({ apiKey: String(state.values["value"]) });
  expect(await codeOf(inside.delete(apiKey, state))).toBe("self_rotation");
  const turned = { name: "own", permissions: ["admin"], triggers: { n: "1" } };
  const rotated = await update(engine, apiKey, state, turned);
  expect(await codeOf(inside.delete(apiKey, rotated))).toBe("self_rotation");
  expect(await isAccepted(emulator, state.values["value"])).toBe(true);
});

test("an ApiKeyRotation needs nothing but what the contract documents", async () => {
  const { emulator, engine } = (await given({ strict: true })).engine();
  const made = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
  const inputs = { key_id: made.id, triggers: { n: "1" }, rotate_after: "30d" };
  const { state } = await engine.create(rotation, inputs);
  expect(isKey(state.values["value"])).toBe(true);
  expect(await isAccepted(emulator, state.values["value"])).toBe(true);
  const read = await readOn(engine, rotation, state);
  expect(await changes(engine, rotation, read, inputs)).toEqual([]);
  emulator.advance("31d");
  const next = await update(engine, rotation, await readOn(engine, rotation, state), inputs);
  expect(next.values["value"]).not.toBe(state.values["value"]);
  expect(await engine.delete(rotation, next)).toEqual({ retained: false, warnings: [] });
  expect(await isAccepted(emulator, next.values["value"])).toBe(true);
});

test("an ApiKeyRotation waits for its first trigger with rotate_on_create false", async () => {
  const { emulator, engine } = (await given()).engine();
  const made = emulator.createKey({ permissions: ["servers:read"] });
  const inputs = { key_id: made.id, rotate_on_create: false };
  const { state } = await engine.create(rotation, inputs);
  expect(state).toMatchObject({ values: { current_key_id: made.id, rotation_due: false } });
  expect(state.values["value"]).toBeUndefined();
  expect(emulator.keys()).toHaveLength(2);
  const next = await update(engine, rotation, state, { ...inputs, triggers: { n: "1" } });
  expect(isKey(next.values["value"])).toBe(true);
});

test("an ApiKeyRotation whose run was cut off blames nobody else for it", async () => {
  const cut = (await given()).engine();
  const { id: key_id } = cut.emulator.createKey({ permissions: ["servers:read"] });
  const { state } = await cut.engine.create(rotation, { key_id });
  const wanted = { key_id, triggers: { n: "2" } };
  const lost = await update(cut.engine, rotation, state, wanted);
  await cut.kill();
  const { engine: again } = cut.service.engine();
  const due = { state: { values: { rotation_due: true } }, warnings: [] };
  expect(await again.read(rotation, state)).toMatchObject(due);
  expect(await update(again, rotation, state, wanted)).toEqual(lost);
});

test("two rotations of one key are refused by the check", async () => {
  const { engine } = (await given()).engine();
  expect((await checkOf(engine, rotation, { key_id: "key_9" }, "urn:a")).issues).toEqual([]);
  expect((await checkOf(engine, rotation, { key_id: "key_9" }, "urn:a")).issues).toEqual([]);
  expect((await checkOf(engine, rotation, { key_id: "key_9" }, "urn:b")).issues).toMatchObject([
    { path: ["key_id"], code: "two_rotators", parts: { other: "urn:a" } },
  ]);
});

test("a rotation of a key that is declared here is refused, by any id of its line", async () => {
  const { engine } = (await given()).engine();
  const { state } = await engine.create(apiKey, keyed("1"), { identity: "urn:k" });
  const next = await update(engine, apiKey, state, keyed("2"));
  await diffOf(engine, apiKey, next, key, "urn:k");
  for (const key_id of [next.id, String(next.values["current_key_id"])]) {
    const { issues } = await checkOf(engine, rotation, { key_id }, "urn:r");
    expect(issues.map((issue) => sentence(plainVoice, issue))).toEqual([
      `API key ${key_id} is declared as api_key, which rotates it. Give triggers to that one.`,
    ]);
  }
});

test("a rotation that was renamed in the program is one rotator, though its old state is read", async () => {
  const { service, emulator, engine } = (await given()).engine();
  const made = emulator.createKey({ permissions: ["servers:read"] });
  const { state } = await engine.create(rotation, { key_id: made.id }, { identity: "urn:old" });
  const next = service.engine().engine;
  await next.read(rotation, state, { identity: "urn:old" });
  expect((await checkOf(next, rotation, { key_id: made.id }, "urn:new")).issues).toEqual([]);
});

test("checking, creating and planning one rotation without an identity is one rotator", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = { key_id: emulator.createKey({ permissions: ["servers:read"] }).id };
  expect((await checkOf(engine, rotation, inputs)).issues).toEqual([]);
  const { state } = await engine.create(rotation, inputs);
  expect(await changes(engine, rotation, state, inputs)).toEqual([]);
});

describe("a rotation whose answer is lost", () => {
  const withKey = async () => {
    const { service, emulator, engine } = (await given()).engine();
    const { state } = await engine.create(apiKey, keyed("1"), { identity: "urn:k" });
    return { service, emulator, state };
  };

  test.each(["reset-after", "truncate"] as const)(
    "a rotation whose answer is lost by %s is repeated under its idempotency key",
    async (effect) => {
      const { service, emulator, state } = await withKey();
      strike(emulator, "POST /api-keys/*/rotate", effect, { times: 1 });
      const next = await update(service.engine().engine, apiKey, state, keyed("2"));
      expect(await isAccepted(emulator, next.values["value"])).toBe(true);
      expect(lineOf(emulator, state.id)).toHaveLength(2);
    },
  );

  test.each([
    ["are not listed", true],
    ["may not be listed with the key in use", false],
  ])("where keys %s, the repeated answer gives the secret, on any machine", async (_, strict) => {
    const service = await given({ strict });
    const { emulator } = service;
    const { id } = emulator.createKey({ permissions: ["servers:read"] });
    strike(emulator, "POST /api-keys/*/rotate", "reset-after", { times: 1 });
    const { value } = emulator.createKey({ permissions: ["api-keys:write"] });
    const rotated = async () => {
      const run = service.engine({ intents: folder(), ...(!strict && { apiKey: value }) });
      const { state } = await run.engine.create(rotation, { key_id: id });
      return state.values["value"];
    };
    const secret = await rotated();
    expect(await isAccepted(emulator, secret)).toBe(true);
    expect(await rotated()).toBe(secret);
  });

  test("a rotation of a lost successor, killed there too, is repeated, and the key is named", async () => {
    const { service, emulator, state } = await withKey();
    const first = service.engine();
    const lost = await first.engine.update(apiKey, state, keyed("2"), { identity: "urn:k" });
    await first.kill();
    emulator.advance("25h");
    const second = service.engine();
    const turn = await second.engine.update(apiKey, state, keyed("2"), { identity: "urn:k" });
    await second.kill(); // The host does not know of it either.
    const { state: next, warnings } = await service
      .engine()
      .engine.update(apiKey, state, keyed("2"), { identity: "urn:k" });
    expect(next.values["value"]).toBe(turn.state.values["value"]);
    // The first has ended; its successor and the next one are left.
    expect(lineOf(emulator, state.id)).toHaveLength(2);
    const keyId = lost.state.values["current_key_id"];
    const parts = { keyId, end: next.values["previous_key_expires_at"] };
    expect(warnings).toMatchObject([{ code: "lost_successor_rotated", parts }]);
  });

  test.each([
    ["leads to a second idempotency key", false, 1, []],
    ["though it rotated the key, leads to its successor", true, 2, ["lost_successor_rotated"]],
  ])("a failure that the service keeps replaying %s", async (_, applied, made, warned) => {
    const { service, emulator, state } = await withKey();
    strike(emulator, "POST /api-keys/*/rotate", { type: "replay-500", applied }, { times: 1 });
    const run = service.engine().engine;
    const { state: next, warnings } = await run.update(apiKey, state, keyed("2"));
    expect(await isAccepted(emulator, next.values["value"])).toBe(true);
    expect(lineOf(emulator, state.id)).toHaveLength(1 + made);
    expect(warnings).toMatchObject(warned.map((code) => ({ code })));
  });

  test("two failures that the service keeps replaying are the rotation's own", async () => {
    const { service, emulator, state } = await withKey();
    strike(emulator, "POST /api-keys/*/rotate", { type: "replay-500", applied: false });
    const run = service.engine();
    const error = await failureOf(run.engine.update(apiKey, state, keyed("2")));
    expect(error).toMatchObject({ reason: { code: "rotation_failed" } });
    const keys = emulator.journal().map(({ idempotency_key: sent }) => sent);
    expect(new Set(keys.filter((sent) => sent?.startsWith("erphost-"))).size).toBe(2);
    await run.kill();
    emulator.setFaults([]);
    await update(service.engine().engine, apiKey, state, keyed("2"));
    expect(lineOf(emulator, state.id)).toHaveLength(2);
  });

  test("one that is refused after one of ours was lost stays known as ours", async () => {
    const { service, emulator, state } = await withKey();
    const rotate = async (run: Run) =>
      run.engine.update(apiKey, state, keyed("2"), { identity: "urn:k" });
    const first = service.engine();
    await rotate(first);
    await first.kill();
    emulator.advance("25h"); // The service has forgotten the request, and the old key has ended.
    const { value: writer } = emulator.createKey({ permissions: ["api-keys:write"] });
    const second = service.engine({ apiKey: writer });
    expect(await failureOf(rotate(second))).toMatchObject({ reason: { code: "rotation_failed" } });
    await second.kill();
    const { warnings } = await rotate(service.engine());
    expect(warnings).toMatchObject([{ code: "lost_successor_rotated" }]);
  });

  test("the intent of a rotation is cleared when the state has its key", async () => {
    const { service, state } = await withKey();
    const doomed = service.engine();
    const { state: next } = await doomed.engine.update(apiKey, state, keyed("2"));
    await doomed.kill();
    expect(service.entries().filter(({ operation }) => operation === "rotate")).toHaveLength(1);
    await diffOf(service.engine().engine, apiKey, next, keyed("2"));
    expect(service.entries().filter(({ operation }) => operation === "rotate")).toEqual([]);
  });

  test("a refused rotation keeps the old triggers, so that the next run rotates", async () => {
    const { service, emulator, state } = await withKey();
    strike(emulator, "/api-keys/*/rotate", 403);
    const run = service.engine().engine;
    const error = await failureOf(run.update(apiKey, state, { ...keyed("2"), name: "cd" }));
    expect(error).toBeInstanceOf(PartialFailure);
    const kept = (error as PartialFailure).state;
    expect(kept.values).toMatchObject({ name: "cd", triggers: { n: "1" } });
    emulator.setFaults([]);
    const next = await update(run, apiKey, kept, { ...keyed("2"), name: "cd" });
    expect(next.values["triggers"]).toEqual({ n: "2" });
  });
});
