/** Intents of processes that no longer run, in all folders of this user. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stated, type InvalidInput } from "../../provider/contract";
import { EngineError, Folder, intentsRoot, Journal } from "../../provider/engine";
import type { Intent, Unread } from "../../provider/engine";
import type { Message } from "../../provider/messages";
import { clientSettings, readSettings } from "../../provider/settings";
import { textOf } from "../voice";
import type { World } from "../world";

/** An intent, and the store that can change and drop it. */
export interface LeftIntent {
  readonly intent: Intent;
  readonly store: Journal;
  /** As it is on the disk by now: the store says nothing of what it could not write. */
  readonly reread: () => Promise<Intent | undefined>;
  /** Without an API key, nothing shows whether it is ours: most likely it is. */
  readonly unchecked: boolean;
}

/** The intents of all folders. */
export interface LeftIntents {
  /** Oldest first. */
  readonly intents: readonly LeftIntent[];
  /** Files that are not understood; each was reported. */
  readonly unread: readonly Unread[];
  /** Whether a folder was refused, and reported: what is in it is not listed. */
  readonly incomplete: boolean;
}

/** The shortest beginning of an id that is accepted. */
const PREFIX_LENGTH_MIN = 4;

/** All of them. Empty where there is no folder of intents. Each folder that is refused is reported. */
export async function leftIntents(world: World): Promise<LeftIntents> {
  const root = intentsRoot(world);
  const warn = (warning: Message): void => world.report(`warning: ${textOf(warning)}`);
  const folder = new Folder(root, world);
  const folders = (await folder.need(root, () => readdir(root, { withFileTypes: true }))) ?? [];
  const { apiKey } = readSettings(clientSettings, { env: world.env }).values;
  const place = {
    processes: world.processes,
    clock: { wallMs: world.nowMs, after: world.after },
    secrets: async () => [apiKey, await world.userKey()],
  };
  const listed = await Promise.all(
    folders
      .filter((folder) => folder.isDirectory() || folder.isSymbolicLink())
      .map(async ({ name }) => {
        const open = () => new Journal({ ...place, folder: join(root, name) }, warn);
        const store = open();
        const left = await store.list().catch(refusal);
        if (left instanceof EngineError) {
          warn(left.reason);
          return undefined;
        }
        for (const { error } of left.unread) warn(error.reason);
        const intents = left.intents.map((intent) => {
          const unchecked = intent.foreign === true && apiKey === undefined;
          const { id } = intent.entry;
          const reread = async () =>
            (await open().list()).intents.find(({ entry }) => entry.id === id);
          return { intent, store, reread, unchecked };
        });
        return { intents, unread: left.unread };
      }),
  );
  const intents = listed.flatMap((some) => some?.intents ?? []);
  return {
    intents: intents.sort((a, b) => a.intent.entry.time - b.intent.entry.time),
    unread: listed.flatMap((some) => some?.unread ?? []),
    incomplete: listed.includes(undefined),
  };
}

/** What the engine refuses in one folder; the others can still be listed. */
function refusal(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  throw error;
}

/** The intent whose id starts like this. @throws InvalidInput where none or several do */
export async function leftIntent(id: string, world: World): Promise<LeftIntent> {
  if (id.length < PREFIX_LENGTH_MIN) {
    throw fault(id, `is too short: use at least ${PREFIX_LENGTH_MIN} characters of the id`);
  }
  const { intents, unread } = await leftIntents(world);
  const unknown = unread.find((one) => one.id.startsWith(id));
  // It says itself what to do.
  if (unknown) throw unknown.error;
  const matches = intents.filter(({ intent }) => intent.entry.id.startsWith(id));
  const [only, ...more] = matches;
  if (!only) throw fault(id, "is not the id of an unfinished intent");
  if (more.length > 0) throw fault(id, `matches ${matches.length} intents: use more characters`);
  return only;
}

const IDS = "`erphost intents list` shows the ids.";

/** @param path an id, or a name of what is wrong */
export const fault = (path: string, text: string, remedy = IDS): InvalidInput =>
  stated("intents", [path], text, remedy);
