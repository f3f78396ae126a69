/**
 * A folder for this user alone, and steps on what is in it: few at a time, tried again for a moment,
 * and none for ever. What can't be read may be all that leads to an object: it is never taken for
 * missing.
 */
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../client";
import { engineError, EngineError } from "../errors";

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

  /**
   * A step without which nothing is known of an entry; undefined where its file is not there.
   * @throws EngineError `intents_unreadable` for any other reason
   */
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
    const names = (await this.need(path, () => readdir(path))) ?? [];
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
  const seen = await lstat(folder);
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
  const handle = await open(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW);
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
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || above === folder || !mayMakeAbove) throw error;
    await makePrivate(above);
    await makePrivate(folder, false);
  }
}
