/** When events start a run: one at a time, in their order, and again where it fails. */
import type { World } from "../world";
import type { Batch, Store, Waiting } from "./store";

/** What became of a run; one that was cut off is started again by the next listener. */
export type Outcome = "done" | "failed" | "cut off";

interface Parts extends Pick<World, "after" | "nowMs"> {
  readonly store: Store;
  readonly debounceMs: number;
  /** How often a run that failed is tried again. */
  readonly retries: number;
  /** Never rejects. */
  readonly run: (batch: Batch) => Promise<Outcome>;
  readonly say: (line: string) => void;
}

/** How often a folder is looked at, in which another listener may have kept or left events. */
const LOOK_MS = 1_000;
const FIRST_WAIT_MS = 5_000;
const WAIT_MS_MAX = 300_000;

export class Queue {
  private running: Promise<void> | undefined;
  private cancel: (() => void) | undefined;
  private cancelLook: (() => void) | undefined;
  private isClosed = false;
  /** What failed and is not run again before the disk has taken that. */
  private failed: Batch | undefined;
  private readonly faults = new Map<"keep" | "queue" | "look" | "run", string>();

  constructor(private readonly parts: Parts) {}

  /** Starts what waits, and then what comes. */
  begin(): void {
    this.start();
    this.look();
  }

  get isHealthy(): boolean {
    return this.faults.size === 0;
  }

  /** Keeps an event, for a run once no other has come for the debounce. `failed`: it is not kept. */
  add(event: Omit<Waiting, "seq">): "new" | "seen" | "full" | "failed" {
    const { store, nowMs, debounceMs } = this.parts;
    const kept = this.trying("keep", () => (this.isClosed ? "full" : store.add(event, nowMs())));
    if (kept === "new") this.schedule(debounceMs);
    if (kept === "full") this.trying("keep", () => store.assertRoom());
    return kept ?? "failed";
  }

  /** Takes no more events, and waits for the run that is under way. What waits on disk stays there. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel?.();
    this.cancelLook?.();
    await this.running;
    this.parts.store.close();
  }

  private look(): void {
    const { store, debounceMs, after } = this.parts;
    const waiting = this.trying("look", () => store.count()) ?? 0;
    // What another listener left has waited for long enough.
    if (waiting > 0) this.schedule(store.hasTurn ? debounceMs : 0);
    if (this.faults.has("keep")) this.trying("keep", () => store.assertRoom());
    this.cancelLook = after(LOOK_MS, () => this.look());
  }

  private schedule(ms: number): void {
    if (this.running !== undefined || this.isClosed) return;
    // The first event decides when: a stream of them cannot put the run off for ever.
    this.cancel ??= this.parts.after(ms, () => this.start());
  }

  private start(): void {
    this.cancel = undefined;
    const { store, debounceMs, nowMs } = this.parts;
    const batch = this.trying("queue", () => {
      store.settle(nowMs());
      return this.failed ?? store.next();
    });
    if (batch === undefined) return;
    this.running = this.work(batch).then((waitMs = debounceMs) => {
      this.running = undefined;
      if (!this.isClosed && (this.trying("look", () => store.count()) ?? 0) > 0) {
        this.schedule(waitMs);
      }
    });
  }

  /** @returns how long to wait before the same events are tried again */
  private async work(batch: Batch): Promise<number | undefined> {
    const { store, run, retries, say, nowMs } = this.parts;
    const outcome = this.failed ? "failed" : await run(batch);
    if (outcome === "cut off") return undefined;
    if (outcome === "done") {
      this.faults.delete("run");
      this.trying("queue", () => store.finish(batch, nowMs()));
      return undefined;
    }
    this.faults.set("run", outcome);
    this.failed = batch;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** batch.attempts, WAIT_MS_MAX);
    const isOver = this.trying("queue", () => {
      if (batch.attempts < retries) {
        store.fail(batch);
        say(`run: tried again in ${waitMs / 1_000} s, ${batch.attempts + 1} of ${retries}`);
        return false;
      }
      for (const each of batch.events) {
        const file = store.setAside(each);
        const where = file === undefined ? "given up" : "set aside";
        say(`${where}: ${each.event} ${each.id}${file === undefined ? "" : ` in ${file}`}`);
      }
      store.finish(batch, nowMs());
      return true;
    });
    if (isOver !== undefined) this.failed = undefined;
    return isOver === true ? undefined : waitMs;
  }

  /** Undefined where it failed, which is said once and keeps the listener unhealthy until it works. */
  private trying<T>(what: "keep" | "queue" | "look", work: () => T): T | undefined {
    try {
      const result = work();
      this.faults.delete(what);
      return result;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (this.faults.get(what) !== text) this.parts.say(`failed: ${text}`);
      this.faults.set(what, text);
      return undefined;
    }
  }
}
