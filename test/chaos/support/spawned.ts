/** Commands in a process group of their own, with a time limit. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import type { Outcome } from "../faces/face";

export interface Spawned {
  readonly pid: number | undefined;
  readonly finished: Promise<Outcome>;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly kill: () => void;
}

export interface SpawnOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it prints is added here. */
  readonly log?: string;
  /** Default 5 minutes. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5 * 60_000;

/** Starts a program; a failure is an answer, not an exception. */
export function spawned(program: string, args: readonly string[], options: SpawnOptions): Spawned {
  const { cwd, env, log } = options;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
    if (log !== undefined) appendFileSync(log, chunk);
  };
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const finished = new Promise<Outcome>((resolve, reject) => {
    const timer = setTimeout(kill, options.timeoutMs ?? TIMEOUT_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
  return { pid: child.pid, finished, output: () => output, kill };
}
