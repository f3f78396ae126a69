/**
 * What the state holds, as the process that plans saw it, for the process that applies. Hosts that
 * plan and apply in different processes tell a create nothing of the object that it replaces.
 */
import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { parsedAs } from "./entry";
import { EntryFiles, makePrivate, type JournalPlace } from "./files";
import { isOurs } from "./ours";

const NAME = /^plan[.]([0-9]+(?:-[0-9a-z]+)+)[.][0-9a-z-]+[.]json$/;

/** A plan that waits for its apply elsewhere is waited for no longer: it takes nothing on trust then. */
const ELSEWHERE_MAX_MS = 7 * 24 * 3_600_000;

const noteSchema = z.strictObject({
  run: z.string(),
  ids: z.array(z.string()),
  signatures: z.array(z.string()).max(8),
});

/** `run` is the host's own process: the parent of those that plan and apply. */
type NotePlace = Omit<JournalPlace, "account"> & { readonly run: string };

/** A run may have several providers of one account: each process has a note of its own. */
export class PlanNote {
  private readonly files: EntryFiles;
  private loading: Promise<ReadonlySet<string> | undefined> | undefined;

  constructor(private readonly place: NotePlace) {
    this.files = new EntryFiles(place);
  }

  /** Replaces the note of this process. A folder that can't be written has none: then nothing is sure. */
  async write(ids: readonly string[]): Promise<void> {
    const { folder, run, processes } = this.place;
    try {
      await makePrivate(folder);
      // A note counts for its own run alone.
      for (const note of await this.notes()) {
        if (await this.isOver(note.run, note.file)) await this.files.remove(note.file);
      }
      const file = join(folder, `plan.${run}.${processes.self}.json`);
      await this.files.write(file, { run, ids }, false);
    } catch {
      return; // Without a note an apply asks more, and takes nothing on trust.
    }
  }

  /**
   * Ids with their kinds, as the ledger has them; undefined where this run has planned nothing here.
   * @throws EngineError `intents_unreadable`, `intents_stuck`
   */
  read(): Promise<ReadonlySet<string> | undefined> {
    return (this.loading ??= this.readNow());
  }

  /** What all providers of this run have seen. */
  private async readNow(): Promise<ReadonlySet<string> | undefined> {
    const notes = (await this.notes()).filter(({ run }) => run === this.place.run);
    const ids = await Promise.all(notes.map(({ file }) => this.readOne(file)));
    const ours = ids.filter((some) => some !== undefined);
    return ours.length === 0 ? undefined : new Set(ours.flat());
  }

  private async readOne(file: string): Promise<readonly string[] | undefined> {
    const text = await this.files.folder.need(file, () => readFile(file, "utf8"));
    const signed = parsedAs(noteSchema, text ?? "");
    if (signed?.run !== this.place.run) return undefined;
    const { signatures, ...note } = signed;
    return (await isOurs(this.place, note, signatures)) ? note.ids : undefined;
  }

  /** A run on another machine, or in another container, can't be seen. */
  private async isOver(run: string, file: string): Promise<boolean> {
    const { processes, clock } = this.place;
    if (processes.isElsewhere?.(run) !== true) return !processes.isAlive(run);
    const written = await this.files.folder.need(file, () => stat(file));
    return written !== undefined && clock.wallMs() - written.mtimeMs > ELSEWHERE_MAX_MS;
  }

  private async notes(): Promise<{ readonly run: string; readonly file: string }[]> {
    return (await this.files.folder.list()).flatMap((file) => {
      const [, run] = NAME.exec(basename(file)) ?? [];
      return run === undefined ? [] : { run, file };
    });
  }
}
