/** The folder of intents: one small file each, named `ID.OWNER.json` after the process that holds it. */
import { open, readdir, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Account, Clock } from "../../client";
import { engineError, EngineError } from "../errors";
import { parseSigned, type Intent, type IntentEntry, type Unread } from "./entry";
import type { Processes } from "./processes";
import { closeToOthers, makePrivate } from "./private-folder";
import { Signer, type Secret } from "./signature";
import { Steps } from "./steps";

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+(?:-[0-9a-z]+)?)\.json$/;
/** A living process touches its files this often, and one that did not for so long is dead. */
export const BEAT_MS = 10_000;
const SILENT_MAX_MS = 35_000;

/** The process that holds a file; undefined where the name is not an intent's. */
export const ownerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[2];

/** Where intents are, and whose they are. */
export interface IntentsPlace {
  readonly folder: string;
  readonly processes: Processes;
  /** Intents of other accounts are not followed. Left out by a tool that shows those of all. */
  readonly account?: Account;
  /** What signs intents, and shows that one is ours; asked whenever it is needed. */
  readonly secrets: () => Promise<readonly Secret[]>;
  readonly clock: Pick<Clock, "wallMs" | "after">;
}

interface Listed {
  readonly intent: Intent;
  readonly alive: boolean;
}

/** @throws EngineError `intents_exposed`, `intents_stuck`, `intents_unreadable` */
export class IntentFiles {
  private readonly signer: Signer;
  private readonly steps: Steps;

  constructor(private readonly place: IntentsPlace) {
    this.signer = new Signer(basename(place.folder), place.secrets);
    this.steps = new Steps(place.folder, place.clock);
  }

  get folder(): string {
    return this.place.folder;
  }
  get processes(): Processes {
    return this.place.processes;
  }

  fileOf({ id }: Pick<IntentEntry, "id">): string {
    return join(this.folder, `${id}.${this.processes.self}.json`);
  }

  /**
   * Whether the process that holds this file lives. One on another machine, or in another container,
   * can't be seen: while it lives, it touches its files.
   */
  async isAlive(file: string): Promise<boolean> {
    const owner = ownerOf(file) ?? "";
    const { processes, clock } = this.place;
    if (processes.isElsewhere?.(owner) !== true) return processes.isAlive(owner);
    const touched = await this.steps.need(file, () => stat(file));
    return touched !== undefined && Math.abs(clock.wallMs() - touched.mtimeMs) < SILENT_MAX_MS;
  }

  /** Shows processes elsewhere that this one lives. */
  async touch({ file }: Intent): Promise<void> {
    const now = new Date(this.place.clock.wallMs());
    // Silence makes others ask, and take nothing from a process that they see.
    await utimes(file, now, now).catch(() => undefined);
  }

  /** Shows them that this one has done with an intent, before its silence does. */
  async fallSilent({ file }: Intent): Promise<void> {
    const longAgo = new Date(0);
    await utimes(file, longAgo, longAgo).catch(() => undefined); // Silence does, later.
  }

  /** Makes the folder where there is none. */
  async makeFolder(): Promise<void> {
    await this.steps.run(() => makePrivate(this.folder));
    await this.assertPrivate();
  }

  /** Closes the folder to others, and refuses one in which they could still remove intents. */
  async assertPrivate(): Promise<void> {
    const { folder } = this;
    const exposure = await this.steps.need(folder, () => closeToOthers(folder));
    if (exposure !== undefined) throw engineError("intents_exposed", { folder, exposure });
  }

  write({ entry, file }: Intent, sync: boolean): Promise<void> {
    return this.steps.run(async () => {
      const temporary = `${file}.tmp`;
      const text = JSON.stringify({ ...entry, signatures: await this.signer.sign(entry) });
      await writeFile(temporary, text, { mode: 0o600, flush: sync });
      await rename(temporary, file);
      if (!sync) return;
      const folder = await open(this.folder, "r");
      try {
        await folder.sync(); // The name must be on disk too.
      } finally {
        await folder.close();
      }
    });
  }

  /**
   * Undefined where the file is gone.
   * @throws EngineError `intents_unreadable` where it is damaged, or of a newer release: it may be all
   * that leads to an object
   */
  async read(file: string): Promise<Intent | undefined> {
    const text = await this.steps.need(file, () => readFile(file, "utf8"));
    if (text === undefined) return undefined;
    const signed = parseSigned(text);
    if (!signed) {
      const reason = "it is damaged, or a newer release wrote it";
      throw engineError("intents_unreadable", { path: file, does: "understand", reason });
    }
    const { entry, signatures } = signed;
    const id = NAME.exec(basename(file))?.[1] ?? "";
    const isOurs =
      entry.id === id &&
      isOf(this.place.account, entry) &&
      (await this.steps.run(() => this.signer.isOurs(entry, signatures)));
    return isOurs ? { entry, file } : { entry: { ...entry, id }, file, foreign: true };
  }

  async remove({ file }: Intent): Promise<void> {
    // What stays leads the next run to an object that its state holds, and is removed then.
    await this.steps.run(() => unlink(file)).catch(() => undefined);
  }

  /** Claims an intent by renaming its file, which only one of several processes can do. */
  async take({ entry, file }: Intent): Promise<Intent | undefined> {
    const own = this.fileOf(entry);
    const taking = () => rename(file, own).then(() => ({ entry, file: own }));
    return this.steps.need(file, taking, "take over"); // Gone: another process was quicker.
  }

  /** The file of an intent, whichever process holds it now. */
  async find(id: string): Promise<Intent | undefined> {
    const name = (await this.names()).find((one) => one.startsWith(`${id}.`) && NAME.test(one));
    return name === undefined ? undefined : this.read(join(this.folder, name));
  }

  /** All of other processes: whether each process is alive, or that its file is not understood. */
  async list(): Promise<(Listed | Unread)[]> {
    const names = await this.names();
    const owners = names.map(ownerOf);
    // Before the files are read: what a process wrote last must be seen once it counts as dead.
    const alive = await Promise.all(
      names.map(async (name, index) =>
        owners[index] === undefined ? false : this.isAlive(join(this.folder, name)),
      ),
    );
    const listed = await Promise.all(
      names.map(async (name, index) => {
        const owner = owners[index];
        if (owner === undefined) await this.sweep(name);
        if (owner === undefined || owner === this.processes.self) return [];
        const file = join(this.folder, name);
        const intent = await this.read(file).catch((error: unknown) => unread(error, file));
        if (intent === undefined || "error" in intent) return intent ?? [];
        return [{ intent, alive: alive[index] ?? false }];
      }),
    );
    return listed.flat();
  }

  private async names(): Promise<string[]> {
    return (await this.steps.need(this.folder, () => readdir(this.folder))) ?? [];
  }

  /** Removes what a dead process was writing when it died. */
  private async sweep(name: string): Promise<void> {
    const owner = ownerOf(name.replace(/[.]tmp$/, ""));
    if (owner === undefined || owner === this.processes.self) return;
    const isElsewhere = this.processes.isElsewhere?.(owner) === true;
    if (isElsewhere || this.processes.isAlive(owner)) return;
    // Nothing reads a draft; the next run tries again.
    await this.steps.run(() => unlink(join(this.folder, name))).catch(() => undefined);
  }
}

/** @throws what is no fault of this file */
function unread(error: unknown, file: string): Unread {
  const [, id = ""] = NAME.exec(basename(file)) ?? [];
  const isOfFile =
    error instanceof EngineError && (error.reason.parts as { path?: string }).path === file;
  if (!isOfFile) throw error;
  return { id, file, error };
}

const isOf = (account: Account | undefined, entry: IntentEntry): boolean =>
  account === undefined ||
  (entry.account.baseUrl === account.baseUrl && entry.account.environment === account.environment);
