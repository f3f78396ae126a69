/** The folder of intents: one small file each, named `ID.OWNER.json` after the process that holds it. */
import { mkdir, open, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseEntry, type Intent, type IntentEntry } from "./entry";
import type { Processes } from "./processes";

const NAME = /^([0-9a-f-]{36})\.([0-9]+-[0-9a-z]+)\.json$/;

/** The process that holds a file; undefined where the name is not an intent's. */
export const ownerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[2];

export class IntentFiles {
  constructor(
    readonly folder: string,
    readonly processes: Processes,
  ) {}

  fileOf({ id }: Pick<IntentEntry, "id">): string {
    return join(this.folder, `${id}.${this.processes.self}.json`);
  }

  async makeFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async write({ entry, file }: Intent, sync: boolean): Promise<void> {
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

  /** Undefined where the file is gone or can't be read. */
  async read(file: string): Promise<Intent | undefined> {
    const entry = parseEntry(await readFile(file, "utf8").catch(() => ""));
    return entry && { entry, file };
  }

  async remove({ file }: Intent): Promise<void> {
    await unlink(file).catch(() => undefined);
  }

  /** Claims an intent by renaming its file, which only one of several processes can do. */
  async take({ entry, file }: Intent): Promise<Intent | undefined> {
    const own = this.fileOf(entry);
    try {
      await rename(file, own);
    } catch {
      return undefined; // Another process was quicker.
    }
    return { entry, file: own };
  }

  /** The file of an intent, whichever process holds it now. */
  async find(id: string): Promise<Intent | undefined> {
    const names = await readdir(this.folder).catch(() => []);
    const name = names.find((one) => one.startsWith(`${id}.`) && NAME.test(one));
    return name === undefined ? undefined : this.read(join(this.folder, name));
  }

  /** All intents of other processes, and whether each process is alive. */
  async list(): Promise<{ readonly intent: Intent; readonly alive: boolean }[]> {
    const names = await readdir(this.folder).catch(() => []);
    const owners = names.map(ownerOf);
    // Before the files are read: what a process wrote last must be seen once it counts as dead.
    const alive = new Set(
      owners.filter((owner) => owner !== undefined && this.processes.isAlive(owner)),
    );
    const listed = await Promise.all(
      names.map(async (name, index) => {
        const owner = owners[index];
        if (owner === undefined) await this.sweep(name);
        if (owner === undefined || owner === this.processes.self) return [];
        const intent = await this.read(join(this.folder, name));
        return intent ? [{ intent, alive: alive.has(owner) }] : [];
      }),
    );
    return listed.flat();
  }

  /** Removes what a dead process was writing when it died. */
  private async sweep(name: string): Promise<void> {
    const owner = ownerOf(name.replace(/[.]tmp$/, ""));
    if (owner === undefined || owner === this.processes.self) return;
    if (this.processes.isAlive(owner)) return;
    await unlink(join(this.folder, name)).catch(() => undefined);
  }
}
