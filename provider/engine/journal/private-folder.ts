/** Folders that only this user can write to. */
import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;

/** How somebody else may have written to a folder. */
export type Exposure = "link" | "owner" | "mode";

/**
 * How somebody else may have written to this folder; undefined where it is this user's alone, or
 * is not there. Windows has neither owners nor modes here: there a user's folders are private.
 */
export async function exposureOf(folder: string): Promise<Exposure | undefined> {
  const seen = await lstat(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  });
  if (!seen) return undefined;
  if (seen.isSymbolicLink()) return "link";
  if (process.getuid === undefined) return undefined;
  if (seen.uid !== process.getuid()) return "owner";
  return (seen.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : "mode";
}

/**
 * Takes from others the leave to write to a folder of this user, which restored caches, shared
 * volumes and loose umasks give them. How it is exposed even so; undefined where it is private now.
 * Only for a folder whose content shows by itself that it is ours.
 */
export async function closeToOthers(folder: string): Promise<Exposure | undefined> {
  const exposure = await exposureOf(folder);
  if (exposure !== "mode") return exposure;
  // Whether it worked is looked at.
  await setPrivateMode(folder).catch(() => undefined);
  return exposureOf(folder);
}

/** Through a handle: a link that takes the folder's place meanwhile is not followed. */
async function setPrivateMode(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those above it, for this user alone. Node's own `recursive` never returns where
 * a file system denies that a folder exists and that it can be made, as `/proc` does.
 */
export async function makePrivate(folder: string): Promise<void> {
  const above = dirname(folder);
  try {
    await makeOne(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === folder) throw error;
    await makePrivate(above);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
}
