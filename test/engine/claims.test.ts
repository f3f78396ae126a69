/** Whose an interrupted create is, what is deleted for it, and what its file shows. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Intents } from "../../provider/engine";
import { given, type Service } from "../support/given";
import { count, identity, killedAfterAnswer, rewrite } from "./crashes";
import { callsOf, checkOf, codeOf, diffOf, failureOf, hurried, kind } from "./support";

const server = kind("server");

describe("the intent of an interrupted create", () => {
  test("the intent of one identity is never taken by another, such as a stack of the same names", async () => {
    const service = await given();
    const { id } = await killedAfterAnswer(service);
    const other = service.engine();
    const { state } = await other.engine.create(
      server,
      { name: "web" },
      { identity: identity.replace("stack", "other") },
    );
    expect(state.id).not.toBe(id);
    expect(count(service)).toBe(2);
    expect(service.entries()).toHaveLength(2);
  });

  test("twins without an identity each recover a separate object, even at once", async () => {
    const service = await given();
    const first = service.engine();
    const make = (run: typeof first) => run.engine.create(server, { name: "web" });
    const before = await Promise.all([make(first), make(first), make(first)]);
    await first.kill();
    const second = service.engine();
    const after = await Promise.all([make(second), make(second), make(second)]);
    expect(after.map(({ state }) => state.id).sort()).toEqual(
      before.map(({ state }) => state.id).sort(),
    );
    expect(count(service)).toBe(3);
  });

  test("a process that a killed host left running is waited for, and its object is found", async () => {
    const service = await given();
    const behind = service.engine();
    const { state } = await behind.engine.create(server, { name: "web" }, { identity });
    const notices: unknown[] = [];
    const made = service
      .engine()
      .engine.create(
        server,
        { name: "web" },
        { identity, onNotice: ({ data }) => void notices.push(data) },
      );
    while (notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(notices).toMatchObject([{ code: "waiting_for_run" }]);
    await behind.kill();
    expect((await made).state.id).toBe(state.id);
    expect(count(service)).toBe(1);
  });

  test("a create fails while another run keeps creating the same object", async () => {
    const service = await given();
    await service.engine().engine.create(server, { name: "web" }, { identity });
    const next = service.engine({ clock: hurried });
    const error = await failureOf(next.engine.create(server, { name: "web" }, { identity }));
    expect(error).toMatchObject({ code: "in_progress" });
    expect(error.message).toContain("Server web is being created by another run (process 1)");
    expect(count(service)).toBe(1);
  });

  test("equal bytes alone do not stop a create, and files of a living process are left alone", async () => {
    const service = await given();
    const living = service.engine();
    await living.engine.create(server, { name: "web" });
    const next = service.engine({ clock: hurried });
    const { state } = await next.engine.create(server, { name: "web" });
    expect(count(service)).toBe(2);
    expect(state.id).not.toBe(service.emulator.objects("server")[0]?.["id"]);
    expect(service.entries()).toHaveLength(2);
  });

  test("of several processes that claim one intent, one wins and the others wait for it", async () => {
    const service = await given();
    await killedAfterAnswer(service);
    const purpose = { operation: "create", kind: "server", identity, bodyHash: "" } as const;
    const claims = await Promise.allSettled(
      Array.from({ length: 8 }, () => {
        const self = service.processes.start();
        const isAlive = (owner: string) => service.processes.isAlive(owner);
        const intents = new Intents(service.place({ self, isAlive }), () => undefined);
        return intents.claim(purpose, async () => undefined);
      }),
    );
    const won = claims.filter((claim) => claim.status === "fulfilled");
    expect(won.map(({ value }) => value.length)).toEqual([1]);
    const refused = claims.filter((claim) => claim.status === "rejected");
    expect(refused.map(({ reason }) => reason as unknown)).toEqual(
      refused.map(() => expect.objectContaining({ code: "in_progress" })),
    );
  });

  test("an update that is refused shows all the same that a state holds the id", async () => {
    const service = await given();
    const { emulator } = service;
    const [one, two] = emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    const on = (host: typeof one) => ({
      name: "erp",
      server_id: String(host?.["id"]),
      deletion_protection: true,
    });
    const run = service.engine();
    const { state } = await run.engine.create(kind("instance"), on(one), { identity });
    await run.kill();
    expect(service.entries()).toHaveLength(1);
    const update = service.engine().engine.update(kind("instance"), state, on(two));
    expect(await codeOf(update)).toBe("protected");
    expect(service.entries()).toEqual([]);
  });

  test("a state of another account says nothing about an id of this one", async () => {
    const service = await given();
    const state = await killedAfterAnswer(service);
    const account = { baseUrl: "https://erp.example.com/v1", environment: "live" } as const;
    const theirs = { ...state, private: { ...state.private, account } };
    const { engine } = service.engine();
    expect((await diffOf(engine, server, theirs, { name: "web" })).refused?.code).toBe(
      "wrong_account",
    );
    expect(await codeOf(engine.update(server, theirs, { name: "web" }))).toBe("wrong_account");
    expect(service.entries()).toMatchObject([{ answer: state.id }]);
  });

  test("planning with a state that holds the id clears the intent that led to it", async () => {
    const service = await given();
    const state = await killedAfterAnswer(service);
    await diffOf(service.engine().engine, server, state, { name: "web" }, "urn:renamed");
    expect(service.entries()).toEqual([]);
  });

  test("a clean exit clears the intents that were answered", async () => {
    const service = await given();
    const { engine } = service.engine();
    await engine.create(server, { name: "web" }, { identity });
    expect(service.entries()).toMatchObject([{ kind: "server", identity }]);
    await engine.close();
    expect(service.entries()).toEqual([]);
  });

  test.each([
    ["half a file", (text: string) => text.slice(0, text.length / 2)],
    ["an empty file", () => ""],
    ["a member of a newer release", (text: string) => text.replace("{", '{"newer":1,')],
    ["another version", (text: string) => text.replace('"version":1', '"version":2')],
  ])(
    "%s under an intent's name stops creates, rotations and deletes and is named; what reads warns, and other files are left alone",
    async (_, spoil) => {
      const service = await given();
      const first = service.engine();
      const { state } = await first.engine.create(server, { name: "kept" }, { identity: "kept" });
      await first.engine.close();
      const { id } = service.emulator.createKey({ name: "ops", permissions: ["servers:read"] });
      await killedAfterAnswer(service);
      const [name = ""] = readdirSync(service.intents);
      const text = readFileSync(join(service.intents, name), "utf8");
      writeFileSync(join(service.intents, "notes.txt"), "mine");
      writeFileSync(join(service.intents, name), spoil(text));
      service.emulator.clearJournal();
      const { engine, warnings } = service.engine();
      expect((await engine.read(server, state)).state).toEqual(state);
      expect(await diffOf(engine, server, state, { name: "kept" })).toMatchObject({ changes: [] });
      expect(warnings).toMatchObject([{ code: "intents_unreadable" }]);
      for (const change of [
        () => engine.create(server, { name: "web" }, { identity }),
        () => engine.create(server, { name: "other" }),
        () => engine.create(kind("api_key_rotation"), { key_id: id }, { identity: "ops" }),
        () => engine.delete(server, state),
      ]) {
        const file = join(service.intents, name);
        await expect(change()).rejects.toThrow(`annot understand ${file}`);
      }
      for (const method of ["POST", "DELETE"]) {
        expect(callsOf(service.emulator, method, /./)).toBe(0);
      }
      writeFileSync(join(service.intents, name), text);
      await service.engine().engine.create(server, { name: "web" }, { identity });
      expect(count(service)).toBe(2);
      expect(readFileSync(join(service.intents, "notes.txt"), "utf8")).toBe("mine");
    },
  );
});

describe("an object that the host replaces without a diff (--replace)", () => {
  test("the id that the host deletes shows which object it had, and the other one is deleted as an orphan", async () => {
    const service = await given();
    const held = await service
      .engine()
      .engine.create(server, { name: "web" }, { identity: "urn:first" });
    const orphan = await killedAfterAnswer(service); // A replacement that the host does not know of.
    const run = service.engine();
    await checkOf(run.engine, server, { name: "web" }, identity, true);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(state.id).not.toBe(orphan.id);
    expect(count(service)).toBe(3); // Nothing is deleted before it is known whose it is.
    await run.engine.delete(server, held.state, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
  });

  test("an answered object that the host held after all is deleted once, by the host", async () => {
    const service = await given();
    const held = await killedAfterAnswer(service);
    const run = service.engine();
    await checkOf(run.engine, server, { name: "web" }, identity, true);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    await run.engine.delete(server, held, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
    expect(callsOf(service.emulator, "DELETE", /servers/)).toBe(1);
  });

  test("the intent of a replacement that was never resolved stays on disk for the next run", async () => {
    const service = await given();
    await killedAfterAnswer(service);
    const run = service.engine();
    await checkOf(run.engine, server, { name: "web" }, identity, true);
    await run.engine.create(server, { name: "web" }, { identity });
    await run.engine.close();
    expect(service.entries()).toHaveLength(1);
  });

  test("an interrupted replacement is taken over where a diff has shown the id that the host has", async () => {
    const service = await given();
    const held = await service
      .engine()
      .engine.create(server, { name: "web" }, { identity: "urn:first" });
    const replacement = await killedAfterAnswer(service);
    const run = service.engine();
    await checkOf(run.engine, server, { name: "web" }, identity, true);
    await diffOf(run.engine, server, held.state, { name: "web" }, identity);
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(replacement.id);
    await run.engine.delete(server, held.state, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([replacement.id]);
  });

  test("an object that an intent led to is kept where the host then deletes it as the replaced one, in this run and the next", async () => {
    const service = await given();
    const old = service.engine();
    const held = await old.engine.create(server, { name: "web" }, { identity });
    await old.kill();
    // Nothing shows the state, as with Pulumi's --replace.
    const run = service.engine();
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(state.id).toBe(held.state.id);
    const deleted = await run.engine.delete(server, held.state, { identity });
    expect(deleted.warnings.map(({ code }) => code)).toEqual(["kept_instead"]);
    await run.kill();
    const next = service.engine();
    await diffOf(next.engine, server, state, { name: "web" }, identity);
    await next.engine.delete(server, held.state, { identity });
    expect(count(service)).toBe(1);
    await diffOf(next.engine, server, state, { name: "web" }, identity);
    await next.engine.delete(server, state, { identity });
    expect(count(service)).toBe(0);
  });

  test("an object that this very run created is never deleted as the replaced one", async () => {
    const service = await given();
    const { engine } = service.engine();
    const { state } = await engine.create(server, { name: "web" }, { identity });
    expect(await codeOf(engine.delete(server, state, { identity }))).toBe("own_create");
    expect(count(service)).toBe(1);
  });

  test("an object that this run created may be deleted once the host shows that it holds it", async () => {
    const service = await given();
    const { engine } = service.engine();
    const { state } = await engine.create(server, { name: "web" }, { identity });
    await engine.read(server, state, { identity });
    await engine.delete(server, state, { identity });
    expect(count(service)).toBe(0);
  });
});

describe("secrets in the folder of intents", () => {
  const canary = "canary-7f3a-secret";
  // A host may hold any value for a secret.
  const inputs = {
    name: "web",
    properties: { note: canary },
    secret_properties: { password: canary },
  };
  const sealed = async (service: Service) => {
    const run = service.engine();
    const { state } = await run.engine.create(server, inputs, { identity });
    await run.kill();
    await rewrite(service, ({ answer: _, ...entry }) => entry);
    return state;
  };
  const text = (service: Service) =>
    readdirSync(service.intents)
      .map((name) => readFileSync(join(service.intents, name), "utf8"))
      .join();

  test("secrets are never on disk in plain text", async () => {
    const service = await given();
    await killedAfterAnswer(service, { name: canary });
    expect(text(service)).toContain(canary); // The search finds what is there.
    const other = await given();
    await sealed(other);
    expect(text(other)).not.toContain(canary);
    expect(text(other)).not.toContain(Buffer.from(canary).toString("base64").slice(0, 12));
    expect(text(other)).not.toContain(other.emulator.adminKey);
  });

  test("a sealed create is sent again with the same bytes", async () => {
    const service = await given();
    const { id } = await sealed(service);
    const { state } = await service.engine().engine.create(server, inputs, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(service.emulator, "POST", /servers/)).toBe(2);
    expect(count(service)).toBe(1);
  });

  test("a sealed create cannot be opened with another API key, and its object is found by name", async () => {
    const service = await given();
    const { id } = await sealed(service);
    const other = service.emulator.createKey({ permissions: ["admin"] }).value;
    const { state } = await service.engine({ apiKey: other }).engine.create(server, inputs, {
      identity,
    });
    expect(state.id).toBe(id);
    expect(callsOf(service.emulator, "POST", /servers/)).toBe(1);
  });
});
