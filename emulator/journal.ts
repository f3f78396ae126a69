/** The requests that the service has received, without any secret. */
import { hash } from "node:crypto";
import { hiddenJson, jsonOf, maskSecrets } from "../provider/contract";
import type { Answer } from "./http/answer";
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
  /** The name of that key, with what looks like a secret replaced; never its value. */
  readonly key_name: string | null;
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
  /** At most 16 KiB, with what looks like a secret replaced; null: there was none. */
  readonly request_body: string | null;
  /** The whole body's length, so that it shows whether it was cut. */
  readonly request_bytes: number;
  /** The same of the answer; null while the request is running and where it got none. */
  readonly answer_body: string | null;
  readonly answer_bytes: number;
}

/** What is known of a request when it arrives. */
export type NewEntry = Pick<
  JournalEntry,
  "request_id" | "method" | "path" | "query" | "started_at" | "idempotency_key" | "faults"
>;

/** The part of an entry that is known only later. */
export type JournalChange = Pick<
  JournalEntry,
  "operation" | "key_id" | "key_name" | "ended_at" | "duration_ms"
>;

/** Receives an entry when the request arrives, and again when it is over. */
export type Follower = (entry: JournalEntry) => void;

export interface CallCount extends Pick<JournalEntry, "method" | "path" | "operation"> {
  readonly count: number;
  /** How often each status was answered; `none`: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Entries that are kept; the oldest are dropped first. */
const ENTRIES_MAX = 1_000;
/** Bytes of a body that are kept. */
const BODY_BYTES_MAX = 16_384;
/** What one secret takes at most, so that none is cut before it is found. */
const MARGIN = 4_096;
const HIDDEN = "(hidden)";
/** Members of the answer to a rotation: each holds a key's id, and the new one its value. */
const ROTATION = new Set(["old_key", "new_key"]);

/** Requests to the service, in memory. */
export class Journal {
  // A plain hash of a short body could be guessed; one with a key of this process cannot.
  private readonly key: string;
  private readonly list = new Map<number, JournalEntry>();
  private readonly followers = new Set<Follower>();
  private last = 0;

  constructor(bytes: RandomBytes) {
    this.key = Buffer.from(bytes(32)).toString("hex");
  }

  /** Adds a request that has just arrived; answers its number. */
  begin(entry: NewEntry, body: string): number {
    this.last += 1;
    this.keep({
      seq: this.last,
      ...entry,
      path: maskSecrets(entry.path, HIDDEN),
      query: entry.query === "" ? "" : maskSecrets(entry.query, HIDDEN),
      idempotency_key: entry.idempotency_key && maskedKey(entry.idempotency_key),
      operation: null,
      key_id: null,
      key_name: null,
      status: null,
      ended_at: null,
      duration_ms: null,
      replayed: false,
      body_fingerprint: body === "" ? null : this.fingerprint(body),
      request_body: body === "" ? null : cut(hiddenText(body)),
      request_bytes: Buffer.byteLength(body),
      answer_body: null,
      answer_bytes: 0,
    });
    if (this.list.size > ENTRIES_MAX) {
      const [oldest] = this.list.keys();
      if (oldest !== undefined) this.list.delete(oldest);
    }
    return this.last;
  }

  /** Completes an entry. @param answer undefined: there was none */
  end(seq: number, change: JournalChange, answer: Answer | undefined): void {
    const entry = this.list.get(seq);
    if (!entry) return;
    const body = answer?.body ?? "";
    const open = change.operation === "api_key.rotate" ? ROTATION : undefined;
    this.keep({
      ...entry,
      ...change,
      key_name: change.key_name && maskSecrets(change.key_name, HIDDEN),
      status: answer?.status ?? null,
      replayed: answer?.headers["Idempotent-Replayed"] === "true",
      answer_body: body === "" ? null : cut(hiddenAnswer(body, answer?.records, open)),
      answer_bytes: Buffer.byteLength(body),
    });
  }

  /** Calls a function with every entry from now on. Returns what ends that. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  entries(): JournalEntry[] {
    return [...this.list.values()];
  }

  /** Requests with a `seq` above `after`, counted by method and path, in the order of the first. */
  counts(after = 0): CallCount[] {
    const calls = new Map<string, CallCount>();
    for (const { seq, method, path, operation, status } of this.list.values()) {
      if (seq <= after) continue;
      const name = `${method} ${path}`;
      const known = calls.get(name) ?? { method, path, operation, count: 0, statuses: {} };
      const answer = String(status ?? "none");
      const statuses = { ...known.statuses, [answer]: (known.statuses[answer] ?? 0) + 1 };
      const count = known.count + 1;
      calls.set(name, { ...known, operation: known.operation ?? operation, count, statuses });
    }
    return [...calls.values()];
  }

  clear(): void {
    this.list.clear();
  }

  private keep(entry: JournalEntry): void {
    this.list.set(entry.seq, entry);
    for (const follower of this.followers) follower(entry);
  }

  private fingerprint(body: string): string {
    return hash("sha256", this.key + body).slice(0, 16);
  }
}

// A copy: a part of a text would keep the whole of it in memory.
const cut = (text: string): string =>
  text.length * 3 <= BODY_BYTES_MAX || Buffer.byteLength(text) <= BODY_BYTES_MAX
    ? text
    : Buffer.from(text)
        .subarray(0, BODY_BYTES_MAX)
        .toString()
        .replace(/\uFFFD$/, "");

/** Most are of this form, which hides nothing. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const maskedKey = (key: string): string => (UUID.test(key) ? key : maskSecrets(key, HIDDEN));

function hiddenText(text: string, open?: ReadonlySet<string>): string {
  const value = jsonOf(text);
  if (value === undefined) return maskSecrets(text.slice(0, BODY_BYTES_MAX + MARGIN), HIDDEN);
  // Never the text: of two members with one name it holds the first as well, unlooked at.
  return hiddenJson(value, { mask: HIDDEN, lengthMax: BODY_BYTES_MAX, open });
}

/** Answers show the same records again and again. */
function hiddenAnswer(
  body: string,
  records: readonly string[] | undefined,
  open: ReadonlySet<string> | undefined,
): string {
  if (records === undefined) return hiddenText(body, open);
  const shown: string[] = [];
  let left = BODY_BYTES_MAX;
  for (const record of records) {
    // What comes later is cut.
    if (left < 0) break;
    const hidden = hiddenRecord(record);
    left -= hidden.length;
    shown.push(hidden);
  }
  const [all, hidden] = [records.join(","), shown.join(",")];
  return all === hidden ? body : body.replace(all, () => hidden);
}

/** Records that were looked at and hold no secret; emptied when it is full. */
const harmless = new Set<string>();
const HARMLESS_MAX = 2_000;
const RECORD_LENGTH_MAX = 2_048;

function hiddenRecord(text: string): string {
  if (harmless.has(text)) return text;
  const hidden = hiddenText(text);
  // Never one with a secret, which would be kept that way.
  if (text.length > RECORD_LENGTH_MAX || hidden !== text) return hidden;
  if (harmless.size >= HARMLESS_MAX) harmless.clear();
  harmless.add(text);
  return text;
}
