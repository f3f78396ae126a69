/** A user's own key on this machine: it shows that an entry is this user's, whatever the API key is. */
import { link, lstat, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../client";
import { exposureOf, Folder, makePrivate } from "./files";

const KEY_BYTES = 32;
const OPEN_TO_OTHERS = 0o077;

export interface UserKeyParts {
  readonly file: string;
  readonly random: (bytes: number) => Buffer;
  readonly clock: Pick<Clock, "after">;
}

/**
 * Reads the key, or makes it. It is outside the folder of entries, so that whoever restores or shares
 * that folder has no key to sign entries with. Undefined where it can't be made or kept private: then
 * the API key alone shows whose an entry is.
 * @throws EngineError `intents_unreadable` where there is one: without it our own entries look foreign
 */
export async function userKey(parts: UserKeyParts): Promise<Buffer | undefined> {
  const folder = new Folder(dirname(parts.file), parts.clock);
  const look = () => exposureOf(folder.path).catch(ifDenied);
  const exposure = (await folder.need(folder.path, look)) ?? "none";
  if (exposure !== "none") return undefined;
  const key = await read(parts.file, folder);
  if (key) return key;
  await make(parts).catch(() => undefined); // Whether one is there is looked at.
  return read(parts.file, folder);
}

/** Where this user may not even look, as in the home of another one, it has made no key. */
function ifDenied(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EACCES" && error.code !== "ENOTDIR") throw error;
}

async function read(file: string, folder: Folder): Promise<Buffer | undefined> {
  const seen = await folder.need(file, () => lstat(file).catch(ifDenied));
  if (!seen?.isFile()) return undefined;
  const { getuid } = process;
  if (getuid && (seen.uid !== getuid() || (seen.mode & OPEN_TO_OTHERS) !== 0)) return undefined;
  const key = await folder.need(file, () => readFile(file));
  return key?.length === KEY_BYTES ? key : undefined;
}

/** Written under another name first: of several processes that make it, one wins, with a whole file. */
async function make({ file, random }: UserKeyParts): Promise<void> {
  await makePrivate(dirname(file));
  const own = `${file}.${random(8).toString("hex")}.tmp`;
  await writeFile(own, random(KEY_BYTES), { mode: 0o600, flag: "wx", flush: true });
  try {
    await link(own, file).catch(() => undefined); // Another process was faster.
  } finally {
    await unlink(own);
  }
}
