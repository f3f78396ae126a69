/** One run of `erphost import` a folder: two would mix what they keep and what they write. */
import type { Processes } from "../../provider/engine";
import type { PrivateFolder } from "./private-folder";

/** Names the process that works here. */
export const LOCK_FILE = "run";

const TRIES_MAX = 3;

/**
 * Works while no other run does. A killed run of this machine stops nobody.
 * @throws Error where another run works, or worked on another machine and never said that it ended
 */
export async function alone(
  folder: PrivateFolder | undefined,
  processes: Processes,
  work: () => Promise<void>,
): Promise<void> {
  if (!folder) return work();
  lock(folder, processes);
  try {
    await work();
  } finally {
    folder.remove(LOCK_FILE);
    folder.removeEmpty();
  }
}

function lock(folder: PrivateFolder, processes: Processes): void {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    if (folder.keepNew(LOCK_FILE, processes.self)) return;
    const owner = folder.text(LOCK_FILE) ?? "";
    if (processes.isElsewhere?.(owner) === true || processes.isAlive(owner)) break;
    folder.remove(LOCK_FILE);
  }
  throw new Error(
    `Another \`erphost import\` works in this folder, so nothing was read. Wait until it has ended. If none runs, on no machine, delete ${folder.path}/${LOCK_FILE}.`,
  );
}
