/**
 * How entries get safely onto the disk: into a folder for this user alone, by steps of which few run at
 * a time, each tried again for a moment and none for ever; a small file for each entry, named
 * `ID.OWNER.json` after the process that holds it. What can't be read may be all that leads to an
 * object: it is never taken for missing.
 */
import { constants, promises as fs } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Account, Clock } from "../../client";
import { engineError, EngineError } from "../errors";
import { fileSchema, parsedAs, type Intent, type Left, type Unread } from "./entry";
import { isOurs, signaturesOf, type Signing } from "./ours";
import type { Processes } from "./processes";

const WRITABLE_BY_OTHERS = 0o022;
/** How long a file system may take for one step; a stale mount takes for ever. */
const ANSWER_MAX_MS = 30_000;
/** Files that this process may have open here: some systems allow 256 in all, sockets included. */
const OPEN_MAX = 32;
/** What passes: too many open files, or a scanner that looks at this one. */
const PASSING = new Set<unknown>(["EMFILE", "ENFILE", "EBUSY", "EPERM"]);
const RETRY_WAITS_MS = [15, 30, 60, 120, 240, 480, 960];

let openCount = 0;
const waiting: (() => void)[] = [];

/** One of all the steps of this process, first come first served. A step takes no other one. */
async function inTurn<T>(step: () => Promise<T>): Promise<T> {
  if (openCount < OPEN_MAX) openCount += 1;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await step();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else openCount -= 1;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

/** @throws EngineError `intents_stuck` where the file system never answers */
export class Folder {
  constructor(
    readonly path: string,
    private readonly clock: Pick<Clock, "after">,
  ) {}

  /** One step, which opens one file at most at a time. */
  async run<T>(step: () => Promise<T>): Promise<T> {
    const { clock, path: folder } = this;
    let isOver = false;
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(ANSWER_MAX_MS, () => {
        isOver = true;
        reject(engineError("intents_stuck", { folder, seconds: ANSWER_MAX_MS / 1000 }));
      });
    });
    try {
      for (let tries = 0; ; tries += 1) {
        try {
          // Once nobody waits for it, it gives up its turn, and one that has not begun never does.
          const tried = inTurn(() => (isOver ? late : Promise.race([step(), late])));
          return await Promise.race([tried, late]);
        } catch (error) {
          const waitMs = RETRY_WAITS_MS[tries];
          if (waitMs === undefined || !PASSING.has(codeOf(error))) throw error;
          // Without a turn, so that others continue.
          await Promise.race([new Promise<void>((go) => clock.after(waitMs, go)), late]);
        }
      }
    } finally {
      cancel();
    }
  }

  /** Undefined: no such file. @throws EngineError `intents_unreadable` for any other reason */
  async need<T>(
    path: string,
    step: () => Promise<T>,
    does: "read" | "take over" = "read",
  ): Promise<T | undefined> {
    try {
      return await this.run(step);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const reason = codeOf(error);
      if (reason === "ENOENT") return undefined;
      throw engineError("intents_unreadable", { path, does, reason });
    }
  }

  /** The path of everything in it; nothing where it is not there. */
  async list(): Promise<string[]> {
    const { path } = this;
    const names = (await this.need(path, () => fs.readdir(path))) ?? [];
    return names.map((name) => join(path, name));
  }

  /**
   * Closes it to others, and refuses one in which they could still remove entries. Where there is
   * none, it is made before something is written.
   * @throws EngineError `intents_exposed`; `intents_unreadable` where it can't be looked at
   */
  async assertPrivate(isWritten: boolean): Promise<void> {
    const { path: folder } = this;
    const exposure = await this.need(folder, () => exposureOf(folder, true));
    if (exposure === undefined && isWritten) {
      await this.run(() => makePrivate(folder));
      await this.assertPrivate(false);
    } else if (exposure !== undefined && exposure !== "none") {
      throw engineError("intents_exposed", { folder, exposure });
    }
  }
}

/**
 * How somebody else may have written to a folder. Windows has neither owners nor modes here: there a
 * user's folders are private. Restored caches, shared volumes and loose umasks give others the leave
 * to write to one of this user: `closes` takes it from them, and is only for a folder whose content
 * shows by itself that it is ours.
 */
export async function exposureOf(
  folder: string,
  closes = false,
): Promise<"link" | "owner" | "mode" | "none"> {
  const { getuid } = process;
  const seen = await fs.lstat(folder);
  if (seen.isSymbolicLink()) return "link";
  if (getuid === undefined) return "none";
  if (seen.uid !== getuid()) return "owner";
  if ((seen.mode & WRITABLE_BY_OTHERS) === 0) return "none";
  if (!closes) return "mode";
  // Whether it worked is looked at.
  await setPrivateMode(folder).catch(() => undefined);
  return exposureOf(folder);
}

/** Through a handle: a link that takes the folder's place meanwhile is not followed. */
async function setPrivateMode(folder: string): Promise<void> {
  const handle = await fs.open(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those above it, for this user alone. Node's own `recursive` never returns where
 * a file system denies that a folder exists and that it can be made, as `/proc` does.
 */
export async function makePrivate(folder: string, mayMakeAbove = true): Promise<void> {
  const above = dirname(folder);
  try {
    await fs.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || above === folder || !mayMakeAbove) throw error;
    await makePrivate(above);
    await makePrivate(folder, false);
  }
}

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+(?:-[0-9a-z]+)?)\.json$/;
/** A living process touches its files this often, and one that did not for so long is dead. */
export const BEAT_MS = 10_000;
const SILENT_MAX_MS = 35_000;
const LOOKS_MAX = 3;

/** The process that holds a file; undefined where the name is not an entry's. */
export const ownerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[2];

const idOf = (file: string): string => NAME.exec(basename(file))?.[1] ?? "";

export interface JournalPlace extends Signing {
  readonly processes: Processes;
  /** Entries of other accounts are not followed. Left out by a tool that shows those of all. */
  readonly account?: Account;
  readonly clock: Pick<Clock, "wallMs" | "after">;
}

/** @throws EngineError `intents_exposed`, `intents_stuck`, `intents_unreadable` */
export class EntryFiles {
  readonly folder: Folder;

  constructor(private readonly place: JournalPlace) {
    this.folder = new Folder(place.folder, place.clock);
  }

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
    const touched = await this.folder.need(file, () => fs.stat(file));
    return touched !== undefined && Math.abs(clock.wallMs() - touched.mtimeMs) < SILENT_MAX_MS;
  }

  /** Shows processes elsewhere that this one lives; at 0, that it has done with an entry. */
  async touch({ file }: Intent, atMs = this.place.clock.wallMs()): Promise<void> {
    const at = new Date(atMs);
    // Silence makes others ask, and take nothing from a process that they see.
    await fs.utimes(file, at, at).catch(() => undefined);
  }

  /** Signs it. With `sync`, the file and its name are on the disk when it returns. */
  async write(file: string, entry: object, sync: boolean): Promise<void> {
    const text = JSON.stringify({ ...entry, signatures: await signaturesOf(this.place, entry) });
    await this.folder.run(async () => {
      const temporary = `${file}.tmp`;
      await fs.writeFile(temporary, text, { mode: 0o600, flush: sync });
      await fs.rename(temporary, file);
      if (!sync) return;
      const folder = await fs.open(this.folder.path, "r");
      try {
        await folder.sync(); // The name must be on disk too.
      } finally {
        await folder.close();
      }
    });
  }

  /** Undefined: gone. @throws EngineError `intents_unreadable`: damaged, or of a newer release */
  async read(file: string): Promise<Intent | undefined> {
    const text = await this.folder.need(file, () => fs.readFile(file, "utf8"));
    if (text === undefined) return undefined;
    const signed = parsedAs(fileSchema, text);
    if (!signed) {
      const reason = "it is damaged, or a newer release wrote it";
      throw engineError("intents_unreadable", { path: file, does: "understand", reason });
    }
    const { signatures, ...entry } = signed;
    const id = idOf(file);
    const { baseUrl, environment } = this.place.account ?? entry.account;
    const isFollowed =
      entry.id === id &&
      entry.account.baseUrl === baseUrl &&
      entry.account.environment === environment &&
      (await isOurs(this.place, entry, signatures));
    return isFollowed ? { entry, file } : { entry: { ...entry, id }, file, foreign: true };
  }

  async remove(file: string): Promise<void> {
    // What stays leads the next run to an object that its state holds, and is removed then.
    await this.folder.run(() => fs.unlink(file)).catch(() => undefined);
  }

  /** Claims an entry by renaming its file, which only one of several processes can do. */
  async take({ entry, file }: Intent): Promise<Intent | undefined> {
    const own = this.fileOf(entry.id);
    const taking = () => fs.rename(file, own).then(() => ({ entry, file: own }));
    return this.folder.need(file, taking, "take over"); // Gone: another process was quicker.
  }

  /** The file of an entry, whichever process holds it now. */
  async find(id: string): Promise<Intent | undefined> {
    // A look while another process takes the file may show neither of its names.
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const file = (await this.folder.list()).find((one) => idOf(one) === id);
      const intent = file === undefined ? undefined : await this.read(file);
      if (intent) return intent;
    }
    return undefined;
  }

  /** All of other processes: whether each process is alive, or that its file is not understood. */
  async readAll(): Promise<(Left | Unread)[]> {
    const files = await this.folder.list();
    const listed = await Promise.all(files.map((file) => this.readListed(file)));
    return listed.filter((one) => one !== undefined);
  }

  private async readListed(file: string): Promise<Left | Unread | undefined> {
    const owner = ownerOf(file);
    if (owner === undefined) return this.sweep(file);
    if (owner === this.place.processes.self) return undefined;
    // Before the file is read: what a process wrote last must be seen once it counts as dead.
    const alive = await this.isAlive(file);
    try {
      const intent = await this.read(file);
      if (intent) return { intent, alive };
      // Done with, or another process has taken it since it was listed.
      const taken = await this.find(idOf(file));
      if (!taken || ownerOf(taken.file) === this.place.processes.self) return undefined;
      return { intent: taken, alive: await this.isAlive(taken.file) };
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
