/** Running the tools that check, as separate processes. */
import { runProgram } from "../bootstrap/programs.cjs";
import type { Finding } from "./run-all";

/** A check that takes this long hangs. */
const TIMEOUT_MS = 300_000;

/**
 * Runs Node.js with a tool of the checkout: `["node_modules/eslint/bin/eslint.js", "."]`. Both its
 * streams are the output, and exit code 0 is success.
 */
export function tool(root: string, words: readonly string[]): Promise<Finding> {
  return command(root, process.execPath, words);
}

/** Runs any program below the checkout. */
export async function command(
  root: string,
  program: string,
  words: readonly string[],
): Promise<Finding> {
  const options = { cwd: root, env: process.env, timeoutMs: TIMEOUT_MS };
  const { code, output } = await runProgram(program, words, options);
  return { ok: code === 0, output };
}

/** One after the other, up to the first that fails. */
export async function inTurn(steps: readonly (() => Promise<Finding>)[]): Promise<Finding> {
  for (const step of steps) {
    const finding = await step();
    if (!finding.ok) return finding;
  }
  return { ok: true, output: "" };
}
