/** What an executable's Node.js runs first. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { sharedFolder } from "../support/folder";

const folder = sharedFolder();
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
  expect(unpacked("erphost-start-1")("remove", "a")).toBe("runs a\n");
  expect(existsSync(join(folder, "erphost-start-1"))).toBe(false);
});

test("no other folder is ever removed", () => {
  expect(unpacked("somebody-else")("remove")).toBe("runs\n");
  expect(existsSync(join(folder, "somebody-else"))).toBe(true);
});

test("a check of the version runs nothing", () => {
  expect(unpacked("check")("check")).toBe("");
});

describe("a first run", () => {
  const serving = `require("node:net").createServer((socket) => socket.destroy()).listen(0, function () {
  process.stdout.write(this.address().port + "\\n");
});`;
  const compile = (source_: string) => {
    const place = mkdtempSync(join(folder, "first-"));
    for (const name of ["start.cjs", "warm.cjs"]) cpSync(join(source, name), join(place, name));
    writeFileSync(join(place, "provider.cjs"), source_);
    const warmUp = { args: [], address: "^([0-9]+)", calls: [["/a.B/C", ""]] };
    writeFileSync(join(place, "warm-up.json"), JSON.stringify(warmUp));
    return spawnSync(process.execPath, [join(place, "start.cjs"), "compile"]);
  };

  test.each([
    ["throws", 'throw new Error("it is broken");', /^it is broken\n$/],
    ["needs what this Node.js lacks", 'require("node:nothing");', /No such built-in module/],
    ["fails later", 'setTimeout(() => { throw new Error("too late"); });', /^too late\n$/],
    ["rejects", 'void Promise.reject(new Error("refused"));', /^refused\n$/],
    ["complains and ends", 'process.stdout.write("no\\n"); process.exit(0);', /^no\n$/],
    ["just ends", "", /^$/],
  ])("a first run of a plugin that %s fails with the reason", (_, source_, reason) => {
    const { status, stdout, stderr } = compile(source_);
    expect({ status, stdout: String(stdout) }).toEqual({ status: 1, stdout: "" });
    expect(String(stderr)).toMatch(reason);
  });

  test.each([
    ["its calls fail", serving],
    ["it fails while it serves", `${serving} setTimeout(() => { throw new Error("x"); }, 300);`],
  ])("a plugin that has come up is compiled, even where %s", (_, source_) => {
    const { status, stdout } = compile(source_);
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(100);
  });
});
