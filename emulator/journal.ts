/** What was asked of the service, newest last, without any secret. */
import { createHmac } from "node:crypto";
import type { RandomBytes } from "./random";

/** One request to the service. Times are real, ISO 8601 in UTC. */
export interface JournalEntry {
  readonly seq: number;
  readonly request_id: string;
  readonly method: string;
  /** Below the base address, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Such as `server.create`; null where there is none for the path. */
  readonly operation: string | null;
  readonly key_id: string | null;
  /** Null while the request is running, and where no answer was made. */
  readonly status: number | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly idempotency_key: string | null;
  /** Whether the answer came from an earlier request. */
  readonly replayed: boolean;
  /** Equal for equal bodies within one emulator; tells nothing of the body. */
  readonly body_fingerprint: string | null;
  /** Effects of faults on this request. */
  readonly faults: readonly string[];
}

/** The part of an entry that is known only later. */
export type JournalChange = Partial<
  Pick<JournalEntry, "operation" | "key_id" | "status" | "ended_at" | "duration_ms" | "replayed">
>;

export interface Journal {
  begin(
    entry: Omit<JournalEntry, "seq" | keyof JournalChange | "body_fingerprint">,
    body: string,
  ): number;
  note(seq: number, change: JournalChange): void;
  entries(): JournalEntry[];
  clear(): void;
}

/** Entries that are kept; the oldest go first. */
const JOURNAL_ENTRIES_MAX = 20_000;

export function createJournal(bytes: RandomBytes): Journal {
  // A plain hash of a short body could be guessed back; one under a key of this process can't.
  const key = bytes(32);
  const entries = new Map<number, JournalEntry>();
  let last = 0;
  return {
    begin: (entry, body) => {
      last += 1;
      const fingerprint =
        body === "" ? null : createHmac("sha256", key).update(body).digest("hex").slice(0, 16);
      entries.set(last, {
        seq: last,
        ...entry,
        operation: null,
        key_id: null,
        status: null,
        ended_at: null,
        duration_ms: null,
        replayed: false,
        body_fingerprint: fingerprint,
      });
      if (entries.size > JOURNAL_ENTRIES_MAX) {
        const [oldest] = entries.keys();
        if (oldest !== undefined) entries.delete(oldest);
      }
      return last;
    },
    note: (seq, change) => {
      const entry = entries.get(seq);
      if (entry) entries.set(seq, { ...entry, ...change });
    },
    entries: () => [...entries.values()],
    clear: () => entries.clear(),
  };
}
