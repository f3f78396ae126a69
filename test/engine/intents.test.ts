/** A process may die at any moment; the next one finds what it made, and makes nothing twice. */
import { describe, expect, test } from "@jest/globals";
import {
  count,
  identity,
  killedAfterAnswer,
  killedBeforeAnswer,
  killedBeforeSending,
  place,
  rewrite,
  type Place,
} from "./crashes";
import {
  callsOf,
  clockOff,
  codeOf,
  entriesOf,
  failureOf,
  kind,
  open,
  type Opening,
} from "./support";

const server = kind("server");
const instance = kind("instance");
const HOUR_MS = 3_600_000;

describe("wherever a process dies, the next one makes no duplicate:", () => {
  test("before the request is sent", async () => {
    const at = await place();
    await killedBeforeSending(at);
    const next = open(at);
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    await next.engine.close();
    expect(entriesOf(at.intents)).toEqual([]);
  });

  test("after it is sent and before it is answered: the same key and the same bytes", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const next = open(at);
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    const posts = at.emulator.journal().filter((entry) => entry.method === "POST");
    expect(posts).toHaveLength(2);
    expect(count(at)).toBe(1);
  });

  test("after the answer is marked: no further POST at all", async () => {
    const at = await place();
    const { id } = await killedAfterAnswer(at);
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(at.emulator, "POST", /servers/)).toBe(1);
  });

  test("again and again, at the recovery itself", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    for (let run = 0; run < 3; run += 1) {
      const again = open(at);
      const { state } = await again.engine.create(server, { name: "web" }, { identity });
      expect(state.id).toBe(id);
      await again.kill();
    }
    expect(count(at)).toBe(1);
  });

  test("a key keeps its secret through the crash", async () => {
    const at = await place();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const first = open(at);
    const made = await first.engine.create(kind("api_key"), inputs, { identity });
    await first.kill();
    const { state } = await open(at).engine.create(kind("api_key"), inputs, { identity });
    expect(state.values["value"]).toBe(made.state.values["value"]);
    expect(state.id).toBe(made.state.id);
  });
});

describe("what is wanted may have changed since:", () => {
  test("the object that comes back is patched", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const { state } = await open(at).engine.create(server, { name: "web-2" }, { identity });
    expect(state).toMatchObject({ id, values: { name: "web-2" } });
    expect(at.emulator.objects("server")).toMatchObject([{ id, name: "web-2" }]);
  });

  test("one that can't be patched so is deleted, and another is made", async () => {
    const at = await place();
    const [one, two] = at.emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    const first = open(at);
    const inputs = { name: "erp", server_id: String(one?.["id"]) };
    const made = await first.engine.create(instance, inputs, { identity });
    await first.kill();
    const moved = { ...inputs, server_id: String(two?.["id"]) };
    const { state, warnings } = await open(at).engine.create(instance, moved, { identity });
    expect(at.emulator.objects("instance").map(({ id }) => id)).toEqual([state.id]);
    expect(state.id).not.toBe(made.state.id);
    expect(warnings.join()).toContain(made.state.id);
  });

  test("one that someone deleted meanwhile is made anew", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    at.emulator.removeObject("server", id);
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(id);
    expect(count(at)).toBe(1);
  });
});

describe("past the service's window the old key is never posted again:", () => {
  const nextDay = (at: Place): Partial<Opening> => {
    at.emulator.advance("25h");
    return { clock: clockOff(25 * HOUR_MS) };
  };

  test("nothing of that name and time: it is created", async () => {
    const at = await place();
    await killedBeforeSending(at);
    const { state, warnings } = await open({ ...at, ...nextDay(at) }).engine.create(
      server,
      { name: "web" },
      { identity },
    );
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(warnings).toEqual([]);
  });

  test("one: it is adopted, with a warning", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const next = open({ ...at, ...nextDay(at) });
    const { state, warnings } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(warnings).toEqual([expect.stringContaining(`Adopted server ${id} (web)`)]);
    expect(callsOf(at.emulator, "POST", /servers/)).toBe(1);
  });

  test("several: nothing is done, and they are named", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const [twin] = at.emulator.createObjects("server", [{ name: "web" }]);
    const next = open({ ...at, ...nextDay(at) });
    const error = await failureOf(next.engine.create(server, { name: "web" }, { identity }));
    expect(error).toMatchObject({ code: "orphan_suspected" });
    expect(error.message).toContain(id);
    expect(error.message).toContain(String(twin?.["id"]));
    expect(count(at)).toBe(2);
    expect(entriesOf(at.intents)).toHaveLength(1);
  });

  test("an object that a state of this run mentions is nobody's orphan", async () => {
    const at = await place();
    await killedBeforeSending(at);
    const [other] = at.emulator.createObjects("server", [{ name: "web" }]);
    const next = open({ ...at, ...nextDay(at) });
    await next.engine.noteHeld(server, String(other?.["id"]), "urn:other-stack");
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(other?.["id"]);
    expect(count(at)).toBe(2);
  });

  test("an object of that name that is older than the request is someone else's", async () => {
    const at = await place();
    at.emulator.createObjects("server", [{ name: "web" }]);
    at.emulator.advance("1m");
    await killedBeforeSending(at);
    const { state } = await open({ ...at, ...nextDay(at) }).engine.create(
      server,
      { name: "web" },
      { identity },
    );
    expect(count(at)).toBe(2);
    expect(at.emulator.objects("server").at(0)?.["id"]).not.toBe(state.id);
  });

  test("an answer on disk leads to its object, however it is named now", async () => {
    const at = await place();
    const { id } = await killedAfterAnswer(at);
    at.emulator.changeObject("server", id, { name: "renamed" });
    const next = open({ ...at, ...nextDay(at) });
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state).toMatchObject({ id, values: { name: "web" } });
  });

  test("a key found so has lost its secret, and is rotated", async () => {
    const at = await place();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const first = open(at);
    const made = await first.engine.create(kind("api_key"), inputs, { identity });
    await first.kill();
    const next = open({ ...at, ...nextDay(at) });
    const { state, warnings } = await next.engine.create(kind("api_key"), inputs, { identity });
    expect(state.id).toBe(made.state.id);
    expect(state.values["value"]).toMatch(/_test_/);
    expect(state.values["value"]).not.toBe(made.state.values["value"]);
    expect(warnings.join()).toContain(`Nobody holds the secret of key ${made.state.id}`);
  });
});

describe("the service's clock decides, not ours:", () => {
  test.each([
    ["behind by a year", -365 * 24 * HOUR_MS],
    ["ahead by a year", 365 * 24 * HOUR_MS],
  ])("a machine whose clock is %s writes and finds its intent", async (_, offset) => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at, { name: "web" }, { clock: clockOff(offset) });
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(at)).toBe(1);
  });

  test("a clock that was put back does not make an old key young", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    at.emulator.advance("25h"); // The machine's clock did not follow.
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(at.emulator, "POST", /servers/)).toBe(1);
  });

  test("without the service's time, an intent from our future is looked for by name", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    rewrite(at.intents, ({ serviceTime: _, ...entry }) => ({
      ...entry,
      time: entry.time + 60_000,
    }));
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
  });
});

describe("when the request can't be had again", () => {
  test("under another API key, the object is found by its name", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const other = at.emulator.createKey({ permissions: ["admin"] }).value;
    const next = open({ ...at, apiKey: other });
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(at)).toBe(1);
  });

  test("a key that may not ask leaves the intent for one that may", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    const poor = open({
      ...at,
      apiKey: at.emulator.createKey({ permissions: ["teams:read"] }).value,
    });
    expect(await codeOf(poor.engine.create(server, { name: "web" }, { identity }))).toBe(
      "insufficient_permissions",
    );
    await poor.engine.close();
    await poor.kill();
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(at)).toBe(1);
  });

  test("a list that lags behind does not hide what the dead process made", async () => {
    const at = await place();
    const { id } = await killedBeforeAnswer(at);
    at.emulator.setFaults([
      { match: { method: "GET", path: "/servers" }, effect: { type: "list-lag", ms: 900 } },
    ]);
    const next = open({ ...at, profile: { settleWindowMs: 1_500 } });
    const { state } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(id);
    expect(count(at)).toBe(1);
  });

  test("a failure that the service keeps repeating is left for a list check and the next key", async () => {
    const at = await place();
    at.emulator.setFaults([
      { match: { method: "POST", path: "/servers" }, times: 1, effect: "replay-500" },
    ]);
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
  });

  test("the same, where the failed request had done its work", async () => {
    const at = await place();
    at.emulator.setFaults([
      {
        match: { method: "POST", path: "/servers" },
        times: 1,
        effect: { type: "replay-500", applied: true },
      },
    ]);
    const { state, warnings } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(warnings.join()).toContain("Adopted");
  });
});

test("a create whose outcome is unknown is followed up by the next one, in this process as well", async () => {
  const at = await place();
  const { engine } = open(at);
  at.emulator.setFaults([
    {
      match: { method: "POST", path: "/servers" },
      effect: { type: "delay", ms: 1_000, when: "after" },
    },
  ]);
  const stop = new AbortController();
  const doomed = engine.create(server, { name: "web" }, { identity, signal: stop.signal });
  const failed = failureOf(doomed);
  while (count(at) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await failed;
  at.emulator.setFaults([]);
  expect(count(at)).toBe(1);
  const { state } = await engine.create(server, { name: "web" }, { identity });
  expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
});

test("a refused create leaves no intent", async () => {
  const at = await place();
  const { engine } = open(at);
  expect(await codeOf(engine.create(instance, { name: "erp", server_id: "srv_none" }))).toBe(
    "validation_error",
  );
  expect(entriesOf(at.intents)).toEqual([]);
});
