/** An intent that nothing shows to be ours: planted, changed, copied, or in a folder that others can write to. */
import { describe, expect, test } from "@jest/globals";
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { Journal, type IntentEntry } from "../../provider/engine";
import { seal, unseal } from "../../provider/engine/journal/ours";
import { folder, given, type EngineGiven, type Service } from "../support/given";
import { count, fails, filesOf, identity, journalOf, purpose } from "./crashes";
import { killed, leftBy, rewrite } from "./crashes";
import { callsOf, codeOf, diffOf, kind, profile, server } from "./support";

const ID = "3f2a0000-0000-4000-8000-000000000001";

/** A server of somebody else, and an intent that says that it is what this program created. */
async function planted(change: Partial<IntentEntry> = {}, owner = "7-7") {
  const service = await given();
  const [theirs] = service.emulator.createObjects("server", [{ name: "theirs" }]);
  const victim = String(theirs?.["id"]);
  const entry = {
    version: 1,
    id: ID,
    account: { baseUrl: service.emulator.baseUrl, environment: "test" },
    operation: "create",
    kind: "server",
    identity,
    name: "web",
    idempotencyKey: "planted",
    bodyHash: "planted",
    time: Date.now(),
    answer: victim,
    ...change,
  };
  // They know the form of a signature, and no secret of ours.
  const signatures = ["A".repeat(43), ""];
  const file = join(service.intents, `${ID}.${owner}.json`);
  writeFileSync(file, JSON.stringify({ ...entry, signatures }), { mode: 0o600 });
  return { service, victim, file };
}

/** No server of somebody else was changed, and no other was created. */
function nothingChanged({ emulator }: Service): void {
  expect(emulator.objects("server").map(({ name }) => name)).toEqual(["theirs"]);
  for (const method of ["POST", "PATCH", "DELETE"]) expect(callsOf(emulator, method, /./)).toBe(0);
}

const createWeb = (service: Service, more = {}) =>
  service.engine(more).engine.create(server, { name: "web" }, { identity });

test("a planted intent that names a foreign server is not followed, and the message names its file", async () => {
  const { service, victim, file } = await planted();
  const work = createWeb(service);
  const error = await fails(work, "intent_foreign", file, `erphost intents drop ${ID}`);
  expect(error.message).not.toContain(victim);
  nothingChanged(service);
});

test("a create continues once the planted intent is deleted, and makes a server of its own", async () => {
  const { service, victim } = await planted();
  const intents = journalOf(service);
  for (const intent of (await intents.list()).intents) await intents.drop(intent);
  const { state } = await createWeb(service);
  expect(state.id).not.toBe(victim);
  expect(count(service)).toBe(2);
});

test("a planted intent of a process that is alive is refused at once, without waiting for it", async () => {
  const { service } = await planted({}, `${process.pid}-1`);
  const never = { after: () => () => undefined, monotonicMs: () => 0, wallMs: () => Date.now() };
  service.engine(); // The process that the intent names.
  expect(service.processes.isAlive(`${process.pid}-1`)).toBe(true);
  const place = service.place({ self: service.processes.start(), isAlive: () => true });
  const claim = new Journal({ ...place, clock: never }, () => undefined).claim(purpose, () => {
    throw new Error("it waited");
  });
  expect(await codeOf(claim)).toBe("intent_foreign");
  await fails(createWeb(service), "intent_foreign");
});

test("a planted intent does not stop the creates of other objects", async () => {
  const { service } = await planted();
  const other = { identity: "urn:stack::server::other" };
  await service.engine().engine.create(server, { name: "other" }, other);
  expect(count(service)).toBe(2);
});

test("a planted rotation is not followed, and the key keeps working", async () => {
  const { service } = await planted();
  const key = service.emulator.createKey({ name: "ops", permissions: ["servers:read"] });
  const [file = ""] = filesOf(service.intents);
  const entry = JSON.parse(readFileSync(file, "utf8")) as object;
  const change = { operation: "rotate", kind: "api_key_rotation", target: key.id };
  writeFileSync(file, JSON.stringify({ ...entry, ...change }));
  const { engine } = service.engine();
  const rotate = engine.create(kind("api_key_rotation"), { key_id: key.id }, { identity });
  await fails(rotate, "intent_foreign");
  expect(callsOf(service.emulator, "POST", /rotate/)).toBe(0);
});

test("a planted note of a delete does not make the absence of an object expected", async () => {
  const { service, victim } = await planted({ operation: "delete", target: "srv_1" });
  expect(await journalOf(service).hasLeft("delete", "server", "srv_1")).toBe(false);
  expect(victim).toBe("srv_1");
});

test("a state that holds what a planted intent names has the intent deleted", async () => {
  const { service, victim } = await planted();
  await service.engine().engine.noteInState(server, victim);
  expect(readdirSync(service.intents)).toEqual([]);
});

describe("an intent that was changed or copied", () => {
  /** What somebody does to an entry of this run, and where the next one then finds it. */
  type Forge = (service: Service) => EngineGiven | void | Promise<void>;
  const editing =
    (change: (entry: IntentEntry) => object): Forge =>
    (service) => {
      for (const file of filesOf(service.intents)) {
        const entry = JSON.parse(readFileSync(file, "utf8")) as IntentEntry;
        writeFileSync(file, JSON.stringify({ ...entry, ...change(entry) }));
      }
    };
  const account = { baseUrl: "https://erp.example.com/v1", environment: "live" } as const;
  const copied: Forge = ({ intents }) => {
    const elsewhere = folder();
    for (const file of filesOf(intents)) copyFileSync(file, join(elsewhere, basename(file)));
    return { intents: elsewhere };
  };
  const moved: Forge = (service) => rewrite(service, (entry) => ({ ...entry, account }));
  const renamed: Forge = ({ intents }) => {
    for (const file of filesOf(intents)) renameSync(file, join(intents, `${ID}.1-start.json`));
  };

  test.each<[what: string, forge: Forge, of?: string, said?: string]>([
    ["whose answer was changed", editing(() => ({ answer: "srv_2" }))],
    ["whose idempotency key was changed", editing(() => ({ idempotencyKey: "another" }))],
    ["whose name was changed", editing(() => ({ name: "theirs" }))],
    ["whose time was changed", editing(({ time }) => ({ time: time - 1 }))],
    ["whose body was changed", editing(({ body = "" }) => ({ body: `${body.slice(0, -4)}AAA=` }))],
    ["whose hash was changed", editing(() => ({ bodyHash: "another" }))],
    ["whose time of a clean exit was changed", editing(({ time }) => ({ handedAt: time }))],
    ["whose signatures were changed", editing(() => ({ signatures: [] }))],
    ["whose signatures were left out", editing(() => ({ signatures: undefined }))],
    ["whose identity was changed", editing(() => ({ identity: "other" })), "server", "other"],
    ["whose kind was changed", editing(() => ({ kind: "team" })), "team"],
    ["of another account, though this user wrote it,", moved],
    ["that was copied from another folder, though this user wrote it,", copied],
    ["that was copied under another id", renamed],
  ])("an intent %s is not followed", async (_, forge, of = "server", said = identity) => {
    const { service } = await leftBy(killed.afterAnswer);
    service.emulator.createObjects("server", [{ name: "theirs" }]);
    const { engine } = service.engine((await forge(service)) ?? {});
    const work = engine.create(kind(of), { name: "web" }, { identity: said });
    await fails(work, "intent_foreign", "written by somebody else");
    expect(service.emulator.objects("server").map(({ name }) => name)).toEqual(["web", "theirs"]);
    expect(callsOf(service.emulator, "POST", /./)).toBe(1);
  });

  test("a sealed body cannot be opened in another intent", () => {
    const account = { baseUrl: "https://erp.example.com/v1", environment: "test" } as const;
    const intent = { id: ID, account, kind: "server" };
    const sealed = seal("{}", { apiKey: "key", nonce: Buffer.alloc(12), intent });
    expect(unseal(sealed, "key", intent)).toBe("{}");
    const others = [
      { ...intent, id: ID.replace("1", "2") },
      { ...intent, kind: "team" },
      { ...intent, account: { ...account, environment: "live" as const } },
      { ...intent, account: { ...account, baseUrl: "https://other.example.com/v1" } },
    ];
    for (const other of others) expect(unseal(sealed, "key", other)).toBeUndefined();
  });
});

test("an intent is followed on a fresh machine with the same API key", async () => {
  const { service, id } = await leftBy(killed.beforeAnswer);
  await rewrite(service, (entry) => entry); // By the user's key alone.
  expect(await codeOf(createWeb(service, { userKey: null }))).toBe("intent_foreign");
  const again = await given();
  const made = await killed.afterAnswer(again);
  const { state } = await createWeb(again, { userKey: null });
  expect(state.id).toBe(made.id);
  expect(count(again)).toBe(1);
  expect(id).toBe("srv_1");
});

test("on a fresh machine with another API key, nothing is created twice: the intent is named and not followed", async () => {
  const { service } = await leftBy(killed.afterAnswer);
  const { value } = service.emulator.createKey({ permissions: ["admin"] });
  const fresh = { apiKey: value, userKey: Buffer.alloc(32) };
  expect(await codeOf(createWeb(service, fresh))).toBe("intent_foreign");
  expect(count(service)).toBe(1);
});

describe("a folder that is not this user's alone", () => {
  const exposed: [how: string, why: string, expose: (path: string) => void][] = [
    ["that is a link to another one", "is a symbolic link", (path) => symlinkSync(folder(), path)],
  ];
  if (process.getuid?.() === 0) {
    exposed.push([
      "that belongs to another user",
      "belongs to another user",
      (path) => {
        mkdirSync(path, { mode: 0o700 });
        chownSync(path, 65_534, 65_534);
      },
    ]);
  }

  test.each(exposed)(
    "a folder of intents %s is refused before anything is changed",
    async (_, why, expose) => {
      const intents = join(folder(), "intents");
      expose(intents);
      const { service, engine } = (await given()).engine({ intents, profile });
      service.emulator.createObjects("server", [{ name: "theirs" }]);
      const work = engine.create(server, { name: "web" }, { identity });
      await fails(work, "intents_exposed", intents, why);
      nothingChanged(service);
      expect(readdirSync(intents)).toEqual([]);
    },
  );

  test("an object of a state is read and planned with an exposed folder of intents, with one warning", async () => {
    const service = await given();
    const { state } = await createWeb(service);
    const intents = join(folder(), "intents");
    symlinkSync(folder(), intents);
    const run = service.engine({ intents });
    expect((await run.engine.read(server, state)).state).toEqual(state);
    expect(await diffOf(run.engine, server, state, { name: "web" })).toMatchObject({ changes: [] });
    expect(run.warnings).toMatchObject([{ code: "intents_exposed" }]);
    expect(await codeOf(run.engine.delete(server, state))).toBe("intents_exposed");
    expect(count(service)).toBe(1);
  });

  test("a folder that was private when it was read and has become a link is refused before the next create", async () => {
    const intents = join(folder(), "intents");
    const { service, engine } = (await given()).engine({ intents });
    await engine.create(server, { name: "web" }, { identity });
    renameSync(intents, `${intents}.moved`);
    symlinkSync(`${intents}.moved`, intents);
    const again = engine.create(server, { name: "two" }, { identity: "urn:two" });
    expect(await codeOf(again)).toBe("intents_exposed");
    expect(count(service)).toBe(1);
  });
});
