/**
 * What the state holds, as the process that plans saw it, for the process that applies. Hosts that
 * plan and apply in different processes tell a create nothing of the object that it replaces.
 */
import { readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import type { Clock } from "../../client";
import { makePrivate } from "./private-folder";
import type { Processes } from "./processes";
import { Signer, type Secret } from "./signature";
import { Steps } from "./steps";

const NAME = /^plan[.]([0-9]+(?:-[0-9a-z]+)+)[.][0-9a-z-]+[.]json$/;

/** A plan that waits for its apply elsewhere is waited for no longer: it takes nothing on trust then. */
const ELSEWHERE_MAX_MS = 7 * 24 * 3_600_000;

const noteSchema = z.strictObject({
  run: z.string(),
  ids: z.array(z.string()),
  signatures: z.array(z.string()).max(8),
});

export interface NotePlace {
  readonly folder: string;
  /** The host's own process: the parent of those that plan and apply. */
  readonly run: string;
  /** A run may have several providers of one account: each has a note of its own. */
  readonly processes: Processes;
  readonly secrets: () => Promise<readonly Secret[]>;
  readonly clock: Pick<Clock, "after" | "wallMs">;
}

export class PlanNote {
  private readonly signer: Signer;
  private readonly steps: Steps;
  private loading: Promise<ReadonlySet<string> | undefined> | undefined;

  constructor(private readonly place: NotePlace) {
    this.signer = new Signer(basename(place.folder), place.secrets);
    this.steps = new Steps(place.folder, place.clock);
  }

  /** Replaces the note of this process. A folder that can't be written has none: then nothing is sure. */
  async write(ids: readonly string[]): Promise<void> {
    const { folder, run, processes } = this.place;
    const note = { run, ids };
    try {
      await makePrivate(folder);
      await this.sweep();
      const text = JSON.stringify({ ...note, signatures: await this.signer.sign(note) });
      const file = join(folder, `plan.${run}.${processes.self}.json`);
      await this.steps.run(async () => {
        await writeFile(`${file}.tmp`, text, { mode: 0o600 });
        await rename(`${file}.tmp`, file);
      });
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
    const { folder, run } = this.place;
    const own = (await this.names()).filter((name) => NAME.exec(name)?.[1] === run);
    const notes = await Promise.all(own.map((name) => this.readOne(join(folder, name))));
    const ours = notes.filter((ids) => ids !== undefined);
    return ours.length === 0 ? undefined : new Set(ours.flat());
  }

  private async readOne(file: string): Promise<readonly string[] | undefined> {
    const text = await this.steps.need(file, () => readFile(file, "utf8"));
    const read = parsed(text ?? "");
    if (!read) return undefined;
    const { signatures, ...note } = read;
    const isOurs = note.run === this.place.run && (await this.signer.isOurs(note, signatures));
    return isOurs ? note.ids : undefined;
  }

  /** Removes the notes of runs that are over. */
  private async sweep(): Promise<void> {
    const { folder } = this.place;
    for (const name of await this.names()) {
      const run = NAME.exec(name)?.[1];
      if (run === undefined || !(await this.isOver(run, join(folder, name)))) continue;
      // A note counts for its own run alone.
      await unlink(join(folder, name)).catch(() => undefined);
    }
  }

  /** A run on another machine, or in another container, can't be seen. */
  private async isOver(run: string, file: string): Promise<boolean> {
    const { processes, clock } = this.place;
    if (processes.isElsewhere?.(run) !== true) return !processes.isAlive(run);
    const written = await this.steps.need(file, () => stat(file));
    return written !== undefined && clock.wallMs() - written.mtimeMs > ELSEWHERE_MAX_MS;
  }

  private async names(): Promise<string[]> {
    const { folder } = this.place;
    return (await this.steps.need(folder, () => readdir(folder))) ?? [];
  }
}

function parsed(text: string): z.infer<typeof noteSchema> | undefined {
  try {
    return noteSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
