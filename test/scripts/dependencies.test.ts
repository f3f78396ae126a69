import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createSandbox, ROOT, run, type Outcome, type Sandbox } from "./support/run";

/** Stands for `npm ci`: what it leaves is a Node.js that says what it was asked to run. */
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
  for (const part of [
    "scripts/run.cjs",
    "scripts/tasks.cjs",
    "scripts/bootstrap",
    "scripts/engines",
  ]) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  writeFileSync(join(sandbox.folder, "fake-node"), FAKE_NODE, { mode: 0o755 });
  sandbox.addProgram("npm", NPM);
  writeLockFile("1.0.0");
});

afterEach(() => {
  sandbox.remove();
});

function writeLockFile(version: string): void {
  const packages = { "": {}, "node_modules/one": { version, integrity: `sha512-${version}` } };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
}

/** Lets `npm ci` fail as it does when the lock file is without a package. */
function refuseLockFile(missing: string): void {
  const complaint = `npm error Missing: ${missing}@1.0.0 from lock file`;
  sandbox.addProgram("npm", `if [ "$1" = ci ]; then echo "${complaint}" >&2; exit 1; fi\n${NPM}`);
  const packages = {
    "": {},
    "node_modules/one": { optionalDependencies: { "fast-elsewhere": "1" } },
  };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
}

/** What npm writes into node_modules when it is done. */
function writeInstalledRecord(version: string): void {
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(root, "node_modules/.bin/node"), FAKE_NODE, { mode: 0o755 });
  const packages = { "node_modules/one": { version, integrity: `sha512-${version}` } };
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
}

function npmCalls(): string[] {
  const file = join(sandbox.folder, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function check(): Promise<Outcome> {
  return run(["check", "word"], sandbox.env, root);
}

describe("dependencies", () => {
  test("are installed where there are none, and the task runs", async () => {
    const outcome = await check();
    expect(outcome).toMatchObject({
      code: 0,
      stdout: "ran -r ts-node/register scripts/check.ts word\n",
    });
    expect(outcome.stderr).toMatch(/installing dependencies .* …\n/);
    expect(npmCalls()).toEqual([expect.stringMatching(/^ci --include=dev /)]);
  });

  test("are left alone the second time, without a word", async () => {
    await check();
    expect(await check()).toMatchObject({ code: 0, stderr: "" });
    expect(npmCalls()).toHaveLength(1);
  });

  test("are installed again when the lock file changed", async () => {
    await check();
    writeLockFile("2.0.0");
    await check();
    expect(npmCalls()).toHaveLength(2);
  });

  test("are installed again when Node.js is gone from them", async () => {
    await check();
    rmSync(join(root, "node_modules/.bin/node"));
    await check();
    expect(npmCalls()).toHaveLength(2);
  });

  test("are taken as they are when npm itself installed what the lock file says", async () => {
    writeInstalledRecord("1.0.0");
    expect(await check()).toMatchObject({ code: 0, stderr: "" });
    expect(npmCalls()).toEqual([]);
  });

  test("are installed again when npm installed something else", async () => {
    writeInstalledRecord("0.9.0");
    await check();
    expect(npmCalls()).toHaveLength(1);
  });

  test("are installed once for two commands at the same time", async () => {
    sandbox.env.NPM_SECONDS = "1";
    const outcomes = await Promise.all([check(), check()]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmCalls()).toHaveLength(1);
  });

  test("that cannot be installed are told with the words of npm, and tried again", async () => {
    sandbox.addProgram("npm", 'echo "npm error code E_OFFLINE" >&2; exit 1');
    const outcome = await check();
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toContain("npm error code E_OFFLINE");
    sandbox.addProgram("npm", NPM);
    expect(await check()).toMatchObject({ code: 0 });
  });

  test("come from a lock file that lacks only packages for other platforms", async () => {
    refuseLockFile("fast-elsewhere");
    expect(await check()).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual([expect.stringMatching(/^install --no-save /)]);
  });

  test("do not come from a lock file that lacks more than that", async () => {
    refuseLockFile("needed");
    const outcome = await check();
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toContain("Missing: needed@1.0.0 from lock file");
    expect(npmCalls()).toEqual([]);
  });

  test("without a Node.js get one from the install script that npm skipped", async () => {
    sandbox.addProgram(
      "npm",
      'mkdir -p node_modules/node node_modules/.bin; cp "$HOME/get.js" \
      node_modules/node/installArchSpecificPackage.js',
    );
    writeFileSync(
      join(sandbox.folder, "get.js"),
      `require('node:fs').cpSync(process.env.HOME + '/fake-node', '../.bin/node')`,
    );
    expect(await check()).toMatchObject({ code: 0 });
  });
});
