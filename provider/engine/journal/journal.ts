/**
 * Every create, rotation and delete is an intent first: a file that is on disk before the request is
 * sent, so that a process that dies in between leaves the next one what it needs to find its object.
 */
import { message, type Message } from "../../messages";
import { EngineError } from "../errors";
import type { Identity } from "../types";
import type { Intent, IntentEntry, Purpose, Unread } from "./entry";
import { isForState } from "./entry";
import { Leftovers, type OpenEntry } from "./claims";
import { BEAT_MS, IntentFiles, type IntentsPlace } from "./files";

export class Intents {
  private readonly files: IntentFiles;
  /** Intents of this process, by their ids. */
  private readonly own = new Map<string, Intent>();
  /** Ids of intents that this process itself received the answer for. */
  private readonly answered = new Set<string>();
  /** Answered, and of declarations whose object the host shows only by deleting it. */
  private readonly aside = new Map<Identity, Intent[]>();
  private loading: Promise<Leftovers> | undefined;
  private unusable = false;
  private endBeat: (() => void) | undefined;

  constructor(
    private readonly place: IntentsPlace,
    private readonly warn: (message: Message) => void,
  ) {
    this.files = new IntentFiles(place);
  }

  /**
   * Writes and syncs. Undefined where the folder can't be written: warned of once, not fatal.
   * @throws EngineError `intents_exposed` where others can write to it, `intents_stuck` where its
   * file system does not answer, `intents_unreadable` where something in it can't be read
   */
  async begin(entry: IntentEntry, sync = true): Promise<Intent | undefined> {
    const intent = { entry, file: this.files.fileOf(entry) };
    await this.leftovers();
    try {
      await this.files.makeFolder();
      await this.files.write(intent, sync);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
      this.report(message("intents_unwritable", { folder: this.files.folder, reason }));
      return undefined;
    }
    this.own.set(entry.id, intent);
    this.endBeat ??= this.place.processes.every?.(BEAT_MS, () => this.beat());
    return intent;
  }

  /** Warns of the folder, once in a run. */
  report(reason: Message): void {
    if (!this.unusable) this.warn(reason);
    this.unusable = true;
  }

  private beat(): void {
    for (const intent of this.own.values()) void this.files.touch(intent);
  }

  /** Notes the id that the service answered. Survives a kill of this process; needs no sync. */
  async recordAnswer(intent: Intent | undefined, id: string): Promise<void> {
    if (!intent) return;
    this.answered.add(intent.entry.id);
    // What an earlier run handed over belongs to this host from here on.
    const { handedAt: _, ...entry } = intent.entry;
    const marked = { ...intent, entry: { ...entry, answer: id } };
    this.own.set(intent.entry.id, marked);
    // Without the mark, the intent still leads to the object.
    await this.files.write(marked, false).catch(() => undefined);
  }

  /** Forgets an intent. */
  async drop(intent: Intent | undefined): Promise<void> {
    if (!intent) return;
    this.own.delete(intent.entry.id);
    const { dead, foreign } = (await this.loaded()).found;
    for (const left of [dead, foreign]) left.delete(intent.entry.id);
    await this.files.remove(intent);
  }

  /** Its outcome is unknown: the next create for the same purpose looks for it, here as well. */
  async abandon(intent: Intent | undefined): Promise<void> {
    if (!intent) return;
    const now = this.own.get(intent.entry.id) ?? intent;
    this.own.delete(intent.entry.id);
    const { dead } = (await this.loaded()).found;
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

  /** A state holds this id: forgets what dead processes left of its create or rotation. */
  async dropLeftovers(kind: string, id: string): Promise<void> {
    const leftovers = await this.readable();
    if (!leftovers) return;
    const { dead, foreign } = leftovers.found;
    const known = [...dead.values(), ...foreign.values()].filter(
      (intent) => isAnswered(intent, kind, id) && intent.entry.operation !== "delete",
    );
    await Promise.all(known.map((intent) => this.drop(intent)));
  }

  /** The host has stored this id: forgets what led to it, in this process as well. */
  async dropAll(kind: string, id: string): Promise<void> {
    const own = [...this.own.values()].filter((intent) => isAnswered(intent, kind, id));
    await Promise.all(own.map((intent) => this.drop(intent)));
    await this.dropLeftovers(kind, id);
  }

  /**
   * Whether what it led to certainly belongs to this host: its run did not exit cleanly, or did so
   * minutes ago and created the very same object.
   */
  async isOwn(intent: Intent, bodyHash: string): Promise<boolean> {
    return (await this.leftovers()).isOwn(intent, bodyHash);
  }

  /**
   * What a create would claim, oldest first; it stays whose it is.
   * @throws EngineError for the reason for which the create would stop: `intents_unreadable`,
   * `intents_exposed`, `intents_stuck`, `intent_foreign`
   */
  async openFor(
    identity: Identity,
    isWanted: (intent: Intent) => boolean,
  ): Promise<readonly OpenEntry[]> {
    return (await this.leftovers()).openFor(identity, isWanted);
  }

  /** Intents of dead processes with this purpose, now of this process; oldest first. */
  async claim(purpose: Purpose, pause: () => Promise<void>): Promise<Intent[]> {
    const claimed = await (await this.leftovers()).claim(purpose, pause);
    for (const intent of claimed) {
      this.own.set(intent.entry.id, intent);
      void this.files.touch(intent); // Alone: all that it has, at each claim, would take minutes.
      this.endBeat ??= this.place.processes.every?.(BEAT_MS, () => this.beat());
    }
    return claimed;
  }

  /**
   * What dead processes left undone, and what stops creates: what nothing shows to be ours, handed
   * over or not, and what is not understood; for `erphost intents`.
   */
  async list(): Promise<{
    readonly intents: readonly Intent[];
    readonly unread: readonly Unread[];
  }> {
    const { dead, foreign, unread } = (await this.loaded()).found;
    const intents = [...dead.values(), ...foreign.values()].filter(
      ({ entry: { operation, handedAt }, foreign: isForeign }) =>
        operation !== "delete" && (isForeign === true || handedAt === undefined),
    );
    return { intents, unread };
  }

  /** Whether an interrupted run deleted this itself, so that its absence is expected. */
  async hasDeleted(kind: string, id: string): Promise<boolean> {
    return [...((await this.readable())?.found.dead.values() ?? [])].some(
      ({ entry }) => entry.operation === "delete" && entry.kind === kind && entry.target === id,
    );
  }

  /**
   * Clean exit: the host has what was answered. Where it stores that only later, `handedAt` marks
   * rotations and creates that have an identity: they count until the host's state holds the id.
   * Equal bytes alone would not prove that it was not stored.
   */
  async close(handedAt?: number): Promise<void> {
    this.endBeat?.();
    const done = [...this.own.values()].filter(({ entry }) => this.answered.has(entry.id));
    await Promise.all(
      done.map((intent) => {
        if (handedAt === undefined || !isForState(intent.entry)) return this.drop(intent);
        const marked = { ...intent, entry: { ...intent.entry, handedAt } };
        const handing = this.files.write(marked, false).then(() => this.files.fallSilent(marked));
        // Without the mark the next run would take what this one has handed over.
        return handing.catch(() => this.drop(intent));
      }),
    );
  }

  /**
   * For what needs no intent: undefined, and warned of once, where the folder is not private, can't be
   * read or does not answer. Whatever changes something in the service then fails for that reason.
   */
  private async readable(): Promise<Leftovers | undefined> {
    try {
      return await this.leftovers();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.report(error.reason);
      return undefined;
    }
  }

  /** @throws EngineError where one of them is not understood: it may be of any purpose */
  private async leftovers(): Promise<Leftovers> {
    const leftovers = await this.loaded();
    const [unread] = leftovers.found.unread;
    if (unread) throw unread.error;
    return leftovers;
  }

  /** Read once, at the first need. */
  private loaded(): Promise<Leftovers> {
    this.loading ??= Leftovers.load(this.files, this.place.clock.wallMs());
    return this.loading;
  }
}

const isAnswered = ({ entry }: Intent, kind: string, id: string): boolean =>
  entry.kind === kind && entry.answer === id;
