/** What is to happen to objects at a later time; kept with the state. */
import type { Job } from "../time/scheduler";
import type { Database } from "./database";

/** `state`: enter the state in `detail`. `rotate`, `retire`: for keys. */
export type TimerAction = "state" | "rotate" | "retire";

export interface Timer {
  readonly seq: number;
  readonly due_ms: number;
  readonly kind: string;
  readonly id: string;
  readonly action: TimerAction;
  readonly detail: string;
}

/** Timers that run in one go; the rest waits for the next. */
const RUN_COUNT_MAX = 200_000;

const FIRST = "SELECT * FROM timers ORDER BY due_ms, seq LIMIT 1";

/** Stored timers. The function set with `onDue` acts on them. */
export class Timers implements Job {
  private handle: (timer: Timer) => void = () => undefined;

  constructor(private readonly database: Database) {}

  add({ due_ms, kind, id, action, detail }: Omit<Timer, "seq">): void {
    const sql = "INSERT INTO timers (due_ms, kind, id, action, detail) VALUES (?, ?, ?, ?, ?)";
    this.database.run(sql, due_ms, kind, id, action, detail);
  }

  /** Removes the timers of an object, all of them or those of one action. */
  drop(kind: string, id: string, action?: TimerAction): void {
    const sql = "DELETE FROM timers WHERE kind = ? AND id = ?";
    if (action === undefined) this.database.run(sql, kind, id);
    else this.database.run(`${sql} AND action = ?`, kind, id, action);
  }

  onDue(handler: (timer: Timer) => void): void {
    this.handle = handler;
  }

  nextDueMs(): number | undefined {
    return this.database.one<Timer>(FIRST)?.due_ms;
  }

  /** Runs timers in the order of their times, so that a jump over months takes every step. */
  run(nowMs: number): void {
    this.database.transaction(() => {
      for (let count = 0; count < RUN_COUNT_MAX; count += 1) {
        const timer = this.database.one<Timer>(FIRST);
        if (!timer || timer.due_ms > nowMs) return;
        this.database.run("DELETE FROM timers WHERE seq = ?", timer.seq);
        this.handle(timer);
      }
    });
  }
}
