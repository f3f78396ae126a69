import { beforeEach, describe, expect, test } from "@jest/globals";
import { chmodSync, existsSync, linkSync, lstatSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EmulatorOptions } from "../../emulator";
import { fileKey } from "../../emulator/store/data-file";
import { atEnd, folder as newFolder } from "../support/folder";
import { newEmulator, send } from "./support";

let folder = "";
beforeEach(() => void (folder = newFolder()));
const dataFile = () => join(folder, "state.db");

/** Starts on the data file; answers what was said besides. */
async function open(options: EmulatorOptions = {}) {
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  return { emulator: await newEmulator({ dataFile: dataFile(), warn, ...options }), warnings };
}

const sqlite = (sql: string) => {
  const database = new DatabaseSync(dataFile());
  database.exec(sql);
  database.close();
};

test("a data file in use is refused with the process that uses it", async () => {
  const { emulator } = await open();
  await expect(open()).rejects.toThrow(
    `the data file ${dataFile()} is in use by another emulator (process ${process.pid}). Stop that one first, or use another file.`,
  );
  await send(emulator, "POST /servers", { body: { name: "a" } });
  await emulator.close();
  expect((await open()).emulator.counts()["server"]).toBe(1);
});

test("a data file whose emulator died is opened, whatever process has its number now", async () => {
  const { emulator } = await open();
  await emulator.close();
  writeFileSync(`${dataFile()}.pid`, String(process.pid));
  expect((await open()).emulator.counts()["api_key"]).toBe(1);
});

describe("a file that cannot be used", () => {
  test.each([
    ["nowhere/state.db", /nowhere\/state\.db cannot be opened: its folder does not exist\. Use a/],
    [".", /is not a file\. Use the path of a file\./],
  ])("the data file %s is refused with its name and the reason", async (name, sentence) => {
    const path = name === "." ? folder : join(folder, name);
    await expect(open({ dataFile: path })).rejects.toThrow(sentence);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("a file that is not a database is refused and left as it is", async () => {
    writeFileSync(dataFile(), "a list of my servers, which took an evening to write");
    chmodSync(dataFile(), 0o644);
    await expect(open()).rejects.toThrow("is not a SQLite database. Use another file.");
    expect(statSync(dataFile()).mode & 0o777).toBe(0o644);
  });

  test("a database of another program is refused and left as it is", async () => {
    sqlite("CREATE TABLE objects (a); PRAGMA user_version = 1");
    await expect(open()).rejects.toThrow(/is a database of another program\. Use another file\.$/);
    sqlite("INSERT INTO objects VALUES (1)");
    expect(readdirSync(folder)).toEqual(["state.db"]);
  });

  test.each([".pid", ".key", "-wal"])("a link at FILE%s is not written through", async (end) => {
    const other = join(folder, "other");
    writeFileSync(other, "4242", { mode: 0o644 });
    for (const target of [other, join(folder, "new")]) {
      symlinkSync(target, dataFile() + end);
      await expect(open()).rejects.toThrow(`${dataFile()}${end} is a link. Remove the link`);
      rmSync(dataFile() + end);
    }
    linkSync(other, `${dataFile()}.pid`);
    await (await open()).emulator.close();
    expect(readFileSync(other, "utf8")).toBe("4242");
    expect(statSync(other).mode & 0o777).toBe(0o644);
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  test.each([
    [".key", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n"],
    [".key", "of a service"],
    [".pid", "4242\n"],
  ])("a FILE%s of another program is left as it is: %j", async (end, text) => {
    const file = dataFile() + end;
    writeFileSync(file, text);
    await expect(open()).rejects.toThrow(`${file} is not an emulator's. Move it, or use another`);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual([`state.db${end}`]);
  });

  test("a state of a newer emulator is refused and left as it is", async () => {
    await (await open()).emulator.close();
    sqlite("PRAGMA user_version = 2");
    await expect(open()).rejects.toThrow(
      "was written by a newer erphost: its state has version 2, and this one reads 1. Update erphost, or use another file.",
    );
    sqlite("PRAGMA user_version = 1");
    expect((await open()).emulator.opened.isNew).toBe(false);
  });
});

describe("who may read the state", () => {
  const modeOf = (name: string) => [name, statSync(join(folder, name)).mode & 0o777] as const;
  const modes = () => Object.fromEntries(readdirSync(folder).map(modeOf));
  const NEW = { "state.db": 0o600, "state.db-wal": 0o600, "state.db.key": 0o600 };

  test("only its owner can read the data file, its log and its key, whatever the umask", async () => {
    const umask = process.umask(0);
    atEnd(() => process.umask(umask));
    const { emulator } = await open();
    await send(emulator, "POST /servers", { body: { name: "a" } });
    expect(modes()).toEqual({ ...NEW, "state.db.pid": 0o600 });
  });

  test("a data file that others could read is closed to them", async () => {
    await (await open()).emulator.close();
    for (const name of ["state.db", "state.db.key"]) chmodSync(join(folder, name), 0o644);
    const { emulator } = await open();
    await send(emulator, "POST /servers", { body: { name: "a" } });
    expect(modes()).toMatchObject(NEW);
  });
});

describe("the admin key of a data file", () => {
  const GIVEN = "acme_live_0123456789abcdef";
  test.each([undefined, GIVEN])("a restart keeps the key, made or given: %s", async (given) => {
    const first = await open({ adminKey: given });
    await first.emulator.close();
    const { emulator, warnings } = await open();
    expect(first.emulator.adminKey).toMatch(given ?? /^erp_test_/);
    const { adminKey } = first.emulator;
    expect(emulator).toMatchObject({ adminKey, opened: { adminKey: "kept" } });
    expect(warnings).toEqual([]);
    expect((await send(emulator, "GET /auth/test")).body.data.key_id).toBe("key_1");
  });

  test("without its key file a state gets a new admin key, with a warning", async () => {
    const first = await open();
    await first.emulator.close();
    rmSync(`${dataFile()}.key`);
    const { emulator, warnings } = await open();
    expect(emulator.adminKey).not.toBe(first.emulator.adminKey);
    expect(emulator.opened.adminKey).toBe("new");
    expect(warnings).toEqual([expect.stringContaining("is a new one")]);
    expect((await send(emulator, "GET /auth/test")).body.data.key_id).toBe("key_1");
    const { adminKey: key } = first.emulator;
    expect((await send(emulator, "GET /auth/test", { key })).status).toBe(401);
  });

  test("a key file that is there and cannot be read is kept, and named", () => {
    const file = `${dataFile()}.key`;
    symlinkSync(file, file);
    const key = () => fileKey(dataFile(), (count) => Buffer.alloc(count));
    expect(key).toThrow(`${file} cannot be opened`);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  test("an admin key that has expired in the state is replaced, or reported where it was given", async () => {
    const { emulator } = await open();
    const given = emulator.adminKey;
    await send(emulator, "POST /api-keys/key_1/rotate");
    emulator.advance("2d");
    await emulator.close();
    const second = await open({ adminKey: given });
    expect(second.warnings).toEqual([expect.stringContaining("is no longer valid")]);
    await second.emulator.close();
    const third = await open();
    expect((await send(third.emulator, "GET /auth/test")).status).toBe(200);
    expect(third.warnings).toEqual([expect.stringContaining("is a new one")]);
  });
});

describe("the seed of a data file", () => {
  const seedOf = (name: string) => ({ objects: { server: [{ name }] } });
  const seed = seedOf("a");

  test("a seed that is the same as before says nothing", async () => {
    await (await open({ seed })).emulator.close();
    const { emulator, warnings } = await open({ seed: seedOf("a") });
    expect(emulator.opened).toMatchObject({ isNew: false, objectCount: 2, seed: "kept" });
    expect(warnings).toEqual([]);
  });

  test.each([[seed], [undefined]])("a seed that differs from %j is reported", async (before) => {
    await (await open({ seed: before })).emulator.close();
    const { emulator, warnings } = await open({ seed: seedOf("b") });
    expect(emulator.opened.seed).toBe("changed");
    expect(warnings).toEqual([
      expect.stringContaining(`the seed is not the one that ${dataFile()} was started with`),
    ]);
    expect(emulator.objects("server")).toHaveLength(before ? 1 : 0);
    emulator.reset();
    expect(emulator.objects("server")).toMatchObject([{ name: "b" }]);
    await emulator.close();
    expect((await open({ seed: seedOf("b") })).warnings).toEqual([]);
  });

  test("a seed that fails half way leaves nothing of itself", async () => {
    const faulty = { objects: { server: [{ name: "a" }, { name: 5 }] } };
    await expect(open({ seed: faulty })).rejects.toThrow("objects.server[1].name");
    const { emulator } = await open({ seed });
    expect(emulator.opened).toMatchObject({ isNew: true, seed: "planted" });
    expect(emulator.objects("server")).toMatchObject([{ id: "srv_1", name: "a" }]);
  });
});
