/** Intents that other processes left behind, and taking them over for a create of the same purpose. */
import { engineError, type EngineError } from "../errors";
import type { Identity } from "../types";
import { hasPurpose, type Intent, type Purpose, type Unread } from "./entry";
import { ownerOf, type IntentFiles } from "./files";

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
const HANDED_MAX_MS = 10 * 60_000;
/** For this long, a create that was handed over is not repeated without asking. */
const REMEMBERED_MAX_MS = 24 * 3_600_000;

/** Intents by their ids. */
type IntentMap = Map<string, Intent>;

const byId = (intents: readonly Intent[]): IntentMap =>
  new Map(intents.map((intent) => [intent.entry.id, intent]));

/** Intents that a folder holds, by what they mean to this process. */
interface Found {
  /** Intents of processes that have ended, oldest first. */
  readonly dead: IntentMap;
  /** Intents of processes that are alive: parallel runs, or what a killed host left running. */
  readonly living: IntentMap;
  /** Intents that nothing shows to be ours, whoever is said to have written them. */
  readonly foreign: IntentMap;
  /** Ids of intents of runs that exited cleanly, too long ago to be sure whose they are. */
  readonly doubtful: ReadonlySet<string>;
  /** What a newer or older release wrote, or what is damaged. */
  readonly unread: readonly Unread[];
}

/** An intent that a create would claim. */
export interface OpenEntry {
  readonly intent: Intent;
  /** Whether its process was at work when this one looked. */
  readonly isLiving: boolean;
}

/** What the folder held when this process first looked: what begins or dies later is another run's. */
export class Leftovers {
  private constructor(
    private readonly files: IntentFiles,
    readonly found: Found,
  ) {}

  static async load(files: IntentFiles, nowMs: number): Promise<Leftovers> {
    await files.assertPrivate();
    const seen = await files.list();
    const all = seen.flatMap((one) => ("error" in one ? [] : one));
    const listed = all.filter(({ intent }) => !intent.foreign);
    const foreign = all.map(({ intent }) => intent).filter((intent) => intent.foreign);
    const intentsOf = (alive: boolean) =>
      listed.filter((one) => one.alive === alive).map(({ intent }) => intent);
    const dead = intentsOf(false).sort((a, b) => a.entry.time - b.entry.time);
    const deletes = dead.filter(({ entry }) => entry.operation === "delete");
    // Measured once: a long run must see for its last create what it saw for its first.
    const handedAgoMs = ({ entry: { handedAt = nowMs } }: Intent) => Math.abs(nowMs - handedAt);
    const doubtful = dead.filter((one) => handedAgoMs(one) > HANDED_MAX_MS);
    const forgotten = doubtful.filter(
      (one) => one.entry.operation !== "create" || handedAgoMs(one) > REMEMBERED_MAX_MS,
    );
    const leftovers = new Leftovers(files, {
      dead: byId(dead),
      living: byId(intentsOf(true)),
      foreign: byId(foreign),
      doubtful: new Set(doubtful.map(({ entry }) => entry.id)),
      unread: seen.flatMap((one) => ("error" in one ? one : [])),
    });
    for (const old of [...deletes.slice(0, -DELETES_MAX), ...forgotten]) {
      leftovers.found.dead.delete(old.entry.id);
      await files.remove(old);
    }
    return leftovers;
  }

  /** Whether what it led to certainly belongs to this host. */
  isOwn({ entry }: Intent, bodyHash: string): boolean {
    if (entry.handedAt === undefined) return true;
    return entry.bodyHash === bodyHash && !this.found.doubtful.has(entry.id);
  }

  /** What `claim` takes, at once or when its process has ended. @throws EngineError `intent_foreign` */
  openFor(identity: Identity, isWanted: (intent: Intent) => boolean): readonly OpenEntry[] {
    const foreign = [...this.found.foreign.values()].find(isWanted);
    if (foreign) throw notOurs(foreign);
    const living = [...this.found.living.values()].filter(isWanted);
    return [
      ...this.wanted(identity, isWanted).map((intent) => ({ intent, isLiving: false })),
      ...living.map((intent) => ({ intent, isLiving: true })),
    ];
  }

  private wanted(identity: Identity, isWanted: (intent: Intent) => boolean): readonly Intent[] {
    const matching = [...this.found.dead.values()].filter(isWanted);
    // Without an identity, twins have equal bytes: each create takes one of them.
    return identity === undefined ? matching.slice(0, 1) : matching;
  }

  /**
   * Intents of dead processes with this purpose, now of this process; oldest first. Hosts never
   * run two operations on one object, so a living process with this purpose was left behind by a
   * killed host and ends soon: this waits for it, `pause` by `pause`.
   * @throws EngineError `in_progress` where it stays alive; equal bytes alone never cause that.
   * `intents_unreadable` where one can't be read or taken over. `intent_foreign` where one that is not ours has this purpose: it may be planted, or else be of a
   * replaced API key and lead to an object that would now be created twice.
   */
  async claim(purpose: Purpose, pause: () => Promise<void>): Promise<Intent[]> {
    const foreign = [...this.found.foreign.values()].find((intent) => hasPurpose(intent, purpose));
    if (foreign) throw notOurs(foreign);
    const living = [...this.found.living.values()].filter((one) => hasPurpose(one, purpose));
    await Promise.all(living.map((intent) => this.waitFor(intent, pause)));
    const wanted = this.wanted(purpose.identity, (intent) => hasPurpose(intent, purpose));
    // Removed before anything is awaited, so that no other create sees them.
    for (const { entry } of wanted) this.found.dead.delete(entry.id);
    let claimed: Intent[];
    try {
      const taken = await Promise.all(wanted.map((intent) => this.files.take(intent)));
      claimed = taken.filter((intent) => intent !== undefined);
      if (wanted.length === claimed.length) return claimed;
      // Another process was quicker: one more may have equal bytes, or else that process is waited for.
      if (purpose.identity !== undefined) await this.follow(wanted.filter((_, at) => !taken[at]));
    } catch (error) {
      // A second try must not ignore them.
      for (const intent of wanted) this.found.dead.set(intent.entry.id, intent);
      throw error;
    }
    return [...claimed, ...(await this.claim(purpose, pause))];
  }

  /** Looks for what another process has taken, under that process's name. */
  private async follow(lost: readonly Intent[]): Promise<void> {
    for (const { entry } of lost) {
      const now = await this.files.find(entry.id);
      if (now?.foreign) throw notOurs(now);
      if (now) this.found.living.set(entry.id, now);
    }
  }

  /** Waits until a living process has finished with an intent, or has died: then it can be claimed. */
  private async waitFor(intent: Intent, pause: () => Promise<void>): Promise<void> {
    const { files } = this;
    const { dead, living } = this.found;
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
        if (sure) throw inProgress(now, owner);
        living.delete(id);
      } else if (living.get(id) === intent) {
        living.delete(id);
        if (now) dead.set(id, now);
      }
    }
  }
}

/** Says nothing of what the intent itself says beyond its purpose: anybody may have written that. */
const notOurs = ({ entry: { kind, operation: does }, file }: Intent): EngineError =>
  engineError("intent_foreign", { kind, does, file });

function inProgress({ entry, file }: Intent, owner: string): EngineError {
  const { kind, name, operation: does, target } = entry;
  const [process = ""] = owner.split("-");
  return engineError("in_progress", { kind, name: name ?? target ?? "", does, process, file });
}
