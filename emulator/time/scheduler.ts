/** Runs what is due by the emulator's clock: state changes, rotations, deliveries. */
import type { Clock } from "./clock";

/** Something with due times. */
export interface Job {
  /** Emulated time at which something is due next; undefined: nothing is. */
  nextDueMs(): number | undefined;
  /** Does everything that is due at `nowMs`. */
  run(nowMs: number): void;
}

/** The longest time that a Node.js timer can wait. */
const TIMER_MS_MAX = 2_147_483_647;

/** One timer for all jobs, set to whatever is due first. */
export class Scheduler {
  private timer: NodeJS.Timeout | undefined;
  private plannedMs = Number.POSITIVE_INFINITY;
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly jobs: readonly Job[],
  ) {}

  /** Runs what is due now and sets the timer for what comes next. */
  wake(): void {
    if (this.stopped) return;
    const nowMs = this.clock.nowMs();
    for (const job of this.jobs) {
      if ((job.nextDueMs() ?? Number.POSITIVE_INFINITY) <= nowMs) job.run(nowMs);
    }
    this.clearTimer();
    this.plan();
  }

  /** Sets the timer again after a job has got something new to do. */
  plan(): void {
    const dueMs = this.stopped ? Number.POSITIVE_INFINITY : this.nextDueMs();
    if (dueMs === this.plannedMs && this.timer) return;
    this.clearTimer();
    this.plannedMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const leftMs = dueMs - this.clock.nowMs();
    // What is overdue is done even while the clock stands still.
    const realMs = leftMs <= 0 ? 0 : this.clock.realMs(leftMs);
    if (realMs === undefined) return;
    const waitMs = Math.min(Math.max(Math.ceil(realMs), 0), TIMER_MS_MAX);
    this.timer = setTimeout(() => this.wake(), waitMs);
    // An open emulator keeps its process alive through its socket, not through a timer.
    this.timer.unref();
  }

  /** Nothing runs after this. */
  stop(): void {
    this.stopped = true;
    this.clearTimer();
  }

  private nextDueMs(): number {
    return Math.min(...this.jobs.map((job) => job.nextDueMs() ?? Number.POSITIVE_INFINITY));
  }

  private clearTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
