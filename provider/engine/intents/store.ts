/**
 * Every create and every rotation is an intent first: a file that is on disk before the request is
 * sent, so that a process that dies in between leaves what the next one needs to find its object.
 *
 * One small file per intent, named `ID.OWNER.json`; the owner is the process that holds it. Files
 * are claimed by renaming, which only one of several processes can do.
 */
import { mkdir, open, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { EngineError } from "../errors";
import type { Identity } from "../types";

const entrySchema = z.object({
  version: z.literal(1),
  id: z.string(),
  account: z.object({ baseUrl: z.string(), environment: z.enum(["live", "test"]) }),
  operation: z.enum(["create", "rotate", "delete"]),
  kind: z.string(),
  identity: z.string().optional(),
  /** The engine made the identity: no state holds the object, so that none is to store it. */
  derived: z.literal(true).optional(),
  name: z.string().optional(),
  /** Of a rotation the key, of a delete the object. */
  target: z.string().optional(),
  idempotencyKey: z.string(),
  /** Of the exact bytes. */
  bodyHash: z.string(),
  /** Of a create: the exact bytes, sealed under the API key, for any field may hold a secret. */
  body: z.string().optional(),
  /** Milliseconds since 1970, by this machine's clock. */
  time: z.number(),
  /** The same moment by the service's clock, where it was known; it wins over `time`. */
  serviceTime: z.number().optional(),
  /** Id that the service answered. */
  answer: z.string().optional(),
  /** When its process ended in order and the host was still to store it: milliseconds since 1970. */
  handedAt: z.number().optional(),
});

export type IntentEntry = z.output<typeof entrySchema>;

/** An intent and the file that holds it. */
export interface Intent {
  readonly entry: IntentEntry;
  readonly file: string;
}

/** Tells whether a process that wrote an intent still lives, and what this one is called. */
export interface Processes {
  /** `PID-START`, never the same for two processes of a machine. */
  readonly self: string;
  isAlive(owner: string): boolean;
}

export interface Query {
  readonly operation: IntentEntry["operation"];
  readonly kind: string;
  readonly identity: Identity;
  /** Used where the host gives no identity. */
  readonly bodyHash: string;
  readonly target?: string;
}

/** What the folder held when this process first looked. */
interface Found {
  readonly dead: Intent[];
  /** Of processes that live: runs beside this one, or what a killed host has left behind. */
  readonly living: Intent[];
}

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+)\.json$/;

export class Intents {
  private readonly held = new Map<string, Intent>();
  /** Ids of intents whose answer this process was given itself. */
  private readonly done = new Set<string>();
  /** Ids of intents of runs that ended in order, too long ago to be sure whose they are. */
  private readonly doubtful = new Set<string>();
  private loading: Promise<Found> | undefined;
  private unusable = false;

  constructor(
    private readonly folder: string,
    private readonly processes: Processes,
    private readonly warn: (message: string) => void,
    private readonly nowMs: () => number,
  ) {}

  /** Writes and syncs. Undefined where the folder can't be written: told once, and creates go on. */
  async begin(entry: IntentEntry, sync = true): Promise<Intent | undefined> {
    const intent = { entry, file: this.fileOf(entry.id) };
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.write(intent, sync);
    } catch (error) {
      if (!this.unusable) {
        this.warn(
          `Intents can't be written to ${this.folder} (${(error as NodeJS.ErrnoException).code ?? "unknown error"}), so a crash could leave an object that no state knows. Make the folder writable, or set ERPHOST_INTENTS_DIR to one that is.`,
        );
      }
      this.unusable = true;
      return undefined;
    }
    this.held.set(entry.id, intent);
    return intent;
  }

  /** Marks what the service answered. Survives a kill of this process; needs no sync. */
  async answered(intent: Intent | undefined, id: string): Promise<void> {
    if (!intent) return;
    this.done.add(intent.entry.id);
    // What was handed over before is this host's from here on, and in hand until it is told.
    const { handedAt: _, ...entry } = intent.entry;
    const marked = { ...intent, entry: { ...entry, answer: id } };
    this.held.set(intent.entry.id, marked);
    await this.write(marked, false).catch(() => undefined); // The unmarked one finds the object too.
  }

  /** Forgets an intent. */
  async drop(intent: Intent | undefined): Promise<void> {
    if (!intent) return;
    this.held.delete(intent.entry.id);
    remove(await this.dead(), intent);
    await unlink(intent.file).catch(() => undefined);
  }

  /** Its outcome is not known: the next create for the same purpose looks for it, here as well. */
  async abandon(intent: Intent | undefined): Promise<void> {
    if (!intent) return;
    const now = this.held.get(intent.entry.id) ?? intent;
    this.held.delete(intent.entry.id);
    const dead = await this.dead();
    remove(dead, now);
    dead.push(now);
  }

  /** The engine has this id, so what led to it is done with. Only intents of dead processes. */
  async mention(kind: string, id: string): Promise<void> {
    const known = (await this.dead()).filter(
      ({ entry }) => entry.kind === kind && entry.answer === id && entry.operation !== "delete",
    );
    await Promise.all(known.map((intent) => this.drop(intent)));
  }

  /**
   * Whether what it led to is surely this host's own: its run did not end in order, or it did so
   * minutes ago and made the very same.
   */
  isOwn({ entry }: Intent, bodyHash: string): boolean {
    if (entry.handedAt === undefined) return true;
    return entry.bodyHash === bodyHash && !this.doubtful.has(entry.id);
  }

  /** What this id was made for is done; also of this process's own. */
  async settle(kind: string, id: string): Promise<void> {
    const own = [...this.held.values()].filter(
      ({ entry }) => entry.kind === kind && entry.answer === id,
    );
    await Promise.all(own.map((intent) => this.drop(intent)));
    await this.mention(kind, id);
  }

  /**
   * Intents of dead processes for the same object, now held by this process; oldest first. A host
   * keeps runs apart that make the same object, so a living process that has it in hand was left
   * behind by a killed host and ends soon: it is waited for, `pause` by `pause`.
   * @throws EngineError `in_progress` where it lives on; equal bytes alone are no reason to.
   */
  async claim(query: Query, pause: () => Promise<void>): Promise<Intent[]> {
    const dead = await this.dead();
    const living = (await this.found()).living.filter((one) => serves(one, query));
    await Promise.all(living.map((intent) => this.outlive(intent, pause)));
    const matching = dead.filter((intent) => serves(intent, query));
    // Without an identity, twins have equal bytes: each create takes one of them.
    const wanted = query.identity === undefined ? matching.slice(0, 1) : matching;
    // Out of the list before anything is waited for, so that no other create sees them.
    for (const intent of wanted) remove(dead, intent);
    const taken = await Promise.all(wanted.map((intent) => this.take(intent)));
    const claimed = taken.filter((intent) => intent !== undefined);
    if (wanted.length === claimed.length) return claimed;
    // Another process was quicker. There may be one more twin; else that process is waited for.
    if (query.identity !== undefined) await this.follow(wanted.filter((_, at) => !taken[at]));
    return [...claimed, ...(await this.claim(query, pause))];
  }

  /** Looks for what another process has taken, under that process's name. */
  private async follow(lost: readonly Intent[]): Promise<void> {
    const { living } = await this.found();
    for (const { entry } of lost) {
      const now = await this.whereIs(entry.id);
      if (now) living.push(now);
    }
  }

  /** The file of an intent, whoever holds it now. */
  private async whereIs(id: string): Promise<Intent | undefined> {
    const names = await readdir(this.folder).catch(() => []);
    const name = names.find((one) => one.startsWith(`${id}.`) && NAME.test(one));
    return name === undefined ? undefined : readIntent(join(this.folder, name));
  }

  /** Waits until a living process is done with an intent, or dead: then it can be claimed. */
  private async outlive(intent: Intent, pause: () => Promise<void>): Promise<void> {
    const { dead, living } = await this.found();
    let file = intent.file;
    const sure = intent.entry.identity !== undefined;
    for (let left = sure ? PAUSES_MAX : DOUBTFUL_PAUSES_MAX; living.includes(intent); left -= 1) {
      // Before the file is read: what a process wrote last must be seen once it counts as dead.
      const owner = ownerOf(file) ?? "";
      const alive = this.processes.isAlive(owner);
      // It may be in the hands of a third process by now.
      const now = (await readIntent(file)) ?? (await this.whereIs(intent.entry.id));
      if (now && now.file !== file) {
        file = now.file;
      } else if (now && alive && left > 0) {
        await pause();
      } else if (now && alive) {
        if (sure) throw inProgress(now, owner);
        remove(living, intent);
      } else if (living.includes(intent)) {
        remove(living, intent);
        if (now) dead.push(now);
      }
    }
  }

  /** What dead processes have left undone; for `erphost intents`. */
  async list(): Promise<readonly Intent[]> {
    return (await this.dead()).filter(
      ({ entry }) => entry.operation !== "delete" && entry.handedAt === undefined,
    );
  }

  /** Whether a run that was cut off has deleted this itself, so that it is no wonder that it is gone. */
  async hasDeleted(kind: string, id: string): Promise<boolean> {
    return (await this.dead()).some(
      ({ entry }) => entry.operation === "delete" && entry.kind === kind && entry.target === id,
    );
  }

  /**
   * Orderly shutdown: what was answered is in the host's hands. Where the host stores it only after
   * that, `handedAt` marks rotations and creates that have an identity: they count until the
   * host mentions the id. Equal bytes alone would be no proof that it has not stored it.
   */
  async close(handedAt?: number): Promise<void> {
    const done = [...this.held.values()].filter(({ entry }) => this.done.has(entry.id));
    await Promise.all(
      done.map((intent) => {
        return handedAt !== undefined && isForState(intent.entry)
          ? this.write({ ...intent, entry: { ...intent.entry, handedAt } }, false).catch(() =>
              this.drop(intent),
            )
          : this.drop(intent);
      }),
    );
  }

  private fileOf(id: string): string {
    return join(this.folder, `${id}.${this.processes.self}.json`);
  }

  private async write({ entry, file }: Intent, sync: boolean): Promise<void> {
    const temporary = `${file}.tmp`;
    await writeFile(temporary, JSON.stringify(entry), { mode: 0o600, flush: sync });
    await rename(temporary, file);
    if (!sync) return;
    const folder = await open(this.folder, "r");
    try {
      await folder.sync(); // The name must be on disk too.
    } finally {
      await folder.close();
    }
  }

  private async take(intent: Intent): Promise<Intent | undefined> {
    const file = this.fileOf(intent.entry.id);
    try {
      await rename(intent.file, file);
    } catch {
      return undefined; // Another process was quicker.
    }
    const mine = { entry: intent.entry, file };
    this.held.set(intent.entry.id, mine);
    return mine;
  }

  private async dead(): Promise<Intent[]> {
    return (await this.found()).dead;
  }

  /** Read once: what begins or dies later belongs to another run. */
  private found(): Promise<Found> {
    this.loading ??= this.load();
    return this.loading;
  }

  private async load(): Promise<Found> {
    const names = await readdir(this.folder).catch(() => []);
    const owners = names.map(ownerOf);
    // Before the files are read: what a process wrote last must be seen once it counts as dead.
    const alive = new Set(
      owners.filter((owner) => owner !== undefined && this.processes.isAlive(owner)),
    );
    const found: Found = { dead: [], living: [] };
    await Promise.all(
      names.map(async (name, index) => {
        const owner = owners[index];
        if (owner === undefined) return this.sweep(name);
        if (owner === this.processes.self) return;
        const intent = await readIntent(join(this.folder, name));
        if (intent) (alive.has(owner) ? found.living : found.dead).push(intent);
      }),
    );
    found.dead.sort((a, b) => a.entry.time - b.entry.time);
    const deletes = found.dead.filter(({ entry }) => entry.operation === "delete");
    // By this run's beginning: a long one must find for its last create what it had for its first.
    const nowMs = this.nowMs();
    const agoMs = ({ entry: { handedAt = nowMs } }: Intent) => Math.abs(nowMs - handedAt);
    for (const one of found.dead) if (agoMs(one) > HANDED_MAX_MS) this.doubtful.add(one.entry.id);
    const handed = found.dead.filter(
      (one) => agoMs(one) > (one.entry.operation === "create" ? REMEMBERED_MAX_MS : HANDED_MAX_MS),
    );
    for (const old of [...deletes.slice(0, -DELETES_MAX), ...handed]) {
      remove(found.dead, old);
      await unlink(old.file).catch(() => undefined);
    }
    return found;
  }

  /** Removes what a dead process was writing when it died. */
  private async sweep(name: string): Promise<void> {
    const owner = ownerOf(name.replace(/[.]tmp$/, ""));
    if (owner === undefined || owner === this.processes.self) return;
    if (!this.processes.isAlive(owner))
      await unlink(join(this.folder, name)).catch(() => undefined);
  }
}

/** How often a process is looked at that was left behind; a pause is a quarter of a second. */
const PAUSES_MAX = 240;
const DOUBTFUL_PAUSES_MAX = 20;
/** Notes of finished deletes that are kept: hosts do not say when they have heard of one. */
const DELETES_MAX = 1_000;
/**
 * Between an orderly end and the host's last write of its state lie seconds; a person who sees it
 * killed there runs it again within minutes. Whoever asks later may be somebody else, with the same
 * identity in a state of their own.
 */
const HANDED_MAX_MS = 10 * 60_000;
/** So long it is still known that there is one: it is not made twice unasked. */
const REMEMBERED_MAX_MS = 24 * 3_600_000;

const inProgress = ({ entry: { kind, name, target }, file }: Intent, owner: string): EngineError =>
  new EngineError(
    "in_progress",
    `${kind} ${name ?? target ?? ""} is in the hands of another run, process ${owner.split("-")[0]}, so that going on could make it twice. Wait until that run is over, or end it, then try again. If there is no such run, delete ${file}.`,
  );

/** Whether an intent has the purpose that is asked for. */
const serves = ({ entry }: Intent, query: Query): boolean =>
  entry.operation === query.operation &&
  entry.kind === query.kind &&
  entry.target === query.target &&
  (query.identity !== undefined || entry.identity !== undefined
    ? entry.identity === query.identity
    : entry.bodyHash === query.bodyHash);

/** Whether a host that stores late may come back for it: for a rotation its key alone is proof. */
const isForState = ({ operation, identity, derived }: IntentEntry): boolean =>
  operation === "rotate" || (operation === "create" && identity !== undefined && !derived);

const ownerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[2];

/** Undefined where there is none, or none that can be read. */
async function readIntent(file: string): Promise<Intent | undefined> {
  const entry = entrySchema.safeParse(parse(await readFile(file, "utf8").catch(() => "")));
  return entry.success ? { entry: entry.data, file } : undefined;
}

function remove(intents: Intent[], { entry }: Intent): void {
  const index = intents.findIndex((intent) => intent.entry.id === entry.id);
  if (index >= 0) intents.splice(index, 1);
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Half a file: written by hand, or the disk was full. It can't be used.
  }
};
