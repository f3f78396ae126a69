/** The files of a journal: a small one for each entry, named `ID.OWNER.json` after the process that holds it. */
import { open, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Account, Clock } from "../../client";
import { engineError, EngineError } from "../errors";
import { parseSigned, type Intent, type Unread } from "./entry";
import { Folder } from "./folder";
import { Signer, type Secrets } from "./ours";
import type { Processes } from "./processes";

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+(?:-[0-9a-z]+)?)\.json$/;
/** A living process touches its files this often, and one that did not for so long is dead. */
export const BEAT_MS = 10_000;
const SILENT_MAX_MS = 35_000;

/** The process that holds a file; undefined where the name is not an entry's. */
export const ownerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[2];

/** The id of the entry in a file. */
const idOf = (file: string): string => NAME.exec(basename(file))?.[1] ?? "";

/** Where a journal is, and whose it is. */
export interface JournalPlace {
  readonly folder: string;
  readonly processes: Processes;
  /** Entries of other accounts are not followed. Left out by a tool that shows those of all. */
  readonly account?: Account;
  /** What signs entries, and shows that one is ours. */
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, "wallMs" | "after">;
}

interface Listed {
  readonly intent: Intent;
  readonly alive: boolean;
}

/** @throws EngineError `intents_exposed`, `intents_stuck`, `intents_unreadable` */
export class EntryFiles {
  readonly folder: Folder;
  private readonly signer: Signer;

  constructor(private readonly place: JournalPlace) {
    this.folder = new Folder(place.folder, place.clock);
    this.signer = new Signer(place.folder, place.secrets);
  }

  /** The file of an entry that this process holds. */
  fileOf(id: string): string {
    return join(this.folder.path, `${id}.${this.place.processes.self}.json`);
  }

  /**
   * Whether the process that holds this file lives. One on another machine, or in another container,
   * can't be seen: while it lives, it touches its files.
   */
  async isAlive(file: string): Promise<boolean> {
    const owner = ownerOf(file) ?? "";
    const { processes, clock } = this.place;
    if (processes.isElsewhere?.(owner) !== true) return processes.isAlive(owner);
    const touched = await this.folder.need(file, () => stat(file));
    return touched !== undefined && Math.abs(clock.wallMs() - touched.mtimeMs) < SILENT_MAX_MS;
  }

  /** Shows processes elsewhere that this one lives; at 0, that it has done with an entry. */
  async touch({ file }: Intent, atMs = this.place.clock.wallMs()): Promise<void> {
    const at = new Date(atMs);
    // Silence makes others ask, and take nothing from a process that they see.
    await utimes(file, at, at).catch(() => undefined);
  }

  /** With `sync`, the file and its name are on the disk when it returns. */
  async write({ entry, file }: Intent, sync: boolean): Promise<void> {
    const text = JSON.stringify({ ...entry, signatures: await this.signer.sign(entry) });
    await this.folder.run(async () => {
      const temporary = `${file}.tmp`;
      await writeFile(temporary, text, { mode: 0o600, flush: sync });
      await rename(temporary, file);
      if (!sync) return;
      const folder = await open(this.folder.path, "r");
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
    const text = await this.folder.need(file, () => readFile(file, "utf8"));
    if (text === undefined) return undefined;
    const signed = parseSigned(text);
    if (!signed) {
      const reason = "it is damaged, or a newer release wrote it";
      throw engineError("intents_unreadable", { path: file, does: "understand", reason });
    }
    const { entry, signatures } = signed;
    const id = idOf(file);
    const { baseUrl, environment } = this.place.account ?? entry.account;
    const isOurs =
      entry.id === id &&
      entry.account.baseUrl === baseUrl &&
      entry.account.environment === environment &&
      (await this.signer.isOurs(entry, signatures));
    return isOurs ? { entry, file } : { entry: { ...entry, id }, file, foreign: true };
  }

  async remove(file: string): Promise<void> {
    // What stays leads the next run to an object that its state holds, and is removed then.
    await this.folder.run(() => unlink(file)).catch(() => undefined);
  }

  /** Claims an entry by renaming its file, which only one of several processes can do. */
  async take({ entry, file }: Intent): Promise<Intent | undefined> {
    const own = this.fileOf(entry.id);
    const taking = () => rename(file, own).then(() => ({ entry, file: own }));
    return this.folder.need(file, taking, "take over"); // Gone: another process was quicker.
  }

  /** The file of an entry, whichever process holds it now. */
  async find(id: string): Promise<Intent | undefined> {
    const file = (await this.folder.list()).find((one) => idOf(one) === id);
    return file === undefined ? undefined : this.read(file);
  }

  /** All of other processes: whether each process is alive, or that its file is not understood. */
  async readAll(): Promise<(Listed | Unread)[]> {
    const files = await this.folder.list();
    const listed = await Promise.all(files.map((file) => this.readListed(file)));
    return listed.filter((one) => one !== undefined);
  }

  private async readListed(file: string): Promise<Listed | Unread | undefined> {
    const owner = ownerOf(file);
    if (owner === undefined) return this.sweep(file);
    if (owner === this.place.processes.self) return undefined;
    // Before the file is read: what a process wrote last must be seen once it counts as dead.
    const alive = await this.isAlive(file);
    try {
      const intent = await this.read(file);
      return intent && { intent, alive };
    } catch (error) {
      const isOfFile =
        error instanceof EngineError && (error.reason.parts as { path?: string }).path === file;
      if (!isOfFile) throw error; // Another file, or none, is to blame.
      return { id: idOf(file), file, error };
    }
  }

  /** Removes what a dead process was writing when it died. */
  private async sweep(draft: string): Promise<undefined> {
    const { processes } = this.place;
    const owner = ownerOf(draft.replace(/[.]tmp$/, ""));
    if (owner === undefined || owner === processes.self) return;
    const isElsewhere = processes.isElsewhere?.(owner) === true;
    if (isElsewhere || processes.isAlive(owner)) return;
    await this.remove(draft); // Nothing reads it; the next run tries again.
  }
}
