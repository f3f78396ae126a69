/** The requests that the service has received, without any secret. */
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
  /** Such as `server.create`; null where the path has no operation. */
  readonly operation: string | null;
  readonly key_id: string | null;
  /** Null while the request is running and where it got no answer. */
  readonly status: number | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly idempotency_key: string | null;
  /** Whether the answer came from an earlier request. */
  readonly replayed: boolean;
  /** Equal for equal bodies within one emulator; reveals nothing about the body. */
  readonly body_fingerprint: string | null;
  /** Effects of the faults that this request met. */
  readonly faults: readonly string[];
}

/** The part of an entry that is known only later. */
export type JournalChange = Partial<
  Pick<JournalEntry, "operation" | "key_id" | "status" | "ended_at" | "duration_ms" | "replayed">
>;

/** What is known of a request when it arrives. */
export type NewEntry = Omit<JournalEntry, "seq" | keyof JournalChange | "body_fingerprint">;

/** How often one call was made. */
export interface CallCount {
  readonly method: string;
  /** Below the base address, without the query. */
  readonly path: string;
  readonly operation: string | null;
  readonly count: number;
  /** How often each status was answered; `none`: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Entries that are kept; the oldest are dropped first. */
const JOURNAL_ENTRIES_MAX = 20_000;

/** Requests to the service, in memory. */
export class Journal {
  // A plain hash of a short body could be guessed; one with a key of this process cannot.
  private readonly key: Uint8Array;
  private readonly list = new Map<number, JournalEntry>();
  private last = 0;

  constructor(bytes: RandomBytes) {
    this.key = bytes(32);
  }

  /** Adds a request that has just arrived; answers its number. */
  begin(entry: NewEntry, body: string): number {
    this.last += 1;
    this.list.set(this.last, {
      seq: this.last,
      ...entry,
      operation: null,
      key_id: null,
      status: null,
      ended_at: null,
      duration_ms: null,
      replayed: false,
      body_fingerprint: body === "" ? null : this.fingerprint(body),
    });
    if (this.list.size > JOURNAL_ENTRIES_MAX) {
      const [oldest] = this.list.keys();
      if (oldest !== undefined) this.list.delete(oldest);
    }
    return this.last;
  }

  /** Adds to an entry what is known now. */
  note(seq: number, change: JournalChange): void {
    const entry = this.list.get(seq);
    if (entry) this.list.set(seq, { ...entry, ...change });
  }

  /** All entries, newest last. */
  entries(): JournalEntry[] {
    return [...this.list.values()];
  }

  /** Requests with a `seq` above `after`, counted by method and path, in the order of the first. */
  counts(after = 0): CallCount[] {
    const calls = new Map<string, CallCount>();
    for (const { seq, method, path, operation, status } of this.list.values()) {
      if (seq <= after) continue;
      const name = `${method} ${path}`;
      const known = calls.get(name);
      const statuses = new Map(Object.entries(known?.statuses ?? {}));
      const answer = String(status ?? "none");
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
      calls.set(name, {
        ...{ method, path, operation: known?.operation ?? operation },
        count: (known?.count ?? 0) + 1,
        statuses: Object.fromEntries(statuses),
      });
    }
    return [...calls.values()];
  }

  /** Forgets all entries. */
  clear(): void {
    this.list.clear();
  }

  private fingerprint(body: string): string {
    return createHmac("sha256", this.key).update(body).digest("hex").slice(0, 16);
  }
}
