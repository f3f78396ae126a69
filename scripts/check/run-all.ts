/** Running independent checks, a few at a time, and the tools that they are made of. */
import { atATime } from "../../test/support/wait";
import { runProgram } from "../bootstrap/programs.cjs";

/** What a check came to. */
export interface Finding {
  readonly ok: boolean;
  /** For a person: what is wrong and where. */
  readonly output: string;
}

/** The same, with how long it took. */
export interface Outcome extends Finding {
  readonly ms: number;
}

/** Something that holds for the whole checkout. */
export interface Check {
  /** One word, to ask for it alone. */
  readonly name: string;
  /** What holds when it passes. */
  readonly about: string;
  /** What to do when it fails, as a sentence. */
  readonly remedy: string;
  /** What it found is worth reading when it passes, too. */
  readonly shows?: true;
  /** @param root the checkout */
  readonly run: (root: string) => Promise<Finding>;
}

/** How they are run. */
export interface Run {
  /** The checkout. */
  readonly root: string;
  /** How many at a time. */
  readonly width: number;
  /** Called as each check ends. */
  readonly onEnd: (check: Check, outcome: Outcome) => void;
  readonly nowMs?: () => number;
}

/** Runs all checks in their order, a few at a time; one that throws has failed. */
export async function runAll(
  checks: readonly Check[],
  { root, width, onEnd, nowMs = () => performance.now() }: Run,
): Promise<Map<string, Outcome>> {
  const outcomes = await atATime(width, checks, async (check) => {
    const started = nowMs();
    const finding = await check.run(root).catch((error: unknown): Finding => {
      return { ok: false, output: error instanceof Error ? error.message : String(error) };
    });
    const outcome = { ...finding, ms: nowMs() - started };
    onEnd(check, outcome);
    return [check.name, outcome] as const;
  });
  return new Map(outcomes);
}

/** `5.1 s` */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** A check that takes this long hangs. */
const TIMEOUT_MS = 900_000;

/** Runs Node.js with a tool of the checkout; both streams are output, and code 0 is success. */
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
