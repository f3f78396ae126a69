/** What interrupted runs noted and this run cannot read: nothing may be made of that but a refusal. */
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import fs, { promises, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { openEngine, PartialFailure } from "../../provider/engine";
import { systemProcesses } from "../../provider/engine/journal/processes";
import type { Message } from "../../provider/messages";
import { folder, given, textOf, type Service } from "../support/given";
import { count, createAndKill, filesOf, identity, killed, leftBy } from "./crashes";
import { callsOf, checkOf, codeOf, diffOf, failureOf, hurried, named, namesOf } from "./support";

const { apiKey, rotation, server } = named;
const web = { name: "web" };
const ops = { name: "ops", permissions: ["servers:read"] };

afterEach(() => void jest.restoreAllMocks());

type Call = "readFile" | "readdir" | "lstat" | "rename" | "writeFile";
const fault = (code: string): Error => Object.assign(new Error(code), { code });

/** Has a call of the file system fail for such paths, always or that many times. */
function failing(call: Call, code: string, at: RegExp, times = Infinity): void {
  const original = promises[call] as (...given: unknown[]) => Promise<unknown>;
  let left = times;
  jest.spyOn(promises, call).mockImplementation((...given: unknown[]) => {
    const fails = at.test(String(given[0])) && left > 0;
    if (fails) left -= 1;
    // The overloads of these calls have no type in common.
    return (fails ? Promise.reject(fault(code)) : original(...given)) as never;
  });
}

const changesOf = ({ emulator }: Service): number =>
  ["POST", "PATCH", "DELETE"].reduce((sum, method) => sum + callsOf(emulator, method, /./), 0);

/** Spoils an intent or its folder. @returns what is said of that */
type Spoil = (intent: string, folder: string) => string;
const refusing =
  (call: Call, code: string, what: "intent" | "folder"): Spoil =>
  (intent, folder) => {
    const path = what === "folder" ? folder : intent;
    failing(call, code, new RegExp(`^${path}$`));
    return `Cannot read ${path} (${code})`;
  };
const holding =
  (change: (text: string) => string): Spoil =>
  (intent) => {
    writeFileSync(intent, change(readFileSync(intent, "utf8")));
    return `Cannot understand ${intent}`;
  };

describe("what cannot be read", () => {
  test.each<[what: string, spoil: Spoil]>([
    ...["EMFILE", "EACCES", "EIO", "ESTALE", "EBUSY", "EPERM"].map((code): [string, Spoil] => [
      `an intent that cannot be read (${code})`,
      refusing("readFile", code, "intent"),
    ]),
    ["a folder that cannot be read (EMFILE)", refusing("readdir", "EMFILE", "folder")],
    ["a folder that cannot be read (EACCES)", refusing("readdir", "EACCES", "folder")],
    ["a folder that cannot be looked at (EIO)", refusing("lstat", "EIO", "folder")],
    ["half an intent", holding((text) => text.slice(0, text.length / 2))],
    ["an intent without content", holding(() => "")],
    ["an intent of a newer release", holding((text) => text.replace("{", '{"newer":1,'))],
    ["an intent of another version", holding((text) => text.replace('n":1', 'n":2'))],
  ])(
    "%s stops creates, rotations and deletes, plans continue with one warning, and other files are left alone",
    async (_, spoil) => {
      const service = await given();
      const first = service.engine();
      const { state } = await first.engine.create(server, { name: "kept" }, { identity: "kept" });
      const { state: made } = await first.engine.create(apiKey, ops, { identity: "ops" });
      await first.engine.close();
      const { id } = service.emulator.createKey(ops);
      await killed.afterAnswer(service);
      const [intent = ""] = filesOf(service.intents);
      const text = readFileSync(intent, "utf8");
      const note = join(service.intents, "notes.txt");
      writeFileSync(note, "mine");
      const changes = changesOf(service);
      const says = spoil(intent, service.intents);
      const { engine, warnings } = service.engine({ clock: hurried });
      expect((await engine.read(server, state)).state).toEqual(state);
      expect(await diffOf(engine, server, state, { name: "kept" })).toMatchObject({ changes: [] });
      expect(warnings).toMatchObject([{ code: "intents_unreadable" }]);
      for (const change of [
        () => engine.create(server, web, { identity }),
        () => engine.create(server, { name: "other" }),
        () => engine.create(rotation, { key_id: id }, { identity: "turn" }),
        () => engine.update(apiKey, made, { ...ops, triggers: { day: "2" } }, { identity: "ops" }),
        () => engine.delete(server, state),
      ]) {
        const error = await failureOf(change());
        const code = { code: "intents_unreadable" };
        expect(error).toMatchObject(error instanceof PartialFailure ? { reason: code } : code);
        expect(error.message).toContain(says);
      }
      expect(changesOf(service)).toBe(changes);
      expect(warnings).toHaveLength(1);
      jest.restoreAllMocks();
      writeFileSync(intent, text);
      await service.engine().engine.create(server, web, { identity });
      expect(count(service)).toBe(2);
      expect(readFileSync(note, "utf8")).toBe("mine");
    },
  );

  test("an intent that cannot be taken over stops its create, and a second try as well, for equal bytes too", async () => {
    const service = await given();
    await createAndKill(service.engine(), server, web, {});
    failing("rename", "EACCES", /json$/);
    const { engine } = service.engine();
    for (let tries = 1; tries <= 2; tries += 1) {
      const error = await failureOf(engine.create(server, web));
      expect(error.message).toContain(`Cannot take over ${filesOf(service.intents)[0]} (EACCES)`);
    }
    expect(count(service)).toBe(1);
  });

  test("a folder that cannot even be looked for, as below a file, is not taken for missing", async () => {
    const { service } = await leftBy(killed.afterAnswer);
    const [file = ""] = filesOf(service.intents);
    const create = service.engine({ intents: join(file, "inside") }).engine.create(server, web);
    expect((await failureOf(create)).message).toContain(`Cannot read ${file}/inside (ENOTDIR)`);
  });

  test("an intent that another process drops while the folder is read counts for nothing", async () => {
    const { service, id } = await leftBy(killed.afterAnswer);
    failing("readFile", "ENOENT", /json$/);
    const { state } = await service.engine().engine.create(server, web, { identity });
    expect(state.id).not.toBe(id);
  });

  test("a plan's note that cannot be read stops the create that needs it, and a plan warns of it", async () => {
    const service = await given();
    const first = service.engine();
    const { state } = await first.engine.create(server, web, { identity });
    const ofRun = { host: "7-7", options: { sameName: "warn" } } as const;
    const plan = service.engine(ofRun);
    await plan.engine.noteInState(server, state.id, identity);
    await checkOf(plan.engine, server, web, identity);
    await plan.engine.close({ storesLater: true });
    await first.kill();

    failing("readFile", "EIO", /plan[.]/);
    const apply = service.engine(ofRun);
    await namesOf(apply.engine, server, web, { identity: "twin" });
    await namesOf(apply.engine, server, web, { identity: "triplet" });
    expect(textOf(apply.warnings)).toMatch(/^Cannot read \S+plan[.]7-7[.]\S+ [(]EIO[)][^\n]*$/);
    expect(await codeOf(apply.engine.create(server, web, { identity }))).toBe("intents_unreadable");
    expect(count(service)).toBe(1);
  });

  test("a user's key that cannot be read stops a create instead of making intents foreign, and a plan warns of it", async () => {
    const { adminKey: apiKey, baseUrl } = (await given()).emulator;
    const root = folder();
    const env = { ERPHOST_INTENTS_DIR: join(root, "intents"), XDG_STATE_HOME: root };
    const open = (pid: number) => {
      const warnings: Message[] = [];
      const engine = openEngine({
        given: { apiKey, baseUrl },
        surroundings: { env, cwd: "/", pid, platform: "linux" } as const,
        warn: (warning) => warnings.push(warning),
      });
      return { engine, warnings };
    };
    const first = open(2 ** 30);
    const { state } = await first.engine.create(server, web, { identity });
    const [place = ""] = readdirSync(env.ERPHOST_INTENTS_DIR);
    const [file = ""] = filesOf(join(env.ERPHOST_INTENTS_DIR, place));
    const left = readFileSync(file);
    await first.engine.close();
    writeFileSync(file, left);

    failing("readFile", "EACCES", /intents[.]key$/);
    const { engine, warnings } = open(process.pid);
    await diffOf(engine, server, state, web);
    expect(warnings).toMatchObject([{ code: "intents_unreadable" }]);
    const error = await failureOf(engine.create(server, { name: "two" }, { identity: "two" }));
    expect(error.message).toContain(`Cannot read ${root}/erphost/intents.key (EACCES)`);
    await engine.close();
    jest.restoreAllMocks();
    failing("readFile", "EMFILE", /intents[.]key$/, 3);
    const again = open(process.pid);
    await again.engine.create(server, { name: "two" }, { identity: "two" });
    await again.engine.close();
    expect(again.warnings).toEqual([]);
  });

  test("a living process is not taken for dead while no file can be opened to look at it", () => {
    const processes = systemProcesses(process.pid);
    jest.spyOn(fs, "readFileSync").mockImplementation(() => {
      throw fault("EMFILE");
    });
    expect(processes.isAlive(processes.self)).toBe(true);
  });
});

test.each<[code: string, call: Call, at: RegExp]>([
  ["EMFILE", "readFile", /json$/],
  ["ENFILE", "readdir", /./],
  ["EBUSY", "rename", /json$/],
  ["EPERM", "writeFile", /tmp$/],
])("%s of %s is tried again, and the interrupted create continues", async (code, call, at) => {
  const { service, id } = await leftBy(killed.afterAnswer);
  failing(call, code, at, 3);
  const run = service.engine();
  const { state } = await run.engine.create(server, web, { identity });
  expect(state.id).toBe(id);
  await run.engine.create(server, { name: "two" }, { identity: "two" });
  expect(service.entries().map(({ name }) => name)).toContain("two");
  expect(run.warnings).toEqual([]);
  expect(count(service)).toBe(2);
});

/** The most files and folders that are open at a time. */
function countOpen(): () => number {
  let now = 0;
  let most = 0;
  const opened = (): void => void (most = Math.max(most, (now += 1)));
  const closed = (): void => void (now -= 1);
  for (const call of ["readFile", "writeFile", "readdir"] as const) {
    const original = promises[call] as (...given: unknown[]) => Promise<unknown>;
    jest.spyOn(promises, call).mockImplementation((...given: unknown[]) => {
      opened();
      return original(...given).finally(closed) as never;
    });
  }
  const { open } = promises;
  jest.spyOn(promises, "open").mockImplementation(async (...given): Promise<FileHandle> => {
    opened();
    const handle = await open(...given);
    const close = handle.close.bind(handle);
    handle.close = () => close().finally(closed);
    return handle;
  });
  return () => most;
}

test("at most 32 files are open at a time, while 100 creates are noted and while they are continued", async () => {
  const service = await given();
  const most = countOpen();
  const createAll = ({ engine }: ReturnType<Service["engine"]>) =>
    Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        engine.create(server, { name: `s${at}` }, { identity: `s${at}` }),
      ),
    );
  const first = service.engine();
  await createAll(first);
  await first.kill();
  expect(most()).toBe(32);
  await createAll(service.engine());
  expect(most()).toBe(32);
  expect(count(service)).toBe(100);
});
