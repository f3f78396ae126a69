/**
 * Steps on the file system that intents are on: few at a time, tried again for a moment, and none for
 * ever. What can't be read may be all that leads to an object: it is never taken for missing.
 */
import type { Clock } from "../../client";
import { engineError, EngineError } from "../errors";

/** How long a file system may take for one step; a stale mount takes for ever. */
const ANSWER_MAX_MS = 30_000;
/** Files that this process may have open here: some systems allow 256 in all, sockets included. */
const OPEN_MAX = 32;
/** What passes: too many open files, or a scanner that looks at this one. */
const PASSING = new Set<unknown>(["EMFILE", "ENFILE", "EBUSY", "EPERM"]);
const RETRY_WAITS_MS = [15, 30, 60, 120, 240, 480, 960];

let openCount = 0;
const waiting: (() => void)[] = [];

/** One of all the steps of this process, first come first served. */
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
export class Steps {
  constructor(
    private readonly folder: string,
    private readonly clock: Pick<Clock, "after">,
    private readonly takeTurn = inTurn,
  ) {}

  /** One step, which opens one file at most at a time. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const { clock, folder } = this;
    let isOver = false;
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(ANSWER_MAX_MS, () => {
        isOver = true;
        reject(engineError("intents_stuck", { folder, seconds: ANSWER_MAX_MS / 1000 }));
      });
    });
    // Once nobody waits for it, it gives up its turn, and one that has not begun never does.
    const once = () => this.takeTurn(() => (isOver ? late : Promise.race([step(), late])));
    return Promise.race([this.patiently(once), late]).finally(() => cancel());
  }

  /**
   * A step without which nothing is known of an intent; undefined where its file is not there.
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

  /** Waits between its tries without a turn, so that others continue. */
  private async patiently<T>(once: () => Promise<T>): Promise<T> {
    for (const ms of RETRY_WAITS_MS) {
      try {
        return await once();
      } catch (error) {
        if (!PASSING.has(codeOf(error))) throw error;
      }
      await new Promise<void>((go) => this.clock.after(ms, go));
    }
    return once();
  }
}
