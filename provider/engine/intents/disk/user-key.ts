/** A user's own key on this machine: it shows that an intent is this user's, whatever the API key is. */
import { link, lstat, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { exposureOf, makePrivate } from "./private-folder";

const KEY_BYTES = 32;
const OPEN_TO_OTHERS = 0o077;

/** Where the key is, and what a new one is made of. */
export interface UserKeyParts {
  readonly file: string;
  /** That many random bytes. */
  readonly random: (bytes: number) => Buffer;
}

/**
 * Reads the key, or makes it. It is outside the folder of intents, so that whoever restores or shares
 * that folder has no key to sign intents with. Undefined where it can't be kept private: then the
 * API key alone shows whose an intent is.
 */
export async function userKey(parts: UserKeyParts): Promise<Buffer | undefined> {
  try {
    if ((await exposureOf(dirname(parts.file))) !== undefined) return undefined;
    return (await read(parts.file)) ?? (await make(parts));
  } catch {
    return undefined;
  }
}

async function read(file: string): Promise<Buffer | undefined> {
  const seen = await lstat(file).catch(() => undefined);
  if (!seen?.isFile()) return undefined;
  const { getuid } = process;
  if (getuid && (seen.uid !== getuid() || (seen.mode & OPEN_TO_OTHERS) !== 0)) return undefined;
  const key = await readFile(file);
  return key.length === KEY_BYTES ? key : undefined;
}

/** Written under another name first: of several processes that make it, one wins, with a whole file. */
async function make({ file, random }: UserKeyParts): Promise<Buffer | undefined> {
  await makePrivate(dirname(file));
  const own = `${file}.${random(8).toString("hex")}.tmp`;
  await writeFile(own, random(KEY_BYTES), { mode: 0o600, flag: "wx", flush: true });
  try {
    await link(own, file).catch(() => undefined);
  } finally {
    await unlink(own);
  }
  return read(file);
}
