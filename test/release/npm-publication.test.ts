/** What a release hands to npm, and what it does when it is run again. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const script = join(__dirname, "../../scripts/publish/npm.cjs");
/** Has what was published, and refuses what is in the list of refusals. */
const NPM = `#!/bin/sh
case "$1" in
  view) grep -qx "$2" "$AT/published" && echo 1.0.0 ;;
  publish)
    name=$(tar -xzOf "$2" package/package.json | sed 's/.*"name":"\\([^"]*\\)","version":"\\([^"]*\\)".*/\\1@\\2/')
    grep -qx "$name" "$AT/published" && { echo "403 already there" >&2; exit 1; }
    grep -qx "$name" "$AT/refused" && { echo "503 try later" >&2; exit 1; }
    echo "$name" >> "$AT/published"
    echo "$@" >> "$AT/log" ;;
esac
`;

let folder: string;
const at = (path: string): string => join(folder, path);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-npm-test-"));
  for (const path of ["bin", "npm", "package"]) mkdirSync(at(path));
  writeFileSync(at("bin/npm"), NPM, { mode: 0o755 });
  for (const file of ["published", "refused", "log"]) writeFileSync(at(file), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pack(name: string): void {
  writeFileSync(at("package/package.json"), JSON.stringify({ name, version: "1.0.0" }));
  execFileSync("tar", ["-czf", at(`npm/${name}.tgz`), "-C", folder, "package"]);
}

const publish = () =>
  spawnSync(process.execPath, [script, at("npm")], {
    encoding: "utf8",
    env: { ...process.env, AT: folder, PATH: [at("bin"), process.env["PATH"]].join(delimiter) },
  });
const published = (): string[] => readFileSync(at("published"), "utf8").split("\n").filter(Boolean);

test("every archive is published, with its provenance and for everybody", () => {
  pack("first");
  pack("second");
  expect(publish()).toMatchObject({ status: 0 });
  expect(published()).toEqual(["first@1.0.0", "second@1.0.0"]);
  expect(readFileSync(at("log"), "utf8")).toMatch(/first\.tgz --provenance --access public/);
});

test("a publication that ended half way is finished by running it again", () => {
  pack("first");
  pack("second");
  writeFileSync(at("refused"), "second@1.0.0\n");
  const half = publish();
  expect([half.status, half.stderr]).toEqual([1, expect.stringContaining("second@1.0.0: 503")]);
  writeFileSync(at("refused"), "");
  const whole = publish();
  expect(whole).toMatchObject({ status: 0 });
  expect(whole.stdout).toContain("first@1.0.0 is published already.");
  expect(published()).toEqual(["first@1.0.0", "second@1.0.0"]);
});

test("a folder without archives is refused", () => {
  expect(publish()).toMatchObject({ status: 1, stderr: expect.stringContaining("no archive") });
});
