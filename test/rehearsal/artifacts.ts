/** What the checkout builds for a release, as a maintainer builds it. */
import { join } from "node:path";
import { lastLines, runProgram } from "../../scripts/bootstrap/programs.cjs";

export const ROOT = join(__dirname, "..", "..");
const BUILD_MS_MAX = 30 * 60_000;

/** Where `npm run build:…` writes. */
export const DIST = join(ROOT, "dist");
export const PULUMI = join(DIST, "pulumi-plugin");

/** Runs a task of the checkout: `build:terraform`. */
export async function runTask(
  task: string,
  words: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const command = [join(ROOT, "scripts", "run.cjs"), task, ...words];
  const { code, output } = await runProgram(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    timeoutMs: BUILD_MS_MAX,
  });
  if (code === 0) return;
  throw new Error(`${[task, ...words].join(" ")} failed:\n${lastLines(output, 30)}`);
}
