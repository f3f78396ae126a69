/** What belongs to somebody else, or only seems to be gone, is neither taken nor given up. */
import { describe, expect, test } from "@jest/globals";
import { identity, killedBeforeSending, place, rewrite, type Place } from "./crashes";
import { callsOf, clockOff, codeOf, failureOf, kind, open, started } from "./support";

const server = kind("server");
const instance = kind("instance");
const apiKey = kind("api_key");
const rotation = kind("api_key_rotation");
const HOUR_MS = 3_600_000;

const works = async (at: Pick<Place, "emulator">, value: string): Promise<boolean> => {
  const headers = { Authorization: `Bearer ${value}` };
  const signal = AbortSignal.timeout(10_000);
  return (await fetch(`${at.emulator.baseUrl}/auth/test`, { headers, signal })).ok;
};

describe("an object of the name of one that an interrupted run never made", () => {
  test("is not deleted for being on another server", async () => {
    const at = await place();
    const [one, two] = at.emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    const inputs = { name: "erp", server_id: String(one?.["id"]) };
    const run = open(at);
    const { state } = await run.engine.create(instance, inputs, { identity });
    await run.kill();
    at.emulator.removeObject("instance", state.id);
    rewrite(at.intents, ({ answer: _, ...entry }) => entry);
    at.emulator.createObjects("instance", [{ name: "erp", server_id: String(two?.["id"]) }]);
    at.emulator.advance("25h");
    const next = open({ ...at, clock: clockOff(25 * HOUR_MS) });
    const error = await failureOf(next.engine.create(instance, inputs, { identity }));
    expect(error).toMatchObject({ code: "orphan_suspected" });
    expect(at.emulator.objects("instance")).toHaveLength(1);
  });

  test("is not rotated for being a key whose secret is not here", async () => {
    const at = await place();
    const inputs = { name: "ci", permissions: ["servers:read"] };
    const run = open(at);
    const { state } = await run.engine.create(apiKey, inputs, { identity });
    await run.kill();
    at.emulator.removeObject("api_key", state.id);
    rewrite(at.intents, ({ answer: _, ...entry }) => entry);
    const theirs = at.emulator.createKey({ name: "ci", permissions: ["servers:*"] });
    const other = at.emulator.createKey({ permissions: ["admin"] }).value;
    const next = open({ ...at, apiKey: other });
    const error = await failureOf(next.engine.create(apiKey, inputs, { identity }));
    expect(error).toMatchObject({ code: "orphan_suspected" });
    expect(error.message).toContain(theirs.id);
    expect(callsOf(at.emulator, "POST", /rotate/)).toBe(0);
    expect(callsOf(at.emulator, "PATCH", /api-keys/)).toBe(0);
  });

  test("is adopted where that changes nothing that matters", async () => {
    const at = await place();
    await killedBeforeSending(at);
    const [theirs] = at.emulator.createObjects("server", [{ name: "web" }]);
    at.emulator.advance("25h");
    const next = open({ ...at, clock: clockOff(25 * HOUR_MS) });
    const { state, warnings } = await next.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(theirs?.["id"]);
    expect(warnings.join()).toContain("Adopted");
  });
});

describe("a key that somebody rotated elsewhere", () => {
  const rotatedInTheDashboard = async (runWith: "successor" | "another") => {
    const at = await place();
    const { emulator } = at;
    const key = emulator.createKey({ name: "ops", permissions: ["admin"], grace_period: "1d" });
    const first = open(at);
    const declared = (n: string) => ({
      key_id: key.id,
      rotate_on_create: false,
      triggers: { n },
    });
    const { state } = await first.engine.create(rotation, declared("1"), { identity });
    const answer = await fetch(`${emulator.baseUrl}/api-keys/${key.id}/rotate`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key.value}`, "Content-Type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(10_000),
    });
    const { data } = (await answer.json()) as { data: { new_key: { id: string; value: string } } };
    await first.engine.close();
    emulator.clearJournal();
    const attempt = async () => {
      const apiKey = runWith === "successor" ? { apiKey: data.new_key.value } : {};
      const run = open({ ...at, ...apiKey });
      const error = await failureOf(
        run.engine.update(rotation, state, declared("2"), { identity }),
      );
      await run.kill();
      return error;
    };
    return { emulator, successor: data.new_key, attempt };
  };

  test.each(["successor", "another"] as const)(
    "is not rotated on, where the run uses the %s key",
    async (runWith) => {
      const { emulator, successor, attempt } = await rotatedInTheDashboard(runWith);
      // The next run, too, must not take the refused request of the first for a lost answer.
      for (const times of [1, 2]) {
        expect((await attempt()).message).toContain(`its successor is ${successor.id}`);
        expect(callsOf(emulator, "POST", /rotate/)).toBe(times);
      }
      emulator.advance("25h");
      expect(await works({ emulator }, successor.value)).toBe(true);
    },
  );

  test("is told, and asked for no more, where the service refuses", async () => {
    const emulator = await started();
    const { engine } = open({ emulator });
    const inputs = (n: string) => ({ name: "k", permissions: ["servers:read"], triggers: { n } });
    const made = await engine.create(apiKey, inputs("1"), { identity });
    const { state } = await engine.update(apiKey, made.state, inputs("2"), { identity });
    emulator.clearJournal();
    emulator.setFaults([
      { match: { path: "/api-keys/*/rotate" }, effect: { type: "status", status: 422 } },
    ]);
    await failureOf(engine.update(apiKey, state, inputs("3"), { identity }));
    expect(callsOf(emulator, "POST", /rotate/)).toBe(1);
  });
});

describe("a delete that is answered with 404", () => {
  test.each([
    ["server", { name: "web" }],
    ["api_key", { name: "ci", permissions: ["servers:read"] }],
  ])("is believed only where lists agree: %s", async (name, inputs) => {
    const emulator = await started();
    const { state } = await open({ emulator }).engine.create(kind(name), inputs, { identity });
    const { engine } = open({ emulator });
    emulator.setFaults([
      { match: { method: "DELETE" }, times: 1, effect: { type: "status", status: 404 } },
    ]);
    await engine.delete(kind(name), state, { identity });
    expect(emulator.objects(name).filter(({ id }) => id === state.id)).toEqual([]);
  });

  test("is told where the service sticks to it", async () => {
    const emulator = await started();
    const { state } = await open({ emulator }).engine.create(server, { name: "web" }, { identity });
    const { engine } = open({ emulator });
    emulator.setFaults([{ match: { method: "DELETE" }, effect: { type: "status", status: 404 } }]);
    expect(await codeOf(engine.delete(server, state, { identity }))).toBe("not_deleted");
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

test("what another process created a moment ago is waited for until lists show it", async () => {
  const at = await place();
  const profile = { settleWindowMs: 2_000 };
  const first = open({ ...at, profile });
  const { state } = await first.engine.create(server, { name: "web" }, { identity });
  await first.engine.close();
  at.emulator.setFaults([
    { match: { method: "GET", path: "/servers" }, effect: { type: "list-lag", ms: 1_500 } },
  ]);
  const notices: string[] = [];
  const onNotice = ({ message }: { message: string }) => void notices.push(message);
  const read = await open({ ...at, profile }).engine.read(server, state, { identity, onNotice });
  expect(read.state?.id).toBe(state.id);
  expect(notices.join()).toContain("created a moment ago");
});

test("what a killed run has deleted itself is no mass that somebody else has made", async () => {
  const at = await place();
  const { engine } = open(at);
  const states = await Promise.all(
    Array.from({ length: 12 }, (_, index) => engine.create(server, { name: `s${index}` }, {})),
  );
  await engine.close();
  const run = open(at);
  for (const { state } of states) await run.engine.delete(server, state, {});
  await run.kill();
  const next = open(at).engine;
  const reads = await Promise.all(states.map(({ state }) => next.read(server, state, {})));
  expect(reads.every(({ state }) => state === undefined)).toBe(true);
});
