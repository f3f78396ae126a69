import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { copyScripts, createSandbox, linesOf, run, type Sandbox } from "./support/run";

/** Replaces `npm ci`: installs a Node.js that prints what it is asked to run. */
const NPM = `
echo "$*" >> "$HOME/calls"
rm -rf node_modules
mkdir -p node_modules/.bin
cp "$HOME/fake-node" node_modules/.bin/node
sleep "\${NPM_SECONDS:-0}"
`;

const FAKE_NODE = `#!/bin/sh
if [ "$1" = --version ]; then echo v24.0.0; else echo "ran $*"; fi
`;

let sandbox: Sandbox;
let root: string;

beforeEach(() => {
  sandbox = createSandbox();
  root = join(sandbox.folder, "checkout");
  copyScripts(root);
  writeFileSync(join(sandbox.folder, "fake-node"), FAKE_NODE, { mode: 0o755 });
  writeFileSync(join(root, "package.json"), JSON.stringify({ engines: { node: ">=22.19.0" } }));
  sandbox.addProgram("npm", NPM);
  writeLockFile("1.0.0");
});

/** As package-lock.json has it, and as npm writes it to node_modules when it is done. */
function writeLockFile(version: string, name = "package-lock.json"): void {
  const packages = { "": {}, "node_modules/one": { version, integrity: `sha512-${version}` } };
  writeFileSync(join(root, name), JSON.stringify({ packages }));
}

const npmCalls = (): string[] => linesOf(join(sandbox.folder, "calls"));
const check = () => run(["check", "word"], sandbox.env, root);

test("missing dependencies are installed, and then left alone, silently", async () => {
  const outcome = await check();
  const stdout = "ran -r ts-node/register scripts/check.ts word\n";
  expect(outcome).toMatchObject({ code: 0, stdout });
  expect(outcome.stderr).toMatch(/installing dependencies .* …\n/);
  expect(npmCalls()).toEqual([expect.stringMatching(/^ci --include=dev /)]);
  expect(await check()).toMatchObject({ code: 0, stderr: "" });
  expect(npmCalls()).toHaveLength(1);
});

test("dependencies are installed again when the lock file changed, and when their Node.js is gone", async () => {
  await check();
  writeLockFile("2.0.0");
  await check();
  expect(npmCalls()).toHaveLength(2);
  rmSync(join(root, "node_modules/.bin/node"));
  await check();
  expect(npmCalls()).toHaveLength(3);
});

test.each([
  ["from the lock file are used as they are", "1.0.0", 0],
  ["in other versions are installed again", "0.9.0", 1],
])("dependencies that npm itself installed %s", async (_, version, calls) => {
  writeFiles(root, { "node_modules/.bin/node": FAKE_NODE }, 0o755);
  writeLockFile(version, "node_modules/.package-lock.json");
  expect(await check()).toMatchObject({ code: 0, ...(calls === 0 && { stderr: "" }) });
  expect(npmCalls()).toHaveLength(calls);
});

test("dependencies are installed once for two commands at the same time", async () => {
  sandbox.env.NPM_SECONDS = "0.5";
  expect((await Promise.all([check(), check()])).map(({ code }) => code)).toEqual([0, 0]);
  expect(npmCalls()).toHaveLength(1);
});

test("a failed installation is reported in the words of npm, and tried again next time", async () => {
  sandbox.addProgram("npm", 'echo "npm error code E_OFFLINE" >&2; exit 1');
  const stderr = expect.stringContaining("npm error code E_OFFLINE");
  expect(await check()).toMatchObject({ code: 1, stdout: "", stderr });
  sandbox.addProgram("npm", NPM);
  expect(await check()).toMatchObject({ code: 0 });
});

test("a lock file that npm refuses is never installed in another way", async () => {
  const complaint = "npm error Missing: fast-elsewhere@1.0.0 from lock file";
  sandbox.addProgram("npm", `echo "$1" >> "$HOME/calls"; echo "${complaint}" >&2; exit 1`);
  const stderr = expect.stringContaining("Missing: fast-elsewhere@1.0.0 from lock file");
  expect(await check()).toMatchObject({ code: 1, stdout: "", stderr });
  expect(npmCalls()).toEqual(["ci"]);
});

test("Node.js comes from its install script where npm skipped that", async () => {
  const npm = `mkdir -p node_modules/node node_modules/.bin
      cp "$HOME/get.js" node_modules/node/installArchSpecificPackage.js`;
  sandbox.addProgram("npm", npm);
  const get = `require('node:fs').cpSync(process.env.HOME + '/fake-node', '../.bin/node')`;
  writeFileSync(join(sandbox.folder, "get.js"), get);
  expect(await check()).toMatchObject({ code: 0 });
});
