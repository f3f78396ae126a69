/** Everything that a release consists of, built as a maintainer builds it. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { lastLines, runProgram } from "../../scripts/bootstrap/programs.cjs";
import { copyCheckout } from "../../scripts/check/tracked";

const ROOT = join(__dirname, "..", "..");
const BUILD_MS_MAX = 30 * 60_000;

/** Where `npm run build:…` writes. */
export const DIST = join(ROOT, "dist");
export const PULUMI = join(DIST, "pulumi-plugin");

/** Packs the npm package from a copy that has nothing built, as a fresh clone. @returns the archive */
export async function packPackage(folder: string): Promise<string> {
  const copy = join(folder, "clone");
  mkdirSync(copy, { recursive: true });
  copyCheckout(ROOT, copy);
  return pack(copy, folder);
}

/** Packs what the checkout has built already. @returns the archive */
export async function packBuilt(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  return pack(ROOT, folder, "--ignore-scripts");
}

async function pack(from: string, to: string, ...options: readonly string[]): Promise<string> {
  const words = ["pack", "--silent", "--pack-destination", to, ...options];
  await must("npm", words, { cwd: from });
  const name = readdirSync(to).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack writes no archive");
  return join(to, name);
}

/** Runs a task of the checkout: `build:terraform`. */
export async function runTask(
  task: string,
  words: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const command = [join(ROOT, "scripts", "run.cjs"), task, ...words];
  await must(process.execPath, command, { cwd: ROOT, env });
}

async function must(
  program: string,
  words: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<void> {
  const options = { cwd, env: { ...process.env, ...env }, timeoutMs: BUILD_MS_MAX };
  const { code, output } = await runProgram(program, words, options);
  if (code === 0) return;
  throw new Error(`${program} ${words.join(" ")} failed:\n${lastLines(output, 30)}`);
}
