import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { findProgram } from "../../../scripts/bootstrap/programs.cjs";
import { folder as newFolder } from "../../support/folder";
import { outcomeOf } from "../../support/wait";

export const ROOT = resolve(__dirname, "../../..");

/** A folder that is deleted after the test, with a separate PATH that has no engine on it. */
export type Sandbox = ReturnType<typeof createSandbox>;

const TOOLS = ["cat", "cp", "gzip", "ln", "mkdir", "rm", "sh", "sleep", "tar", "touch"];

/** Makes a sandbox whose PATH knows a few tools of the system and nothing else. */
export function createSandbox() {
  const folder = newFolder();
  const bin = join(folder, "bin");
  const cache = join(folder, "cache");
  mkdirSync(bin);
  for (const tool of TOOLS) symlinkSync(whereIs(tool), join(bin, tool));
  return {
    folder,
    cache,
    env: { PATH: bin, HOME: folder, ERPHOST_CACHE_DIR: cache } as NodeJS.ProcessEnv,
    /** Puts a shell script on the sandbox's PATH. */
    addProgram(name: string, script: string): void {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
  };
}

/** What run.cjs consists of. */
const SCRIPTS = ["scripts/run.cjs", "scripts/tasks.cjs", "scripts/bootstrap", "scripts/engines"];

/** Copies run.cjs with all that it loads into a folder, which a test may then change. */
export function copyScripts(target: string): void {
  for (const part of SCRIPTS) cpSync(join(ROOT, part), join(target, part), { recursive: true });
  // They load it once npm has installed it, which tests often only pretend.
  mkdirSync(join(target, "scripts/node_modules"));
  symlinkSync(join(ROOT, "node_modules/semver"), join(target, "scripts/node_modules/semver"));
}

/** The same with the dependencies of this checkout, so that a task runs without installing any. */
export function copyPrepared(target: string): void {
  copyScripts(target);
  for (const name of ["package.json", "package-lock.json"]) {
    cpSync(join(ROOT, name), join(target, name));
  }
  // A folder of its own: building the package puts a link to the checkout into it.
  const packages = join(target, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === "erphost") continue;
    symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
}

function whereIs(tool: string): string {
  const file = findProgram(tool, ["/bin", "/usr/bin", process.env.PATH].join(delimiter));
  if (file === undefined) throw new Error(`these tests need ${tool} on PATH`);
  return file;
}

/** Starts `run.cjs` of a checkout; end it, or wait with `outcomeOf`. */
export function startRun(words: readonly string[], env: NodeJS.ProcessEnv, root = ROOT) {
  return spawn(process.execPath, [join(root, "scripts/run.cjs"), ...words], { cwd: root, env });
}

/** Runs `run.cjs` to its end. */
export const run = (words: readonly string[], env: NodeJS.ProcessEnv, root = ROOT) =>
  outcomeOf(startRun(words, env, root));

/** Lines of a file that a program has written; none where it is not there. */
export const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
