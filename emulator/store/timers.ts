/** What is to happen to an object at a later time, kept with the state. */
import type { Job } from "../time/scheduler";
import type { Database } from "./database";

/** `state`: take the state in `detail`. `rotate`, `retire`: of keys. */
export type TimerAction = "state" | "rotate" | "retire";

export interface Timer {
  readonly seq: number;
  readonly due_ms: number;
  readonly kind: string;
  readonly id: string;
  readonly action: TimerAction;
  readonly detail: string;
}

export interface Timers extends Job {
  add(timer: Omit<Timer, "seq">): void;
  /** Forgets an object's timers, all or those of one action. */
  drop(kind: string, id: string, action?: TimerAction): void;
  /** Reads the next due time from the store again, after it was replaced. */
  reload(): void;
  onDue(handler: (timer: Timer) => void): void;
}

/** Timers that run at one waking at most; more wait for the next. */
const RUN_COUNT_MAX = 200_000;

export function createTimers(database: Database): Timers {
  let next: number | undefined;
  let handle: (timer: Timer) => void = () => undefined;
  const first = () => database.one<Timer>("SELECT * FROM timers ORDER BY due_ms, seq LIMIT 1");
  const reload = () => {
    next = first()?.due_ms;
  };
  reload();
  return {
    reload,
    add: ({ due_ms, kind, id, action, detail }) => {
      database.run(
        "INSERT INTO timers (due_ms, kind, id, action, detail) VALUES (?, ?, ?, ?, ?)",
        due_ms,
        kind,
        id,
        action,
        detail,
      );
      // A rolled back transaction leaves this too early, which costs one empty look.
      if (next === undefined || due_ms < next) next = due_ms;
    },
    drop: (kind, id, action) => {
      if (action === undefined) {
        database.run("DELETE FROM timers WHERE kind = ? AND id = ?", kind, id);
      } else {
        database.run(
          "DELETE FROM timers WHERE kind = ? AND id = ? AND action = ?",
          kind,
          id,
          action,
        );
      }
    },
    onDue: (handler) => {
      handle = handler;
    },
    nextDueMs: () => next,
    // In the order of their times, so that a jump over months goes through every step of it.
    run: (nowMs) =>
      database.transaction(() => {
        for (let count = 0; count < RUN_COUNT_MAX; count += 1) {
          const timer = first();
          next = timer?.due_ms;
          if (!timer || timer.due_ms > nowMs) return;
          database.run("DELETE FROM timers WHERE seq = ?", timer.seq);
          handle(timer);
        }
        reload();
      }),
  };
}
