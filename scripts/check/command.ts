/** Running the tools that check, as processes of their own. */
import { spawn } from "node:child_process";
import type { Finding } from "./run-all";

/** No check takes this long; one that does hangs. */
const TIMEOUT_MS = 300_000;

/**
 * Runs Node.js with a tool of the checkout: `["node_modules/eslint/bin/eslint.js", "."]`. Both its
 * streams are the output, and exit code 0 is success.
 */
export function tool(root: string, words: readonly string[]): Promise<Finding> {
  return command(root, process.execPath, words);
}

/** Runs any program below the checkout. */
export function command(root: string, program: string, words: readonly string[]): Promise<Finding> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { cwd: root, timeout: TIMEOUT_MS });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.stderr.on("data", (part: Buffer) => parts.push(part));
    child.on("error", (error) => {
      resolve({ ok: false, output: `${program} could not be started: ${error.message}` });
    });
    child.on("close", (code, signal) => {
      const ended = code === null ? `\nIt was ended by ${String(signal)}.` : "";
      resolve({ ok: code === 0, output: `${Buffer.concat(parts).toString("utf8")}${ended}` });
    });
  });
}

/** One after the other, up to the first that fails. */
export async function inTurn(steps: readonly (() => Promise<Finding>)[]): Promise<Finding> {
  for (const step of steps) {
    const finding = await step();
    if (!finding.ok) return finding;
  }
  return { ok: true, output: "" };
}
