/**
 * Every create, rotation and delete is an entry first: a file that is on disk before the request is
 * sent, so that a process that dies in between leaves the next one what it needs to find its object.
 */
import { message, type Message } from "../../messages";
import { EngineError } from "../errors";
import type { Identity } from "../types";
import { HANDED_MAX_MS, leftIn, NOTHING, notOurs, untilEnded, type Leftovers } from "./claims";
import { hasPurpose, isForState } from "./entry";
import type { Intent, IntentEntry, Purpose } from "./entry";
import { BEAT_MS, EntryFiles, type JournalPlace } from "./files";

export class Journal {
  private readonly files: EntryFiles;
  private readonly own = new Map<string, Intent>();
  /** Ids of entries that this process itself received the answer for. */
  private readonly answered = new Set<string>();
  /** Answered, and of declarations whose object the host shows only by deleting it. */
  private readonly aside = new Map<Identity, Intent[]>();
  private loading: Promise<Leftovers> | undefined;
  private isUnusable = false;
  private endBeat: (() => void) | undefined;

  constructor(
    private readonly place: JournalPlace,
    private readonly warn: (message: Message) => void,
  ) {
    this.files = new EntryFiles(place);
  }

  /**
   * Writes and syncs. Undefined where the folder can't be written: warned of once, not fatal.
   * @throws EngineError `intents_exposed` where others can write to it, `intents_stuck` where its
   * file system does not answer, `intents_unreadable` where something in it can't be read
   */
  async begin(entry: IntentEntry, sync = true): Promise<Intent | undefined> {
    const intent = { entry, file: this.files.fileOf(entry.id) };
    await this.leftovers();
    try {
      await this.files.folder.assertPrivate(true);
      await this.files.write(intent.file, entry, sync);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
      this.report(message("intents_unwritable", { folder: this.place.folder, reason }));
      return undefined;
    }
    this.own.set(entry.id, intent);
    this.endBeat ??= this.place.processes.every?.(BEAT_MS, () => this.beat());
    return intent;
  }

  /** Warns of the folder, once in a run. */
  report(reason: Message): void {
    if (!this.isUnusable) this.warn(reason);
    this.isUnusable = true;
  }

  private beat(): void {
    for (const intent of this.own.values()) void this.files.touch(intent);
  }

  /** Notes the id that the service answered. Survives a kill of this process; needs no sync. */
  async recordAnswer(intent: Intent, id: string): Promise<void> {
    this.answered.add(intent.entry.id);
    // What an earlier run handed over belongs to this host from here on.
    const { handedAt: _, ...entry } = intent.entry;
    const marked = { ...intent, entry: { ...entry, answer: id } };
    this.own.set(entry.id, marked);
    // Without the mark, the entry still leads to the object.
    await this.files.write(marked.file, marked.entry, false).catch(() => undefined);
  }

  async drop(intent: Intent): Promise<void> {
    this.own.delete(intent.entry.id);
    const { dead, foreign } = await this.leftovers("list");
    for (const left of [dead, foreign]) left.delete(intent.entry.id);
    await this.files.remove(intent.file);
  }

  /** Its outcome is unknown: the next create for the same purpose looks for it, here as well. */
  async abandon(intent: Intent): Promise<void> {
    const now = this.own.get(intent.entry.id) ?? intent;
    this.own.delete(intent.entry.id);
    const { dead } = await this.leftovers("list");
    dead.delete(now.entry.id); // The newest comes last.
    dead.set(now.entry.id, now);
  }

  /** Keeps one until the host deletes the object that its declaration had. */
  setAside(identity: Identity, intent: Intent): void {
    this.aside.set(identity, [...(this.aside.get(identity) ?? []), intent]);
  }
  takeAside(identity: Identity): readonly Intent[] {
    const kept = this.aside.get(identity) ?? [];
    this.aside.delete(identity);
    return kept;
  }

  /** A state holds this id: forgets what other processes left of its create or rotation. */
  async dropLeftovers(kind: string, id: string): Promise<void> {
    const { dead, foreign } = await this.leftovers("warn");
    for (const intent of [...dead.values(), ...foreign.values()]) {
      if (isAnswered(intent, kind, id) && intent.entry.operation !== "delete") {
        await this.drop(intent);
      }
    }
  }

  /** The host has stored this id: forgets what led to it, in this process as well. */
  async dropAll(kind: string, id: string): Promise<void> {
    for (const intent of [...this.own.values()]) {
      if (isAnswered(intent, kind, id)) await this.drop(intent);
    }
    await this.dropLeftovers(kind, id);
  }

  /**
   * Whether what it led to certainly belongs to this host: its run did not exit cleanly, or did so
   * minutes ago and created the very same object.
   */
  async isOwn({ entry }: Intent, bodyHash: string): Promise<boolean> {
    if (entry.handedAt === undefined) return true;
    return entry.bodyHash === bodyHash && !(await this.leftovers()).doubtful.has(entry.id);
  }

  /** What a create would claim, oldest first; it stays whose it is. @throws what would stop it */
  async openFor(identity: Identity, isWanted: (intent: Intent) => boolean) {
    return openOf(await this.leftovers(), identity, isWanted);
  }

  /**
   * Entries of dead processes with this purpose, now of this process; oldest first. Hosts never run
   * two operations on one object, so a living process with this purpose was left behind by a killed
   * host and ends soon: this waits for it, `pause` by `pause`.
   * @throws EngineError `in_progress` where it stays alive; equal bytes alone never cause that.
   * `intents_unreadable` where one can't be read or taken over. `intent_foreign` where one that is
   * not ours has this purpose: it may be planted, or else be of a replaced API key and lead to an
   * object that would now be created twice.
   */
  async claim(purpose: Purpose, pause: () => Promise<void>): Promise<Intent[]> {
    const found = await this.leftovers();
    const open = openOf(found, purpose.identity, (intent) => hasPurpose(intent, purpose));
    if (open.living.length > 0) {
      await Promise.all(open.living.map((intent) => untilEnded(intent, this.files, found, pause)));
      return this.claim(purpose, pause);
    }
    // Removed before anything is awaited, so that no other create sees them.
    for (const { entry } of open.dead) found.dead.delete(entry.id);
    let taken: readonly (Intent | undefined)[];
    try {
      taken = await Promise.all(open.dead.map((intent) => this.files.take(intent)));
    } catch (error) {
      // A second try must not ignore them.
      for (const intent of open.dead) found.dead.set(intent.entry.id, intent);
      throw error;
    }
    for (const [at, intent] of open.dead.entries()) {
      // Another process was quicker: that one is waited for, unless one more has equal bytes.
      if (!taken[at] && purpose.identity !== undefined) found.living.set(intent.entry.id, intent);
    }
    const claimed = taken.filter((intent) => intent !== undefined);
    for (const intent of claimed) {
      this.own.set(intent.entry.id, intent);
      void this.files.touch(intent); // Alone: all that it has, at each claim, would take minutes.
      this.endBeat ??= this.place.processes.every?.(BEAT_MS, () => this.beat());
    }
    if (claimed.length === taken.length) return claimed;
    try {
      return [...claimed, ...(await this.claim(purpose, pause))];
    } catch (error) {
      for (const intent of claimed) await this.abandon(intent);
      throw error;
    }
  }

  /**
   * What dead processes left undone, and what stops creates: what nothing shows to be ours, handed
   * over or not, and what is not understood; for `erphost intents`. To `warn` of it, nothing throws.
   */
  async list(isFor: "list" | "warn" = "list") {
    const { dead, foreign, unread } = await this.leftovers(isFor);
    const intents = [...dead.values(), ...foreign.values()].filter(
      ({ entry: { operation, handedAt }, foreign: isForeign }) =>
        operation !== "delete" && (isForeign === true || handedAt === undefined),
    );
    return { intents, unread };
  }

  /** Whether an interrupted run did this itself: what it changed there is no stranger's doing. */
  async hasLeft(operation: "delete" | "rotate", kind: string, target: string): Promise<boolean> {
    const { dead } = await this.leftovers("warn");
    return [...dead.values()].some(
      ({ entry }) =>
        entry.operation === operation && entry.kind === kind && entry.target === target,
    );
  }

  /**
   * Clean exit: the host has what was answered. Where it stores that only later, `handedAt` marks
   * rotations and creates that have an identity: they count until the host's state holds the id.
   * Equal bytes alone would not prove that it was not stored.
   */
  async close(handedAt?: number, takesBack = true): Promise<void> {
    this.endBeat?.();
    const done = [...this.own.values()].filter(({ entry }) => this.answered.has(entry.id));
    await Promise.all(
      done.map((intent) => {
        if (handedAt === undefined || !isForState(intent.entry)) return this.drop(intent);
        const { entry, file } = intent;
        // As if that were long ago: then it is nobody's for sure.
        const earlierMs = takesBack || entry.operation !== "create" ? 0 : HANDED_MAX_MS + 1;
        const handed = { ...entry, handedAt: handedAt - earlierMs };
        const written = this.files.write(file, handed, false);
        const handing = written.then(() => this.files.touch(intent, 0));
        // Without the mark the next run would take what this one has handed over.
        return handing.catch(() => this.drop(intent));
      }),
    );
  }

  /**
   * Read once, at the first need. Where an entry is not understood, this fails: it may be of any
   * purpose. What lists entries gets the others, and what needs none counts on nothing, which is
   * warned of once: whatever changes something in the service then fails for that reason.
   * @throws EngineError also where the folder is not private, can't be read or does not answer
   */
  private async leftovers(isFor: "change" | "list" | "warn" = "change"): Promise<Leftovers> {
    try {
      this.loading ??= leftIn(this.files, this.place.clock.wallMs());
      const found = await this.loading;
      const [unread] = found.unread;
      if (unread && isFor !== "list") throw unread.error;
      return found;
    } catch (error) {
      if (isFor !== "warn" || !(error instanceof EngineError)) throw error;
      this.report(error.reason);
      return NOTHING;
    }
  }
}

/**
 * Those that are wanted, oldest first: the dead ones are claimed at once, the others when the process
 * at work on them has ended.
 * @throws EngineError `intent_foreign`
 */
function openOf(
  { dead, living, foreign }: Leftovers,
  identity: Identity,
  isWanted: (intent: Intent) => boolean,
) {
  const theirs = [...foreign.values()].find(isWanted);
  if (theirs) throw notOurs(theirs);
  const matching = [...dead.values()].filter(isWanted);
  return {
    // Without an identity, twins have equal bytes: each create takes one of them.
    dead: identity === undefined ? matching.slice(0, 1) : matching,
    living: [...living.values()].filter(isWanted),
  };
}

const isAnswered = ({ entry }: Intent, kind: string, id: string): boolean =>
  entry.kind === kind && entry.answer === id;
