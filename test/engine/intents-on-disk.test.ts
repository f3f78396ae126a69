/** What a create leaves on disk before its request is sent: durable, private, and no way to guess. */
import { describe, expect, jest, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { identity } from "./crashes";
import { callsOf, entriesOf, folder, kind, open, started, type Opening } from "./support";

const server = kind("server");

/** Runs `seen` whenever a file or a folder is synced to the disk. */
async function onSync(seen: (what: "file" | "folder") => void): Promise<() => void> {
  const handle = await openFile(__filename, "r");
  // The class is not exported; every handle has it.
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is bound where it is called.
  const { sync } = prototype;
  const spy = jest.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    seen((await this.stat()).isDirectory() ? "folder" : "file");
  });
  return () => spy.mockRestore();
}

test("a create's intent and its name are synced to the disk before the request is sent", async () => {
  const emulator = await started();
  const intents = folder();
  const synced: { what: string; posts: number; named: number }[] = [];
  const restore = await onSync((what) => {
    const posts = callsOf(emulator, "POST", /servers/);
    synced.push({ what, posts, named: entriesOf(intents).length });
  });
  try {
    await open({ emulator, intents }).engine.create(server, { name: "web" }, { identity });
  } finally {
    restore();
  }
  expect(synced).toEqual([
    { what: "file", posts: 0, named: 0 },
    { what: "folder", posts: 0, named: 1 },
  ]);
  expect(callsOf(emulator, "POST", /servers/)).toBe(1);
});

test("intents are in a folder and in files that only their owner can open", async () => {
  const emulator = await started();
  const base = folder();
  const intents = join(base, "state", "intents");
  await open({ emulator, intents }).engine.create(server, { name: "web" }, { identity });
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect([join(base, "state"), intents].map(modeOf)).toEqual([0o700, 0o700]);
  expect(readdirSync(intents).map((name) => modeOf(join(intents, name)))).toEqual([0o600]);
});

describe("the hash of a create's body", () => {
  /** As it is on disk after a create with this key. */
  async function hashOf(at: Opening, inputs: object, context: object): Promise<string | undefined> {
    const intents = folder();
    await open({ ...at, intents }).engine.create(server, { name: "web", ...inputs }, context);
    return entriesOf(intents)[0]?.bodyHash;
  }
  const plainOf = (body: object): string =>
    createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  const secretly = { secret_properties: { pin: "1234" } };

  test.each([
    ["where the host gives an identity", {}, { identity }],
    ["where a property is secret", secretly, {}],
  ])(
    "is keyed with the API key, so that nobody guesses a secret by it, %s",
    async (_, inputs, context) => {
      const emulator = await started();
      const { value } = emulator.createKey({ permissions: ["admin"] });
      const hashes = [
        await hashOf({ emulator }, inputs, context),
        await hashOf({ emulator, apiKey: value }, inputs, context),
      ];
      expect(hashes[0]).toMatch(/^[\w-]{43}$/);
      expect(hashes[1]).not.toBe(hashes[0]);
      expect(hashes).not.toContain(plainOf({ name: "web", pin: "1234" }));
      expect(hashes).not.toContain(plainOf({ name: "web" }));
    },
  );

  test("is the same for every API key where there is neither, so that a new key finds the intent", async () => {
    const emulator = await started();
    const { value } = emulator.createKey({ permissions: ["admin"] });
    expect(await hashOf({ emulator }, {}, {})).toBe(plainOf({ name: "web" }));
    expect(await hashOf({ emulator, apiKey: value }, {}, {})).toBe(plainOf({ name: "web" }));
  });
});
