/** The folder of intents and the user's key: durable, private, and where a file system fails. */
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  promises,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../provider/client/clock";
import { systemInjectables } from "../../provider/client/settings/system";
import type { OperationOptions } from "../../provider/engine";
import { userKey } from "../../provider/engine/journal/user-key";
import { systemProcesses } from "../../provider/engine/journal/processes";
import { folder, given, type Service } from "../support/given";
import { count, fails, identity, killed, leftBy } from "./crashes";
import { callsOf, server } from "./support";

afterEach(() => void jest.restoreAllMocks());

describe("a file system that does not answer", () => {
  const { clock: system } = systemInjectables();
  /** A file system of which one call never returns, and a clock whose long waits are over then. */
  function stuckAt(call: "mkdir" | "readdir" | "writeFile" | "rename", after = 0): Clock {
    const original = promises[call] as (...given: unknown[]) => Promise<unknown>;
    let calls = 0;
    jest.spyOn(promises, call).mockImplementation((...given: unknown[]) => {
      calls += 1;
      // The overloads of these calls have no type in common.
      return (calls > after ? new Promise(() => undefined) : original(...given)) as never;
    });
    const stuck = (work: () => void) => {
      const timer = setInterval(() => calls > after && work(), 5);
      return () => clearInterval(timer);
    };
    return {
      ...system,
      after: (ms, work) => (ms >= 30_000 ? stuck(work) : system.after(ms, work)),
    };
  }

  test.each(["mkdir", "readdir", "writeFile"] as const)(
    "a create does not begin while the folder of intents never answers to %s, and the message says so",
    async (call) => {
      const service = await given();
      const intents = join(folder(), "state", "intents");
      const run = service.engine({ intents, clock: stuckAt(call) });
      const attempt = run.engine.create(server, { name: "web" }, { identity });
      await fails(attempt, "intents_stuck", intents, "has not answered for 30 s");
      expect(count(service)).toBe(0);
    },
  );

  test("a create whose answer cannot be noted in time is not lost", async () => {
    const service = await given();
    const run = service.engine({ clock: stuckAt("rename", 1) });
    const { state } = await run.engine.create(server, { name: "web" }, { identity });
    expect(service.entries()[0]).not.toHaveProperty("answer");
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
  });

  test("a folder that can be neither made nor found causes one warning and no endless loop, and creates continue", async () => {
    const service = await given();
    const run = service.engine({ intents: "/proc/erphost/intents" });
    await run.engine.create(server, { name: "web" }, { identity });
    await run.engine.create(server, { name: "two" });
    expect(run.warnings).toMatchObject([{ code: "intents_unwritable" }]);
    expect(count(service)).toBe(2);
  });
});

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe("a folder that others can write to", () => {
  test.each([
    ["everybody", 0o777],
    ["its group, as on a shared volume,", 0o2770],
  ])(
    "a folder of this user that %s can write to is closed to others, and its intents are followed",
    async (_, mode) => {
      const { service, state: made } = await leftBy(killed.afterAnswer);
      chmodSync(service.intents, mode);
      const run = service.engine();
      const { state } = await run.engine.create(server, { name: "web" }, { identity });
      expect(state.id).toBe(made.id);
      expect(run.warnings).not.toContainEqual(expect.objectContaining({ code: "intents_exposed" }));
      expect(count(service)).toBe(1);
      expect(modeOf(service.intents)).toBe(0o700);
    },
  );

  test("a folder that is opened to others during a run is closed again before the next create", async () => {
    const { service, engine } = (await given()).engine();
    await engine.create(server, { name: "web" }, { identity });
    chmodSync(service.intents, 0o777);
    await engine.create(server, { name: "two" }, { identity: "urn:two" });
    expect(modeOf(service.intents)).toBe(0o700);
  });

  test("a folder whose file system ignores modes is refused, and nothing is said of removing it", async () => {
    const service = await given();
    chmodSync(service.intents, 0o770);
    const { open } = promises;
    jest.spyOn(promises, "open").mockImplementation(async (...given) => {
      const handle = await open(...given);
      handle.chmod = async () => undefined;
      return handle;
    });
    const work = service.engine().engine.create(server, { name: "web" }, { identity });
    const words = ["can be written to by other users", "keep what is in this one"];
    await fails(work, "intents_exposed", ...words);
    expect(count(service)).toBe(0);
  });
});

describe("the user's key", () => {
  const random = randomBytes;
  const { clock } = systemInjectables();

  test("the user's key is made once, and only its owner can read it", async () => {
    const state = join(folder(), "state", "erphost");
    const file = join(state, "intents.key");
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => userKey({ file, random, clock })),
    );
    const [key] = keys;
    expect(key).toHaveLength(32);
    expect(keys.map((one) => one?.toString("hex"))).toEqual(keys.map(() => key?.toString("hex")));
    expect(await promises.readdir(state)).toEqual(["intents.key"]);
    expect([state, file].map(modeOf)).toEqual([0o700, 0o600]);
    expect(await userKey({ file, random, clock })).toEqual(key);
  });

  test.each<[how: string, spoil: (file: string) => void]>([
    ["that others can read", (file) => chmodSync(file, 0o644)],
    ["that is too short", (file) => writeFileSync(file, "short")],
    ["in a folder that others can write to", (file) => chmodSync(join(file, ".."), 0o777)],
    [
      "that is a link",
      (file) => {
        const own = `${file}.own`;
        writeFileSync(own, readFileSync(file), { mode: 0o600 });
        unlinkSync(file);
        symlinkSync(own, file);
      },
    ],
  ])("a key of the user %s signs nothing", async (_, spoil) => {
    const file = join(folder(), "erphost", "intents.key");
    await userKey({ file, random, clock });
    spoil(file);
    expect(await userKey({ file, random, clock })).toBeUndefined();
  });

  test("without a place for the user's key there is none, and nothing is left behind", async () => {
    const blocked = join(folder(), "file");
    writeFileSync(blocked, "");
    expect(await userKey({ file: join(blocked, "intents.key"), random, clock })).toBeUndefined();
    expect(existsSync(join(blocked, "intents.key"))).toBe(false);
    jest
      .spyOn(promises, "lstat")
      .mockRejectedValue(Object.assign(new Error("denied"), { code: "EACCES" }));
    expect(await userKey({ file: "/proc/other/intents.key", random, clock })).toBeUndefined();
  });
});

test("a process id without a start does not make a process alive where starts are known", () => {
  const processes = systemProcesses(process.pid);
  expect(processes.isAlive(processes.self)).toBe(true);
  expect(processes.isAlive("1-0")).toBe(false);
  expect(processes.isAlive(`${process.pid}-0`)).toBe(false);
});

/** Runs `seen` whenever a file or a folder is synced to the disk. */
async function onSync(seen: (what: "file" | "folder") => void): Promise<void> {
  const handle = await promises.open(__filename, "r");
  // The class is not exported; every handle has it.
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is bound where it is called.
  const { sync } = prototype;
  jest.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    seen((await this.stat()).isDirectory() ? "folder" : "file");
  });
}

test("a create's intent and its name are synced to the disk before the request is sent", async () => {
  const service = await given();
  const { emulator } = service;
  const synced: { what: string; posts: number; named: number }[] = [];
  await onSync((what) => {
    const posts = callsOf(emulator, "POST", /servers/);
    synced.push({ what, posts, named: service.entries().length });
  });
  await service.engine().engine.create(server, { name: "web" }, { identity });
  expect(synced).toEqual([
    { what: "file", posts: 0, named: 0 },
    { what: "folder", posts: 0, named: 1 },
  ]);
  expect(callsOf(emulator, "POST", /servers/)).toBe(1);
});

test("intents are in a folder and in files that only their owner can open", async () => {
  const service = await given();
  const base = folder();
  const intents = join(base, "state", "intents");
  await service.engine({ intents }).engine.create(server, { name: "web" }, { identity });
  expect([join(base, "state"), intents].map(modeOf)).toEqual([0o700, 0o700]);
  expect(readdirSync(intents).map((name) => modeOf(join(intents, name)))).toEqual([0o600]);
});

/** As it is on disk after a create of server "web". */
async function hashOf(
  service: Service,
  inputs: object,
  options: OperationOptions,
  apiKey = service.emulator.adminKey,
): Promise<string | undefined> {
  const intents = folder();
  const { engine } = service.engine({ intents, apiKey });
  await engine.create(server, { name: "web", ...inputs }, options);
  return service.entries(intents)[0]?.bodyHash;
}
const plainOf = (body: object): string =>
  createHash("sha256").update(JSON.stringify(body)).digest("base64url");

test.each([
  ["where the host gives an identity", {}, { identity }],
  ["where a property is secret", { secret_properties: { pin: "1234" } }, {}],
])(
  "the hash of a create's body is keyed with the API key, so that nobody guesses a secret by it, %s",
  async (_, inputs, options) => {
    const service = await given();
    const { value } = service.emulator.createKey({ permissions: ["admin"] });
    const of = (...key: string[]) => hashOf(service, inputs, options, ...key);
    const hashes = [await of(), await of(value)];
    expect(hashes[0]).toMatch(/^[\w-]{43}$/);
    expect(hashes[1]).not.toBe(hashes[0]);
    expect(hashes).not.toContain(plainOf({ name: "web", pin: "1234" }));
    expect(hashes).not.toContain(plainOf({ name: "web" }));
  },
);

test("the hash of a body without identity and secrets is the same for every API key, so that a new key finds the intent", async () => {
  const service = await given();
  const { value } = service.emulator.createKey({ permissions: ["admin"] });
  expect(await hashOf(service, {}, {})).toBe(plainOf({ name: "web" }));
  expect(await hashOf(service, {}, {}, value)).toBe(plainOf({ name: "web" }));
});
