/** A folder of files that only this user may read, below one that others may write to. */
import { lstatSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Processes } from "../../provider/engine";
import { draftOf, Folder, isOurs, makeFolder, unlinked } from "./folder";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * May not exist yet. Before each step it is looked at: where it is a link, or another user's, the
 * step is refused. Files are made under names that are free and removed one by one, so that a link
 * which takes the place of one meanwhile is not followed either.
 */
export class PrivateFolder extends Folder {
  /** @throws Error that says why nothing was done with it, and what to do */
  refuse(why: string): never {
    throw new Error(
      `${this.path} ${why}, so nothing was read or removed: an import keeps there what it has read of the account, and removes it at the end. Move it away, or use another --out.`,
    );
  }

  private isOwn(): boolean {
    const stat = lstatSync(this.path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink()) return this.refuse("is a link");
    if (!stat.isDirectory()) return this.refuse("is not a folder");
    return isOurs(stat) || this.refuse("belongs to another user");
  }

  override text(name: string): string | undefined {
    return this.isOwn() ? super.text(name) : undefined;
  }

  names(): string[] {
    return this.isOwn() ? readdirSync(this.path) : [];
  }

  /** Keeps a text in place of what has that name. */
  keep(name: string, text: string): void {
    this.make();
    const path = join(this.path, name);
    const draft = draftOf(path, text, PRIVATE_FILE);
    try {
      renameSync(draft, path);
    } finally {
      unlinked(draft);
    }
  }

  /** Keeps a text like `keep`, unless there is one already; false: there is. */
  keepNew(name: string, text: string): boolean {
    this.make();
    try {
      writeFileSync(join(this.path, name), text, { mode: PRIVATE_FILE, flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  }

  /** Folders above it are not private: the program is in them. */
  private make(): void {
    if (this.isOwn()) return;
    makeFolder(dirname(this.path));
    makeFolder(this.path, PRIVATE_FOLDER);
    // Somebody else may have been faster.
    this.isOwn();
  }

  remove(name: string): void {
    if (this.isOwn()) unlinked(join(this.path, name));
  }

  override removeEmpty(): void {
    if (this.isOwn()) super.removeEmpty();
  }
}

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
