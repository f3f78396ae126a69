/** What other processes left in a journal, and waiting for those of them that are still at work. */
import { engineError, type EngineError } from "../errors";
import type { Intent, Unread } from "./entry";
import { ownerOf, type EntryFiles } from "./files";

/** Pauses of a quarter of a second in which a living process may finish. */
const PAUSES_MAX = 240;
/** The same where only equal bytes say that it makes the same object. */
const PAUSES_WITHOUT_IDENTITY_MAX = 20;
/** Notes of finished deletes that are kept: hosts do not say when they have stored one. */
const DELETES_MAX = 1_000;
/**
 * A host writes its state seconds after a clean exit, and a person who sees it killed there runs it
 * again within minutes. Whoever asks later may have the same identity in another state.
 */
export const HANDED_MAX_MS = 10 * 60_000;
/** For this long, a create that was handed over is not repeated without asking. */
const REMEMBERED_MAX_MS = 24 * 3_600_000;

type Entries = Map<string, Intent>;

/** Entries of other processes, by what they mean to this one. */
export interface Leftovers {
  /** Of processes that have ended, oldest first. */
  readonly dead: Entries;
  /** Of processes that are alive: parallel runs, or what a killed host left running. */
  readonly living: Entries;
  /** What nothing shows to be ours, whoever is said to have written it. */
  readonly foreign: Entries;
  /** Ids of entries of runs that exited cleanly, too long ago to be sure whose they are. */
  readonly doubtful: ReadonlySet<string>;
  /** What a newer or older release wrote, or what is damaged. */
  readonly unread: readonly Unread[];
}

export const NOTHING: Leftovers = {
  dead: new Map(),
  living: new Map(),
  foreign: new Map(),
  doubtful: new Set(),
  unread: [],
};

/** What the folder holds when a process first looks: what begins or dies later is another run's. */
export async function leftIn(files: EntryFiles, nowMs: number): Promise<Leftovers> {
  await files.folder.assertPrivate(false);
  const all = await files.readAll();
  const byId = (isWanted: (intent: Intent, alive: boolean) => boolean): Entries =>
    new Map(
      all
        .flatMap((one) => ("intent" in one && isWanted(one.intent, one.alive) ? one.intent : []))
        .sort((a, b) => a.entry.time - b.entry.time)
        .map((intent) => [intent.entry.id, intent]),
    );
  const dead = byId(({ foreign }, alive) => !foreign && !alive);
  const deletes = [...dead.values()].filter(({ entry }) => entry.operation === "delete");
  // Measured once: a long run must see for its last create what it saw for its first.
  const handedAgoMs = ({ entry: { handedAt = nowMs } }: Intent) => Math.abs(nowMs - handedAt);
  const doubtful = [...dead.values()].filter((one) => handedAgoMs(one) > HANDED_MAX_MS);
  const forgotten = doubtful.filter(
    (one) => one.entry.operation !== "create" || handedAgoMs(one) > REMEMBERED_MAX_MS,
  );
  for (const { entry, file } of [...deletes.slice(0, -DELETES_MAX), ...forgotten]) {
    dead.delete(entry.id);
    await files.remove(file);
  }
  return {
    dead,
    living: byId(({ foreign }, alive) => !foreign && alive),
    foreign: byId(({ foreign }) => foreign === true),
    doubtful: new Set(doubtful.map(({ entry }) => entry.id)),
    unread: all.filter((one) => "error" in one),
  };
}

/**
 * Waits until a living process has finished with an entry, or has died: then it can be claimed.
 * @throws EngineError `in_progress` where it stays alive; equal bytes alone never cause that.
 * `intent_foreign`, `intents_unreadable`
 */
export async function untilEnded(
  intent: Intent,
  files: EntryFiles,
  { dead, living }: Leftovers,
  pause: () => Promise<void>,
): Promise<void> {
  let { file } = intent;
  const { id, identity } = intent.entry;
  const sure = identity !== undefined;
  let left = sure ? PAUSES_MAX : PAUSES_WITHOUT_IDENTITY_MAX;
  for (; living.get(id) === intent; left -= 1) {
    // Before the file is read: what a process wrote last must be seen once it counts as dead.
    const owner = ownerOf(file) ?? "";
    const alive = await files.isAlive(file);
    // A third process may have it by now.
    const now = (await files.read(file)) ?? (await files.find(id));
    if (now?.foreign) throw notOurs(now);
    if (now && now.file !== file) {
      file = now.file;
    } else if (now && alive && left > 0) {
      await pause();
    } else if (now && alive) {
      const { kind, name, operation: does, target } = now.entry;
      const [process = ""] = owner.split("-");
      const parts = { kind, name: name ?? target ?? "", does, process, file };
      if (sure) throw engineError("in_progress", parts);
      living.delete(id);
    } else if (living.get(id) === intent) {
      living.delete(id);
      if (now) dead.set(id, now);
    }
  }
}

/** Says nothing of what the entry itself says beyond its purpose: anybody may have written that. */
export const notOurs = ({ entry: { kind, operation: does }, file }: Intent): EngineError =>
  engineError("intent_foreign", { kind, does, file });
