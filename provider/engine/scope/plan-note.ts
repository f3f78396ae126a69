/**
 * What the state holds, as the process that plans saw it, for the process that applies. Hosts that
 * plan and apply in different processes tell a create nothing of the object that it replaces.
 */
import { readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { makePrivate } from "../intents/disk/private-folder";
import { Signer, type Secret } from "../intents/disk/signature";

const NAME = /^plan[.]([0-9]+-[0-9a-z]+(?:-[0-9a-z]+)?)[.]json$/;

const noteSchema = z.strictObject({
  run: z.string(),
  ids: z.array(z.string()),
  signatures: z.array(z.string()).max(8),
});

export interface NotePlace {
  readonly folder: string;
  /** The host's own process: the parent of those that plan and apply. */
  readonly run: string;
  readonly isAlive: (owner: string) => boolean;
  readonly secrets: () => Promise<readonly Secret[]>;
}

export class PlanNote {
  private readonly signer: Signer;
  private reading: Promise<ReadonlySet<string> | undefined> | undefined;

  constructor(private readonly place: NotePlace) {
    this.signer = new Signer(basename(place.folder), place.secrets);
  }

  /** Replaces the note of this run. A folder that can't be written has none: then nothing is sure. */
  async write(ids: readonly string[]): Promise<void> {
    const { folder, run } = this.place;
    const note = { run, ids };
    try {
      await makePrivate(folder);
      await this.sweep();
      const text = JSON.stringify({ ...note, signatures: await this.signer.sign(note) });
      const temporary = join(folder, `plan.${run}.tmp`);
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, this.file);
    } catch {
      return;
    }
  }

  /** Ids with their kinds, as `IdGuard` has them; undefined where this run has planned nothing here. */
  read(): Promise<ReadonlySet<string> | undefined> {
    return (this.reading ??= this.readNow());
  }

  private get file(): string {
    return join(this.place.folder, `plan.${this.place.run}.json`);
  }

  private async readNow(): Promise<ReadonlySet<string> | undefined> {
    try {
      const read = noteSchema.parse(JSON.parse(await readFile(this.file, "utf8")));
      const { signatures, ...note } = read;
      const isOurs = note.run === this.place.run && (await this.signer.isOurs(note, signatures));
      return isOurs ? new Set(note.ids) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Removes the notes of runs that are over. */
  private async sweep(): Promise<void> {
    const { folder, isAlive } = this.place;
    for (const name of await readdir(folder)) {
      const run = NAME.exec(name)?.[1];
      if (run !== undefined && !isAlive(run)) await unlink(join(folder, name));
    }
  }
}
