/** Whose an interrupted create is, and what its file shows. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Intent } from "../../provider/engine";
import { hasPurpose, type Purpose } from "../../provider/engine/journal/entry";
import { given, type Service } from "../support/given";
import { until } from "../support/wait";
import { count, createAndKill, identity, journalOf, purpose } from "./crashes";
import { killed, leftBy, rewrite } from "./crashes";
import { callsOf, codeOf, diffOf, kind, onTwoServers, server } from "./support";

const web = { name: "web" };

describe("the intent of an interrupted create", () => {
  test("a process that a killed host left running is waited for, and its object is found", async () => {
    const service = await given();
    const behind = service.engine();
    const { state } = await behind.engine.create(server, web, { identity });
    const notices: unknown[] = [];
    const made = service
      .engine()
      .engine.create(server, web, { identity, onNotice: ({ data }) => void notices.push(data) });
    await until(() => notices.length > 0);
    expect(notices).toMatchObject([{ code: "waiting_for_run" }]);
    await behind.kill();
    expect((await made).state.id).toBe(state.id);
    expect(count(service)).toBe(1);
  });

  test("a run that stops waits for no other one", async () => {
    const service = await given();
    await service.engine().engine.create(server, web, { identity });
    const stop = new AbortController();
    const onNotice = () => stop.abort();
    const options = { identity, stop: stop.signal, onNotice };
    const made = service.engine().engine.create(server, web, options);
    expect(await codeOf(made)).toBe("aborted");
  });

  test("one that was claimed with another that is lost to a living process is there for a second try", async () => {
    const service = await given();
    const { processes } = service;
    const [dead, other, own] = [processes.start(), processes.start(), processes.start()];
    const account = { baseUrl: service.emulator.baseUrl, environment: "test" } as const;
    const ids = ["1", "2"].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
    const began = journalOf(service, dead);
    for (const id of ids) {
      await began.begin({ ...purpose, version: 1, id, account, idempotencyKey: id, time: 0 });
    }
    processes.kill(dead);
    const claiming = journalOf(service, own);
    await claiming.list();
    const at = (owner: string) => join(service.intents, `${ids[1]}.${owner}.json`);
    renameSync(at(dead), at(other));
    const claim = () => claiming.claim(purpose, async () => undefined);
    expect(await codeOf(claim())).toBe("in_progress");
    processes.kill(other);
    expect((await claim()).map(({ entry: { id } }) => id).sort()).toEqual(ids.sort());
  });

  test("one that another process takes while it is looked at is waited for", async () => {
    const { service } = await leftBy(killed.afterAnswer);
    const { processes, intents } = service;
    const [other, self] = [processes.start(), processes.start()];
    const isAlive = (owner: string) => {
      // Asked between the list of the files and the reading of each.
      const names = readdirSync(intents).filter((one) => owner !== other && one.includes(owner));
      const to = (name: string) => join(intents, name.replace(owner, other));
      for (const name of names) renameSync(join(intents, name), to(name));
      return processes.isAlive(owner);
    };
    const claiming = journalOf(service, self, isAlive);
    expect(await codeOf(claiming.claim(purpose, async () => undefined))).toBe("in_progress");
    processes.kill(other);
    expect(await claiming.claim(purpose, async () => undefined)).toHaveLength(1);
  });

  test("of several processes that claim one intent, one wins and the others wait for it", async () => {
    const { service } = await leftBy(killed.afterAnswer);
    const claims = await Promise.allSettled(
      Array.from({ length: 8 }, () => journalOf(service).claim(purpose, async () => undefined)),
    );
    const won = claims.filter((claim) => claim.status === "fulfilled");
    expect(won.map(({ value }) => value.length)).toEqual([1]);
    const refused = claims.filter((claim) => claim.status === "rejected");
    expect(refused).toMatchObject(Array(7).fill({ reason: { code: "in_progress" } }));
  });

  test("an update that is refused shows all the same that a state holds the id", async () => {
    const service = await given();
    const [one, two] = onTwoServers(service);
    const held = { ...one, deletion_protection: true };
    const state = await createAndKill(service.engine(), kind("instance"), held);
    expect(service.entries()).toHaveLength(1);
    const update = service.engine().engine.update(kind("instance"), state, { ...held, ...two });
    expect(await codeOf(update)).toBe("protected");
    expect(service.entries()).toEqual([]);
  });

  test("a state of another account says nothing about an id of this one", async () => {
    const { service, state } = await leftBy(killed.afterAnswer);
    const account = { baseUrl: "https://erp.example.com/v1", environment: "live" } as const;
    const theirs = { ...state, private: { ...state.private, account } };
    const { engine } = service.engine();
    expect((await diffOf(engine, server, theirs, web)).refused?.code).toBe("wrong_account");
    expect(await codeOf(engine.update(server, theirs, web))).toBe("wrong_account");
    expect(service.entries()).toMatchObject([{ answer: state.id }]);
  });

  test("planning with a state that holds the id clears the intent that led to it", async () => {
    const { service, state } = await leftBy(killed.afterAnswer);
    await diffOf(service.engine().engine, server, state, web, "urn:renamed");
    expect(service.entries()).toEqual([]);
  });

  test("a clean exit clears the intents that were answered", async () => {
    const { service, engine } = (await given()).engine();
    await engine.create(server, web, { identity });
    expect(service.entries()).toMatchObject([{ kind: "server", identity }]);
    await engine.close();
    expect(service.entries()).toEqual([]);
  });
});

describe("secrets in the folder of intents", () => {
  const canary = "canary-7f3a-secret";
  // A host may hold any value for a secret.
  const secret = { properties: { note: canary }, secret_properties: { password: canary } };
  const inputs = { name: "web", ...secret };
  const sealed = async (service: Service) => {
    const state = await createAndKill(service.engine(), server, inputs);
    await rewrite(service, ({ answer: _, ...entry }) => entry);
    return state;
  };
  const text = (service: Service) =>
    readdirSync(service.intents)
      .map((name) => readFileSync(join(service.intents, name), "utf8"))
      .join();

  test("secrets are never on disk in plain text", async () => {
    const { service } = await leftBy(killed.afterAnswer, { name: canary });
    expect(text(service)).toContain(canary); // The search finds what is there.
    const other = await given();
    await sealed(other);
    expect(text(other)).not.toContain(canary);
    expect(text(other)).not.toContain(Buffer.from(canary).toString("base64").slice(0, 12));
    expect(text(other)).not.toContain(other.emulator.adminKey);
  });

  test("a sealed create is sent again with the same bytes", async () => {
    const { service, id } = await leftBy(sealed);
    const { state } = await service.engine().engine.create(server, inputs, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(service.emulator, "POST", /servers/)).toBe(2);
    expect(count(service)).toBe(1);
  });

  test("a sealed create cannot be opened with another API key, and its object is found by name", async () => {
    const { service, id } = await leftBy(sealed);
    const other = service.emulator.createKey({ permissions: ["admin"] }).value;
    const { engine } = service.engine({ apiKey: other });
    const { state } = await engine.create(server, inputs, { identity });
    expect(state.id).toBe(id);
    expect(callsOf(service.emulator, "POST", /servers/)).toBe(1);
  });
});

test.each<[title: string, written: object, asked: object, isOne: boolean]>([
  ["equal identities", { identity: "a", bodyHash: "1" }, { identity: "a", bodyHash: "2" }, true],
  ["another identity", { identity: "a" }, { identity: "b" }, false],
  ["equal bytes, without an identity", {}, {}, true],
  ["other bytes, without an identity", { bodyHash: "1" }, { bodyHash: "2" }, false],
  ["an identity that only the entry has", { identity: "a" }, {}, false],
  ["an identity that only the purpose has", {}, { identity: "a" }, false],
  ["another kind", { identity: "a", kind: "team" }, { identity: "a" }, false],
  ["another operation", { identity: "a", operation: "rotate" }, { identity: "a" }, false],
  ["another key", { identity: "a", target: "key_1" }, { identity: "a", target: "key_2" }, false],
])("an entry has the purpose of what is asked for or not: %s", (_, written, asked, isOne) => {
  const own = { operation: "create", kind: "server", bodyHash: "0", identity: undefined } as const;
  const intent = { entry: { ...own, ...written }, file: "" } as Intent;
  const purpose: Purpose = { ...own, ...asked };
  expect(hasPurpose(intent, purpose)).toBe(isOne);
});
