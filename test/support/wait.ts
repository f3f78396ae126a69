export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until it holds. @throws Error where it does not in 20 seconds */
export async function until(holds: () => unknown): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) {
    if (turn > 2_000) throw new Error(`it never holds: ${String(holds)}`);
    await pause(10);
  }
}

/** Whether there is a process with this number. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
