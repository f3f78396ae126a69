/** What a create leaves on disk before its request is sent: durable, private, and no way to guess. */
import { describe, expect, jest, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { OperationOptions } from "../../provider/engine";
import { identity } from "./crashes";
import { folder, given, type Service } from "../support/given";
import { callsOf, kind } from "./support";

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
  const service = await given();
  const { emulator } = service;
  const synced: { what: string; posts: number; named: number }[] = [];
  const restore = await onSync((what) => {
    const posts = callsOf(emulator, "POST", /servers/);
    synced.push({ what, posts, named: service.entries().length });
  });
  try {
    await service.engine().engine.create(server, { name: "web" }, { identity });
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
  const service = await given();
  const base = folder();
  const intents = join(base, "state", "intents");
  await service.engine({ intents }).engine.create(server, { name: "web" }, { identity });
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect([join(base, "state"), intents].map(modeOf)).toEqual([0o700, 0o700]);
  expect(readdirSync(intents).map((name) => modeOf(join(intents, name)))).toEqual([0o600]);
});

describe("the hash of a create's body on disk", () => {
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
  const secretly = { secret_properties: { pin: "1234" } };

  test.each([
    ["where the host gives an identity", {}, { identity }],
    ["where a property is secret", secretly, {}],
  ])(
    "the hash of a create's body is keyed with the API key, so that nobody guesses a secret by it, %s",
    async (_, inputs, options) => {
      const service = await given();
      const { value } = service.emulator.createKey({ permissions: ["admin"] });
      const hashes = [
        await hashOf(service, inputs, options),
        await hashOf(service, inputs, options, value),
      ];
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
});
