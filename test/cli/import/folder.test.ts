import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { Folder } from "../../../cli/import/folder";
import { alone, LOCK_FILE, PrivateFolder } from "../../../cli/import/private-folder";
import type { Processes } from "../../../provider/engine";
import { folder } from "../../support/given";
import { SECRET_PARTS, TEXT_FIELDS } from "../../support/secrets";
import { importing, NOTHING, SERVERS } from "./support";

const KEPT = ".erphost-import";
const BY_HAND = 'resource "erphost_server" "hand" {\n  name = "by hand"\n}\n';
const IMPORTED = `${BY_HAND}import {\n  to = erphost_server.hand\n  id = "srv_1"\n}\n`;

async function importingServer() {
  const here = await importing();
  here.emulator.createObjects("server", { name: "main" });
  return here;
}

describe("the folder of a program", () => {
  test("a file behind a link is read, and is neither replaced nor added to", async () => {
    const { emulator, out, run, refused, file, names } = await importing();
    emulator.createObjects("server", [{ name: "hand" }, { name: "new" }]);
    const shared = join(folder(), "servers.tf");
    writeFileSync(shared, IMPORTED);
    mkdirSync(out);
    symlinkSync(shared, join(out, "servers.tf"));
    expect(await refused(SERVERS, { code: 1 })).toContain("servers.tf is a link");
    expect(lstatSync(join(out, "servers.tf")).isSymbolicLink()).toBe(true);
    expect(readFileSync(shared, "utf8")).toBe(IMPORTED);
    expect(names().filter((name) => name.endsWith(".tf"))).toEqual(["servers.tf"]);
    emulator.createObjects("team", { name: "ops" });
    expect(await run(["--kind", "team"])).toMatchObject({ code: 0 });
    expect(await run([...SERVERS, "--name", "hand"])).toMatchObject(NOTHING);
    expect(file("imports.tf")).not.toContain("srv_1");
  });

  test("what somebody writes there while the account is read stays, and counts", async () => {
    const { emulator, out, run, file } = await importing();
    emulator.createObjects("server", [{ name: "hand" }, { name: "new" }]);
    writeFiles(out, { "servers.tf": "# Ours.\n" });
    // The clock is asked when the reading of the account begins, and later.
    const edit = (): number => {
      if (file("servers.tf") === "# Ours.\n") writeFileSync(join(out, "servers.tf"), IMPORTED);
      return Date.now();
    };
    expect(await run(SERVERS, { nowMs: edit })).toMatchObject({ code: 0 });
    expect(file("servers.tf")).toContain(BY_HAND);
    expect(file("imports.tf").match(/srv_\d/g)).toEqual(["srv_2"]);
  });

  test.each<readonly [string, string | undefined]>([
    ["that was edited", "before"],
    ["that appeared", undefined],
  ])("a file %s after it was read is not overwritten, nor is any other written", (_, text) => {
    const path = folder();
    writeFileSync(join(path, "servers.tf"), "edited");
    const before = new Map(text === undefined ? [] : [["servers.tf", text]]);
    const files = new Map(Object.entries({ "imports.tf": "new", "servers.tf": "before and more" }));
    const publish = (): void => new Folder(path).publish(files, before);
    expect(publish).toThrow(/servers\.tf is not what was read .* nothing was written/);
    expect(readdirSync(path)).toEqual(["servers.tf"]);
    expect(readFileSync(join(path, "servers.tf"), "utf8")).toBe("edited");
  });

  test("imports are written before the resources, without which a plan would create what exists", async () => {
    const { run } = await importingServer();
    const { out } = await run(SERVERS);
    const at = (name: string): number => out.findIndex((line) => line.trim() === name);
    expect(at("imports.tf")).toBeGreaterThan(0);
    expect(at("imports.tf")).toBeLessThan(at("servers.tf"));
  });

  test("a new folder is one that others can read, and is not there where nothing is taken over", async () => {
    const { emulator, out, run } = await importing();
    expect(await run(SERVERS)).toMatchObject(NOTHING);
    expect(existsSync(out)).toBe(false);
    emulator.createObjects("server", { name: "main" });
    expect((await run(SERVERS)).out[0]).toMatch(/^Wrote 1 object to /);
    if (process.platform === "win32") return;
    const usual = join(folder(), "usual");
    mkdirSync(usual);
    expect(statSync(out).mode).toBe(statSync(usual).mode);
  });

  test("a folder that cannot be looked at is not taken for an empty one", () => {
    const loop = join(folder(), "loop");
    symlinkSync(loop, loop);
    const program = new Folder(loop);
    expect(() => program.read(/./)).toThrow("ELOOP");
    expect(() => program.isThere()).toThrow("ELOOP");
  });

  test("a folder that cannot be made is refused, also where the system denies all of it", () => {
    const lost = join(folder(), "lost");
    symlinkSync(`${lost}.none`, lost);
    const denied = process.platform === "linux" ? ["/proc/a"] : [];
    const why = / cannot be made \(E/;
    for (const path of [join(lost, "program"), ...denied]) {
      expect(() => new PrivateFolder(join(path, KEPT)).keepNew("a", "")).toThrow(why);
      expect(() => new Folder(path).publish(new Map())).toThrow(why);
    }
  });

  test("a second run is refused while the first one works, and no longer", async () => {
    const here = new PrivateFolder(join(folder(), KEPT));
    const processes = { self: "1-1", isAlive: () => true };
    await alone(here, processes, async () => {
      const second = alone(here, processes, async () => undefined);
      await expect(second).rejects.toThrow(/Another `erphost import` works in this folder/);
    });
    expect(here.isThere()).toBe(false);
  });

  test.each<readonly [string, Pick<Processes, "isAlive" | "isElsewhere">, number]>([
    ["that works is left alone", { isAlive: () => true }, 1],
    ["on another machine is left alone", { isAlive: () => false, isElsewhere: () => true }, 1],
    ["that was killed stops nobody", { isAlive: () => false }, 0],
  ])("a run %s", async (_, others, code) => {
    const { out, run, names, calls } = await importingServer();
    writeFiles(out, { [join(KEPT, LOCK_FILE)]: "2-1" });
    expect(await run(SERVERS, { processes: { self: "1-1", ...others } })).toMatchObject({ code });
    expect(names().includes(KEPT)).toBe(code === 1);
    expect(calls()).toHaveLength(code === 1 ? 0 : 2);
  });
});

/** A folder of somebody's with a file and a folder in it, which must stay as they are. */
function precious() {
  const path = folder();
  const file = join(path, "reading.json");
  mkdirSync(join(path, "inner"));
  for (const each of [file, join(path, "servers-1.json"), join(path, "inner", "deep")]) {
    writeFileSync(each, "precious");
  }
  const read = (name: string): string => `${name}: ${readFileSync(join(path, name), "utf8")}`;
  const all = () => namesIn(path).map((name) => (name === "inner" ? name : read(name)));
  const before = all();
  return { path, file, expectKept: () => expect(all()).toEqual(before) };
}

const namesIn = (path: string) => readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
const HEADER = JSON.stringify({ begunMs: 1, reading: "[]" });

describe("what is in the folder and is not of an import", () => {
  type Their = ReturnType<typeof precious>;
  const write = (name: string, text: string) => (kept: string) =>
    writeFiles(kept, { [name]: text });
  /** A folder that an import would continue, and something in it. */
  const besides = (put: (kept: string, their: Their) => void) => (kept: string, their: Their) => {
    write("reading.json", HEADER)(kept);
    put(kept, their);
  };
  const linked = (name: string) =>
    besides((kept, { file }) => {
      rmSync(join(kept, name), { force: true });
      symlinkSync(file, join(kept, name));
    });

  test.each<readonly [string, (kept: string, their: Their) => void, string]>([
    ["a link", (kept, { path }) => symlinkSync(path, kept), "is a link, so nothing was read"],
    ["a file", (kept) => writeFileSync(kept, "mine"), "is not a folder"],
    ["a folder with a file of no import", write("notes.txt", "mine"), "holds notes.txt, which"],
    ["a script with the name of the lock", write(LOCK_FILE, "#!/bin/sh\n"), "holds run, which"],
    ["a list of somebody's", write(".gitignore", "*.tmp\n"), "holds .gitignore, which"],
    ["a file of no list", besides(write("notes-1.json", "mine")), "holds notes-1.json, which"],
    ["pages of nobody knows what", write("servers-1.json", "{}"), "has no reading.json that"],
    ["pages of something else", write("reading.json", "{}"), "has no reading.json that"],
    ["a link in place of a page", linked("servers-1.json"), "holds servers-1.json, which"],
    ["a link in place of the header", linked("reading.json"), "holds reading.json, which"],
    ["a link in place of the lock", linked(LOCK_FILE), "holds run, which"],
    ["a link in place of a draft", linked("reading.json.part"), "holds reading.json.part, which"],
    [
      "a folder with the name of a page",
      besides((kept) => mkdirSync(join(kept, "servers-1.json"))),
      "holds servers-1.json, which",
    ],
  ])("%s in place of what was kept is refused before any call, and stays", async (_, put, why) => {
    const { out, refused, calls } = await importingServer();
    const their = precious();
    mkdirSync(out);
    put(join(out, KEPT), their);
    const names = namesIn(out);
    expect(await refused(SERVERS, { code: 1 })).toContain(why);
    expect(calls()).toEqual([]);
    expect(namesIn(out)).toEqual(names);
    their.expectKept();
  });

  test("a folder of another user is refused", async () => {
    if (process.getuid === undefined) return;
    const { out, refused, calls } = await importing();
    write("reading.json", HEADER)(join(out, KEPT));
    const getuid = jest.spyOn(process, "getuid").mockReturnValue(process.getuid() + 1);
    const said = await refused(SERVERS, { code: 1 });
    getuid.mockRestore();
    expect(said).toMatch(/ belongs to another user, so nothing was read/);
    expect(calls()).toEqual([]);
    expect(readdirSync(join(out, KEPT))).toEqual(["reading.json"]);
  });

  test("a link that takes the place of the folder during a run is not followed", async () => {
    const { out, refused } = await importingServer();
    const their = precious();
    // The clock is asked when the reading begins, once the run has its folder.
    const swap = (): number => {
      if (!existsSync(join(out, "away"))) {
        renameSync(join(out, KEPT), join(out, "away"));
        symlinkSync(their.path, join(out, KEPT));
      }
      return Date.now();
    };
    const said = await refused(SERVERS, { code: 1, nowMs: swap });
    expect(said).toMatch(/ is a link, so nothing was read or removed/);
    their.expectKept();
  });

  test("nothing is written through links next to the files, and these stay", async () => {
    const { out, run, names } = await importingServer();
    const their = precious();
    mkdirSync(out);
    const files = ["erphost-import.json", "imports.tf", "servers.tf", "versions.tf"];
    for (const name of files) symlinkSync(their.file, join(out, `${name}.part`));
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    their.expectKept();
    expect(names()).toEqual([...files, ...files.map((name) => `${name}.part`)].sort());
    expect(files.filter((name) => !lstatSync(join(out, name)).isFile())).toEqual([]);
  });

  test.each([
    ["the record", "erphost-import.json", "reading.json"],
    ["a file of the program", "imports.tf", "absent"],
  ])("%s is not written through a link in its place", async (_, name, to) => {
    const { out, refused } = await importingServer();
    const their = precious();
    mkdirSync(out);
    symlinkSync(join(their.path, to), join(out, name));
    expect(await refused(SERVERS, { code: 1 })).toContain(`${name} is a link`);
    their.expectKept();
    expect(readdirSync(out).filter((each) => each !== KEPT)).toEqual([name]);
  });

  test("the folder that --out names may be a link, which stays", async () => {
    const { out, run, names } = await importingServer();
    symlinkSync(folder(), out);
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(names()).toContain("servers.tf");
    expect(names()).not.toContain(KEPT);
    expect(lstatSync(out).isSymbolicLink()).toBe(true);
  });

  test("drafts that a killed run left are removed, and nothing that only resembles one", async () => {
    const { out, run, names } = await importingServer();
    mkdirSync(out);
    const others = ["notes.txt.0123456789abcdef.part", "servers.tf.part"];
    for (const name of ["servers.tf.0123456789abcdef.part", ...others]) {
      writeFileSync(join(out, name), "half");
    }
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(names().filter((name) => name.endsWith(".part"))).toEqual(others);
  });

  test("what an earlier version kept is continued, without what looks like a secret by now", async () => {
    const { emulator, out, run, file, names, calls } = await importing();
    const servers = Array.from({ length: 150 }, (_, index) => ({ name: `server-${index}` }));
    emulator.createObjects("server", servers);
    const effect = { type: "status", status: 422 } as const;
    emulator.setFaults([{ match: { path: "/servers" }, skip: 1, effect }]);
    expect(await run([...SERVERS, "--property", "*"])).toMatchObject({ code: 1 });
    emulator.setFaults([]);
    calls();
    const page = join(out, KEPT, "servers-1.json");
    const [before, ...after] = readFileSync(page, "utf8").split('"properties":{}');
    const texts = `"properties":${JSON.stringify(TEXT_FIELDS)}`;
    writeFileSync(page, before + texts + after.join('"properties":{}'));
    writeFileSync(join(out, KEPT, "servers-2.json.part"), '{"rec');
    expect(await run([...SERVERS, "--property", "*"])).toMatchObject({ code: 0 });
    expect(calls()).toEqual(["GET /auth/test", "GET /servers"]);
    expect(file("servers.tf")).toContain("plain_0");
    expect(SECRET_PARTS.filter((part) => file("servers.tf").includes(part))).toEqual([]);
    expect(names()).not.toContain(KEPT);
  });
});
