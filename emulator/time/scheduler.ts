/** Runs what has become due by the emulator's clock: transitions, rotations, deliveries. */
import type { Clock } from "./clock";

/** Something that has due times. */
export interface Job {
  /** Emulated time of what is due next; undefined: nothing. */
  nextDueMs(): number | undefined;
  /** Does everything due at `nowMs`. */
  run(nowMs: number): void;
}

export interface Scheduler {
  /** Runs what is due now and sets the timer for what comes next. */
  wake(): void;
  /** Sets the timer anew, after something was planned. */
  plan(): void;
  stop(): void;
}

/** The longest time that a Node.js timer can wait. */
const TIMER_MS_MAX = 2_147_483_647;

export function createScheduler(clock: Clock, jobs: readonly Job[]): Scheduler {
  let timer: NodeJS.Timeout | undefined;
  let plannedMs = Number.POSITIVE_INFINITY;
  let stopped = false;
  const nextDueMs = () =>
    Math.min(...jobs.map((job) => job.nextDueMs() ?? Number.POSITIVE_INFINITY));

  const plan = () => {
    const dueMs = stopped ? Number.POSITIVE_INFINITY : nextDueMs();
    if (dueMs === plannedMs && timer) return;
    clearTimeout(timer);
    timer = undefined;
    plannedMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const leftMs = dueMs - clock.nowMs();
    // What is overdue is done even while the clock stands still.
    const realMs = leftMs <= 0 ? 0 : clock.realMs(leftMs);
    if (realMs === undefined) return;
    timer = setTimeout(wake, Math.min(Math.max(Math.ceil(realMs), 0), TIMER_MS_MAX));
    // An open emulator keeps its process alive through its socket, not through a timer.
    timer.unref();
  };

  const wake = () => {
    if (stopped) return;
    const nowMs = clock.nowMs();
    for (const job of jobs)
      if ((job.nextDueMs() ?? Number.POSITIVE_INFINITY) <= nowMs) job.run(nowMs);
    clearTimeout(timer);
    timer = undefined;
    plan();
  };

  return {
    wake,
    plan,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
