/** Whose an interrupted create is, what is deleted for it, and what its file shows. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Intents } from "../../provider/engine";
import { count, identity, killedAfterAnswer, place, rewrite, type Place } from "./crashes";
import { callsOf, codeOf, entriesOf, failureOf, folder, hurried, kind, open } from "./support";

const server = kind("server");
const team = kind("team");

describe("who may claim what:", () => {
  test("another identity, another stack of the same names: each its own", async () => {
    const at = await place();
    const { id } = await killedAfterAnswer(at);
    const other = open(at);
    const { state } = await other.engine.create(
      server,
      { name: "web" },
      { identity: identity.replace("stack", "other") },
    );
    expect(state.id).not.toBe(id);
    expect(count(at)).toBe(2);
    expect(entriesOf(at.intents)).toHaveLength(2);
  });

  test("twins without an identity each get one of their own, at once", async () => {
    const at = await place();
    const first = open(at);
    const make = (run: typeof first) => run.engine.create(server, { name: "web" });
    const before = await Promise.all([make(first), make(first), make(first)]);
    await first.kill();
    const second = open(at);
    const after = await Promise.all([make(second), make(second), make(second)]);
    expect(after.map(({ state }) => state.id).sort()).toEqual(
      before.map(({ state }) => state.id).sort(),
    );
    expect(count(at)).toBe(3);
  });

  test("a process that a killed host left behind is waited for, and its object found", async () => {
    const at = await place();
    const behind = open(at);
    const { state } = await behind.engine.create(server, { name: "web" }, { identity });
    const notices: string[] = [];
    const made = open(at).engine.create(
      server,
      { name: "web" },
      { identity, onNotice: ({ message }) => void notices.push(message) },
    );
    while (notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(notices).toEqual([expect.stringContaining("waiting for it")]);
    await behind.kill();
    expect((await made).state.id).toBe(state.id);
    expect(count(at)).toBe(1);
  });

  test("a run that goes on making the same object is told, and nothing is made", async () => {
    const at = await place();
    await open(at).engine.create(server, { name: "web" }, { identity });
    const next = open({ ...at, clock: hurried });
    const error = await failureOf(next.engine.create(server, { name: "web" }, { identity }));
    expect(error).toMatchObject({ code: "in_progress" });
    expect(error.message).toContain("server web is being created by another run (process 1)");
    expect(count(at)).toBe(1);
  });

  test("equal bytes alone do not keep a run from its work, and nothing of a living process is touched", async () => {
    const at = await place();
    const living = open(at);
    await living.engine.create(server, { name: "web" });
    const next = open({ ...at, clock: hurried });
    const { state } = await next.engine.create(server, { name: "web" });
    expect(count(at)).toBe(2);
    expect(state.id).not.toBe(at.emulator.objects("server")[0]?.["id"]);
    expect(entriesOf(at.intents)).toHaveLength(2);
  });

  test("of processes that claim the same intent, one wins, and the others wait for it", async () => {
    const at = await place();
    await killedAfterAnswer(at);
    const query = { operation: "create", kind: "server", identity, bodyHash: "" } as const;
    const claims = await Promise.allSettled(
      Array.from({ length: 8 }, () => {
        const self = at.population.born();
        const isAlive = (owner: string) => at.population.isAlive(owner);
        return new Intents(at.intents, { self, isAlive }, () => undefined, Date.now).claim(
          query,
          async () => undefined,
        );
      }),
    );
    const won = claims.filter((claim) => claim.status === "fulfilled");
    expect(won.map(({ value }) => value.length)).toEqual([1]);
    const refused = claims.filter((claim) => claim.status === "rejected");
    expect(refused.map(({ reason }) => reason as unknown)).toEqual(
      refused.map(() => expect.objectContaining({ code: "in_progress" })),
    );
  });

  test("an id that the host has is an intent that is done with", async () => {
    const at = await place();
    const state = await killedAfterAnswer(at);
    await open(at).engine.diff(server, state, { name: "web" }, "urn:renamed");
    expect(entriesOf(at.intents)).toEqual([]);
  });

  test("an orderly end drops what was answered and keeps what was not", async () => {
    const at = await place();
    const { engine } = open(at);
    await engine.create(server, { name: "web" }, { identity });
    expect(entriesOf(at.intents)).toMatchObject([{ kind: "server", identity }]);
    await engine.close();
    expect(entriesOf(at.intents)).toEqual([]);
  });

  test("half a file and foreign files are left alone", async () => {
    const at = await place();
    await killedAfterAnswer(at);
    const [name = ""] = readdirSync(at.intents);
    const text = readFileSync(join(at.intents, name), "utf8");
    writeFileSync(join(at.intents, name), text.slice(0, text.length / 2));
    writeFileSync(join(at.intents, "notes.txt"), "mine");
    const { state } = await open(at).engine.create(server, { name: "web" }, { identity });
    expect(state.id).toMatch(/^srv_/);
    expect(readFileSync(join(at.intents, "notes.txt"), "utf8")).toBe("mine");
  });
});

describe("an object made anew without a diff (--replace):", () => {
  test("the id that the host deletes tells which one it had; the other is an orphan and goes", async () => {
    const at = await place();
    const held = await open(at).engine.create(server, { name: "web" }, { identity: "urn:first" });
    const orphan = await killedAfterAnswer(at); // A replacement that the host never heard of.
    const run = open(at);
    run.engine.check(server, { name: "web" }, identity, true);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(orphan.id);
    expect(count(at)).toBe(3); // Nothing is deleted before it is known whose it is.
    await run.engine.delete(server, held.state, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
  });

  test("the host held the answered one after all: that one goes, by its own delete", async () => {
    const at = await place();
    const held = await killedAfterAnswer(at);
    const run = open(at);
    run.engine.check(server, { name: "web" }, identity, true);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    await run.engine.delete(server, held, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(callsOf(at.emulator, "DELETE", /servers/)).toBe(1);
  });

  test("never resolved, it stays on disk for the next run", async () => {
    const at = await place();
    await killedAfterAnswer(at);
    const run = open(at);
    run.engine.check(server, { name: "web" }, identity, true);
    await run.engine.create(server, { name: "web" }, { identity });
    await run.engine.close();
    expect(entriesOf(at.intents)).toHaveLength(1);
  });

  test("with a diff the host has told its id, and the interrupted replacement is taken", async () => {
    const at = await place();
    const held = await open(at).engine.create(server, { name: "web" }, { identity: "urn:first" });
    const replacement = await killedAfterAnswer(at);
    const run = open(at);
    run.engine.check(server, { name: "web" }, identity, true);
    await run.engine.diff(server, held.state, { name: "web" }, identity);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(replacement.id);
    await run.engine.delete(server, held.state, { identity });
    expect(at.emulator.objects("server").map(({ id }) => id)).toEqual([replacement.id]);
  });

  test("an id that a create of this very run was answered is never deleted for a replacement", async () => {
    const at = await place();
    const { engine } = open(at);
    const { state } = await engine.create(server, { name: "web" }, { identity });
    expect(await codeOf(engine.delete(server, state, { identity }))).toBe("own_create");
    expect(count(at)).toBe(1);
  });

  test("but once the host shows that it holds it, it may be deleted", async () => {
    const at = await place();
    const { engine } = open(at);
    const { state } = await engine.create(server, { name: "web" }, { identity });
    await engine.read(server, state, { identity });
    await engine.delete(server, state, { identity });
    expect(count(at)).toBe(0);
  });
});

describe("secrets", () => {
  const canary = "canary-7f3a-secret";
  // A host may hold any value for a secret.
  const inputs = {
    name: "web",
    properties: { note: canary },
    secret_properties: { password: canary },
  };
  const sealed = async (at: Place) => {
    const run = open(at);
    const { state } = await run.engine.create(server, inputs, { identity });
    await run.kill();
    rewrite(at.intents, ({ answer: _, ...entry }) => entry);
    return state;
  };
  const text = (at: Place) =>
    readdirSync(at.intents)
      .map((name) => readFileSync(join(at.intents, name), "utf8"))
      .join();

  test("are never in the folder in plain", async () => {
    const at = await place();
    await killedAfterAnswer(at, { name: canary });
    expect(text(at)).toContain(canary); // The search finds what is there.
    const other = { ...at, intents: folder() };
    await sealed(other);
    expect(text(other)).not.toContain(canary);
    expect(text(other)).not.toContain(Buffer.from(canary).toString("base64").slice(0, 12));
    expect(text(other)).not.toContain(at.emulator.adminKey);
  });

  test("go out again in the very bytes", async () => {
    const at = await place();
    const { id } = await sealed(at);
    const { state } = await open(at).engine.create(server, inputs, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(at.emulator, "POST", /servers/)).toBe(2);
    expect(count(at)).toBe(1);
  });

  test("can't be opened with another API key; the object is found by name", async () => {
    const at = await place();
    const { id } = await sealed(at);
    const other = at.emulator.createKey({ permissions: ["admin"] }).value;
    const { state } = await open({ ...at, apiKey: other }).engine.create(server, inputs, {
      identity,
    });
    expect(state.id).toBe(id);
    expect(callsOf(at.emulator, "POST", /servers/)).toBe(1);
  });
});

test("a folder that can't be written is one warning, and creates go on", async () => {
  const at = await place();
  const file = join(at.intents, "no-folder");
  writeFileSync(file, "");
  const run = open({ ...at, intents: join(file, "inside") });
  await run.engine.create(server, { name: "a" });
  await run.engine.create(team, { name: "b" });
  expect(run.warnings).toEqual([expect.stringContaining("can't be written")]);
  expect(count(at)).toBe(1);
});

test("an intent is readable by its owner alone", async () => {
  const at = await place();
  await killedAfterAnswer(at);
  const [name = ""] = readdirSync(at.intents);
  const { mode } = statSync(join(at.intents, name));
  expect(mode & 0o077).toBe(0);
});
