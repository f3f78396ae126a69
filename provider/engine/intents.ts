/**
 * Every create and every rotation is an intent first: a file that is on disk before the request is
 * sent, so that a process that dies in between leaves what the next one needs to find its object.
 *
 * One small file per intent, named `ID.OWNER.json`; the owner is the process that holds it. Files
 * are claimed by renaming, which only one of several processes can do.
 */
import { mkdir, open, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Identity } from "./types";

const entrySchema = z.object({
  version: z.literal(1),
  id: z.string(),
  account: z.object({ baseUrl: z.string(), environment: z.enum(["live", "test"]) }),
  operation: z.enum(["create", "rotate"]),
  kind: z.string(),
  identity: z.string().optional(),
  name: z.string().optional(),
  /** Of a rotation: the key. */
  target: z.string().optional(),
  idempotencyKey: z.string(),
  /** Of the exact bytes. */
  bodyHash: z.string(),
  /** The exact bytes; sealed under the API key where they hold a secret. */
  body: z.string(),
  sealed: z.boolean(),
  /** Milliseconds since 1970, by this machine's clock. */
  time: z.number(),
  /** The same moment by the service's clock, where it was known; it wins over `time`. */
  serviceTime: z.number().optional(),
  /** Id that the service answered. */
  answer: z.string().optional(),
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

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+)\.json$/;

export class Intents {
  private readonly held = new Map<string, Intent>();
  /** Ids of intents whose answer this process was given itself. */
  private readonly done = new Set<string>();
  private loading: Promise<Intent[]> | undefined;
  private unusable = false;

  constructor(
    private readonly folder: string,
    private readonly processes: Processes,
    private readonly warn: (message: string) => void,
  ) {}

  /** Writes and syncs. Undefined where the folder can't be written: told once, and creates go on. */
  async begin(entry: IntentEntry): Promise<Intent | undefined> {
    const intent = { entry, file: this.fileOf(entry.id) };
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.write(intent, true);
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
    const marked = { ...intent, entry: { ...intent.entry, answer: id } };
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
      ({ entry }) => entry.kind === kind && entry.answer === id,
    );
    await Promise.all(known.map((intent) => this.drop(intent)));
  }

  /** What this id was made for is done; also of this process's own. */
  async settle(kind: string, id: string): Promise<void> {
    const own = [...this.held.values()].filter(
      ({ entry }) => entry.kind === kind && entry.answer === id,
    );
    await Promise.all(own.map((intent) => this.drop(intent)));
    await this.mention(kind, id);
  }

  /** Intents of dead processes for the same object, now held by this process; oldest first. */
  async claim(query: Query): Promise<Intent[]> {
    const dead = await this.dead();
    const matching = dead.filter(
      ({ entry }) =>
        entry.operation === query.operation &&
        entry.kind === query.kind &&
        entry.target === query.target &&
        (query.identity !== undefined || entry.identity !== undefined
          ? entry.identity === query.identity
          : entry.bodyHash === query.bodyHash),
    );
    // Without an identity, twins have equal bytes: each create takes one of them.
    const wanted = query.identity === undefined ? matching.slice(0, 1) : matching;
    // Out of the list before anything is waited for, so that no other create sees them.
    for (const intent of wanted) remove(dead, intent);
    const taken = await Promise.all(wanted.map((intent) => this.take(intent)));
    const claimed = taken.filter((intent) => intent !== undefined);
    // Another process was quicker with this twin; there may be one more.
    if (query.identity === undefined && wanted.length > claimed.length) return this.claim(query);
    return claimed;
  }

  /** All intents of dead processes; for `erphost intents`. */
  async list(): Promise<readonly Intent[]> {
    return this.dead();
  }

  /** Orderly shutdown: what was answered is in the engine's hands. */
  async close(): Promise<void> {
    const done = [...this.held.values()].filter(({ entry }) => this.done.has(entry.id));
    await Promise.all(done.map((intent) => this.drop(intent)));
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

  /** Read once: what dies while this process lives belongs to another run. */
  private dead(): Promise<Intent[]> {
    this.loading ??= this.load();
    return this.loading;
  }

  private async load(): Promise<Intent[]> {
    const names = await readdir(this.folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const owner = NAME.exec(name)?.[2];
        if (owner === undefined || owner === this.processes.self || this.processes.isAlive(owner)) {
          return undefined;
        }
        const file = join(this.folder, name);
        const text = await readFile(file, "utf8").catch(() => "");
        const entry = entrySchema.safeParse(parse(text));
        return entry.success ? { entry: entry.data, file } : undefined;
      }),
    );
    return found
      .filter((intent) => intent !== undefined)
      .sort((a, b) => a.entry.time - b.entry.time);
  }
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
