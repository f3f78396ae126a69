import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { alone, LOCK_FILE } from "../../../cli/import/alone";
import { Folder } from "../../../cli/import/folder";
import type { Processes } from "../../../provider/engine";
import { folder } from "../../support/given";
import { importing } from "./support";

const KEPT = ".erphost-import";
const BY_HAND = 'resource "erphost_server" "hand" {\n  name = "by hand"\n}\n';

describe("the folder of a program", () => {
  test("a file behind a link is read, and is neither replaced nor added to", async () => {
    const { service, out, run, file, names } = await importing();
    const { emulator } = service;
    emulator.createObjects("server", [{ name: "hand" }, { name: "new" }]);
    const shared = join(folder(), "servers.tf");
    const imported = `${BY_HAND}import {\n  to = erphost_server.hand\n  id = "srv_1"\n}\n`;
    writeFileSync(shared, imported);
    mkdirSync(out);
    symlinkSync(shared, join(out, "servers.tf"));
    const refused = await run(["--kind", "server"]);
    expect(refused.code).toBe(1);
    expect(refused.err.join("\n")).toContain("servers.tf is a link");
    expect(lstatSync(join(out, "servers.tf")).isSymbolicLink()).toBe(true);
    expect(readFileSync(shared, "utf8")).toBe(imported);
    expect(names().filter((name) => name.endsWith(".tf"))).toEqual(["servers.tf"]);
    emulator.createObjects("team", { name: "ops" });
    expect(await run(["--kind", "team"])).toMatchObject({ code: 0 });
    expect(await run(["--kind", "server", "--name", "hand"])).toMatchObject({
      out: ["There is nothing to take over."],
    });
    expect(file("imports.tf")).not.toContain("srv_1");
  });

  test("what somebody writes there while the account is read stays, and counts", async () => {
    const { service, out, run, file } = await importing();
    const { emulator } = service;
    emulator.createObjects("server", [{ name: "hand" }, { name: "new" }]);
    mkdirSync(out);
    writeFileSync(join(out, "servers.tf"), "# Ours.\n");
    let isEdited = false;
    const edit = (): number => {
      if (!isEdited) {
        isEdited = true;
        writeFileSync(
          join(out, "servers.tf"),
          `${BY_HAND}import {\n  to = erphost_server.hand\n  id = "srv_1"\n}\n`,
        );
      }
      return Date.now();
    };
    // The clock is asked when the reading of the account begins.
    expect(await run(["--kind", "server"], { nowMs: edit })).toMatchObject({ code: 0 });
    expect(isEdited).toBe(true);
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
    const files = new Map([
      ["imports.tf", "new"],
      ["servers.tf", "before, and more"],
    ]);
    const publish = (): void => new Folder(path).publish(files, before);
    expect(publish).toThrow(/servers\.tf is not what was read .* nothing was written/);
    expect(readdirSync(path)).toEqual(["servers.tf"]);
    expect(readFileSync(join(path, "servers.tf"), "utf8")).toBe("edited");
  });

  test("imports are written before the resources, without which a plan would create what exists", async () => {
    const { service, run } = await importing();
    service.emulator.createObjects("server", { name: "main" });
    const { out } = await run(["--kind", "server"]);
    const at = (name: string): number => out.findIndex((line) => line.trim() === name);
    expect(at("imports.tf")).toBeGreaterThan(0);
    expect(at("imports.tf")).toBeLessThan(at("servers.tf"));
  });

  test("a new folder is one that others can read, and is not there where nothing is taken over", async () => {
    const { service, out, run } = await importing();
    expect(await run(["--kind", "server"])).toMatchObject({
      code: 0,
      out: ["There is nothing to take over."],
    });
    expect(existsSync(out)).toBe(false);
    service.emulator.createObjects("server", { name: "main" });
    const written = await run(["--kind", "server"]);
    expect(written.out[0]).toMatch(/^Wrote 1 object to /);
    if (process.platform === "win32") return;
    const usual = join(folder(), "usual");
    mkdirSync(usual);
    expect(statSync(out).mode).toBe(statSync(usual).mode);
  });

  test("a second run is refused while the first one works, and no longer", async () => {
    const here = new Folder(join(folder(), KEPT));
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
    const { service, out, run, names, calls } = await importing();
    service.emulator.createObjects("server", { name: "main" });
    mkdirSync(join(out, KEPT), { recursive: true });
    writeFileSync(join(out, KEPT, LOCK_FILE), "2-1");
    const processes = { self: "1-1", ...others };
    expect(await run(["--kind", "server"], { processes })).toMatchObject({ code });
    expect(names().includes(KEPT)).toBe(code === 1);
    expect(calls()).toHaveLength(code === 1 ? 0 : 2);
  });
});
