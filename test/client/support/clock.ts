/** A clock that stands still until a test moves it. */
import type { Clock } from "../../../provider/client/clock";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const TIMERS_MAX = 2_000_000;
const BEGINNING = 1_000;

export class FakeClock implements Clock {
  private now = BEGINNING;
  private order = 0;
  private readonly timers = new Set<Timer>();

  /** With wall time minus monotonic time. */
  constructor(readonly wallOffsetMs = Date.parse("2026-01-01T00:00:00.000Z")) {}

  monotonicMs(): number {
    return this.now;
  }

  /** Since the clock was made. */
  get elapsedMs(): number {
    return this.now - BEGINNING;
  }

  wallMs(): number {
    return this.now + this.wallOffsetMs;
  }

  iso(): string {
    return new Date(this.wallMs()).toISOString();
  }

  after(ms: number, callback: () => void) {
    const timer = { at: this.now + Math.max(0, ms), order: this.order++, callback };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  get pending(): number {
    return this.timers.size;
  }

  private next(): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of this.timers) {
      if (!found || timer.at < found.at || (timer.at === found.at && timer.order < found.order)) {
        found = timer;
      }
    }
    return found;
  }

  /** Lets what is ready run, and moves on by `ms`. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      await settled();
      const timer = this.next();
      if (!timer || timer.at > until) break;
      this.fire(timer);
    }
    this.now = until;
    await settled();
  }

  /** Moves on from timer to timer until the promise is settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    const state = { done: false };
    const finish = () => void (state.done = true);
    promise.then(finish, finish);
    for (let count = 0; count < TIMERS_MAX; count += 1) {
      await settled();
      if (state.done) return promise;
      const timer = this.next();
      if (!timer) throw new Error("nothing is left that could settle it");
      this.fire(timer);
    }
    throw new Error(`not settled after ${TIMERS_MAX} timers`);
  }

  private fire(timer: Timer): void {
    this.timers.delete(timer);
    this.now = Math.max(this.now, timer.at);
    timer.callback();
  }
}
