/** The latest writes and what they replaced, so that a list can be shown as it was a moment ago. */
import type { StoredObject } from "./records";

interface Change {
  readonly atMs: number;
  readonly kind: string;
  readonly id: string;
  /** Undefined: this write created the object. */
  readonly before: StoredObject | undefined;
}

/** Writes that are remembered; older ones show in every list. */
const CHANGE_COUNT_MAX = 20_000;

/** Lag is measured in real time, because a client waits in real time. */
export class Changes {
  private changes: Change[] = [];

  constructor(private readonly monotonicMs: () => number) {}

  /** Remembers a write; to be called with the row before it. */
  note(kind: string, id: string, before: StoredObject | undefined): void {
    this.changes.push({ atMs: this.monotonicMs(), kind, id, before });
    if (this.changes.length > CHANGE_COUNT_MAX * 1.5) {
      this.changes = this.changes.slice(-CHANGE_COUNT_MAX);
    }
  }

  /** What was there `lagMs` real milliseconds ago of a kind's objects that were written since, by id. */
  before(kind: string, lagMs: number): ReadonlyMap<string, StoredObject | undefined> {
    const since = this.monotonicMs() - lagMs;
    const before = new Map<string, StoredObject | undefined>();
    for (const change of this.changes.toReversed()) {
      if (change.atMs <= since) break;
      if (change.kind === kind) before.set(change.id, change.before);
    }
    return before;
  }

  clear(): void {
    this.changes = [];
  }
}
