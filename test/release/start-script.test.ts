/** What an executable's Node.js runs first. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";

const folder = mkdtempSync(join(tmpdir(), "erphost-start-script-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = join(__dirname, "../../scripts/release/runtime");
const provider = 'console.log("runs", ...process.argv.slice(2));';

/** A folder with the scripts and a provider, like an unpacked one. */
function unpacked(name: string): (...words: string[]) => string {
  const place = join(folder, name, "scripts");
  cpSync(join(source, "start.cjs"), join(place, "start.cjs"));
  writeFileSync(join(place, "provider.cjs"), provider);
  const start = join(place, "start.cjs");
  return (...words) => {
    const { stdout, stderr } = spawnSync(process.execPath, [start, ...words], { encoding: "utf8" });
    return stdout + stderr;
  };
}

test("a compiled form that is damaged, or of another compiler, is not used and made again", () => {
  const run = unpacked("damaged");
  const compiled = join(folder, "compiled");
  writeFileSync(compiled, "not what a compiler produced");
  expect(run(compiled, "a", "b")).toBe("runs a b\n");
  expect(existsSync(compiled)).toBe(false);
  expect(run(compiled, "a")).toBe("runs a\n");
});

test("a private folder is gone before the plugin runs", () => {
  const run = unpacked("erphost-start-1");
  expect(run("remove", "a")).toBe("runs a\n");
  expect(existsSync(join(folder, "erphost-start-1"))).toBe(false);
});

test("no other folder is ever removed", () => {
  const run = unpacked("somebody-else");
  expect(run("remove")).toBe("runs\n");
  expect(existsSync(join(folder, "somebody-else"))).toBe(true);
});

test("a check of the version runs nothing", () => {
  expect(unpacked("check")("check")).toBe("");
});
