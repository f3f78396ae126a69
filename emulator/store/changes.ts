/** The latest writes and what was there before, so that a lagging list can be shown. */
import type { StoredObject } from "./records";

interface Change {
  readonly atMs: number;
  readonly kind: string;
  readonly id: string;
  /** Undefined: the object was made by this write. */
  readonly before: StoredObject | undefined;
}

export interface Changes {
  note(kind: string, id: string, before: StoredObject | undefined): void;
  /** The rows of a kind as they were `lagMs` real milliseconds ago. */
  undone(kind: string, rows: readonly StoredObject[], lagMs: number): StoredObject[];
  clear(): void;
}

/** Writes that are remembered; older ones show in every list. */
const CHANGE_COUNT_MAX = 20_000;

/** Lag is measured in real time, since a client's patience is. */
export function createChanges(monotonicMs: () => number): Changes {
  let changes: Change[] = [];
  return {
    note: (kind, id, before) => {
      changes.push({ atMs: monotonicMs(), kind, id, before });
      if (changes.length > CHANGE_COUNT_MAX * 1.5) changes = changes.slice(-CHANGE_COUNT_MAX);
    },
    undone: (kind, rows, lagMs) => {
      const since = monotonicMs() - lagMs;
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const change of changes.toReversed()) {
        if (change.atMs <= since) break;
        if (change.kind !== kind) continue;
        if (change.before) byId.set(change.id, change.before);
        else byId.delete(change.id);
      }
      return [...byId.values()].sort((a, b) => a.seq - b.seq);
    },
    clear: () => {
      changes = [];
    },
  };
}
