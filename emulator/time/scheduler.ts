/** Runs what is due by the emulator's clock: state changes, rotations, deliveries. */
import type { Clock } from "./clock";

export interface Job {
  /** Emulated time at which something is due next; undefined: nothing is. */
  nextDueMs(): number | undefined;
  run(nowMs: number): void;
}

/** The longest time that a Node.js timer can wait. */
const TIMER_MS_MAX = 2_147_483_647;
/** Real milliseconds until what failed is tried again: doubled each time, up to the maximum. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 60_000;

/** One timer for all jobs, set to whatever is due first. */
export class Scheduler {
  private timer: NodeJS.Timeout | undefined;
  private plannedMs = Number.POSITIVE_INFINITY;
  private stopped = false;
  private failureCount = 0;

  /** `warn` receives what fails in a timer. */
  constructor(
    private readonly clock: Clock,
    private readonly jobs: readonly Job[],
    private readonly warn: (sentence: string) => void,
  ) {}

  /** Wakes where something is due, or failed. */
  catchUp(): void {
    if (this.failureCount > 0 || this.plannedMs <= this.clock.nowMs()) this.wake();
  }

  wake(): void {
    if (this.stopped) return;
    const nowMs = this.clock.nowMs();
    for (const job of this.jobs) job.run(nowMs);
    this.failureCount = 0;
    this.clearTimer();
    this.plan();
  }

  /** A timer must never end the process: what failed is reported, and tried again later. */
  failed(error: unknown): void {
    if (this.stopped) return;
    const waitMs = Math.min(RETRY_MS_MIN * 2 ** this.failureCount, RETRY_MS_MAX);
    this.failureCount += 1;
    this.warn(
      `what was due could not be done: ${String(error)}. The next try is in ${waitMs / 1_000} s.`,
    );
    this.clearTimer();
    this.setTimer(waitMs);
  }

  /** Sets the timer again after a job has got something new to do. */
  plan(): void {
    // After a failure the timer is the one that tries again.
    if (this.failureCount > 0 && this.timer) return;
    const due = this.jobs.map((job) => job.nextDueMs() ?? Number.POSITIVE_INFINITY);
    const dueMs = this.stopped ? Number.POSITIVE_INFINITY : Math.min(...due);
    if (dueMs === this.plannedMs && this.timer) return;
    this.clearTimer();
    this.plannedMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const leftMs = dueMs - this.clock.nowMs();
    // What is overdue is done even while the clock stands still.
    const realMs = leftMs <= 0 ? 0 : this.clock.realMs(leftMs);
    if (realMs === undefined) return;
    this.setTimer(Math.min(Math.max(Math.ceil(realMs), 0), TIMER_MS_MAX));
  }

  /** Nothing runs after this. */
  stop(): void {
    this.stopped = true;
    this.clearTimer();
  }

  private setTimer(waitMs: number): void {
    this.timer = setTimeout(() => {
      try {
        this.wake();
      } catch (error) {
        this.failed(error);
      }
    }, waitMs);
    // An open emulator keeps its process alive through its socket, not through a timer.
    this.timer.unref();
  }

  private clearTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
