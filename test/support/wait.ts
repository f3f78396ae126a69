import type { ChildProcess } from "node:child_process";

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until it holds. @throws Error where it does not in 20 seconds */
export async function until(holds: () => unknown): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) {
    if (turn > 2_000) throw new Error(`it never holds: ${String(holds)}`);
    await pause(10);
  }
}

/** Works on all of them, `width` at a time. @returns what came of each, in their order */
export async function atATime<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item, worker: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries(); // One for all: each worker takes what comes next.
  const worker = async (_: unknown, own: number): Promise<void> => {
    for (const [at, item] of rest) results[at] = await work(item, own);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** Whether there is a process with this number. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What a process printed, and its exit code. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Waits for the end of a process. */
export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
