/** Webhook endpoints, and the messages that wait for them; kept with the state. */
import type { SQLInputValue } from "node:sqlite";
import type { RandomBytes } from "../random";
import type { Database } from "../store/database";
import type { WireRecord } from "../store/records";
import { seal, unseal } from "../store/vault";
import { isoOf } from "../time/clock";
import { makeSecret } from "./sign";

/** An endpoint as it is shown: without its secret. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Null: every event. */
  readonly events: readonly string[] | null;
  /** Whether a 410 has ended it. */
  readonly disabled: boolean;
  readonly created_at: string;
}

export type DeliveryState = "pending" | "delivered" | "failed" | "dropped";

/** One message to one endpoint. */
export interface Delivery {
  readonly seq: number;
  /** The same on every attempt; the same for every endpoint of one event. */
  readonly id: string;
  readonly endpoint_id: string;
  readonly event: string;
  /** JSON text that is signed and sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, by the emulator's clock. */
  readonly due_ms: number;
  readonly last_status: number | null;
  readonly last_problem: string | null;
}

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly events: string;
  readonly secret: Uint8Array;
  readonly disabled: number;
  readonly created_at: string;
}

export interface NewEndpoint {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
}

/** Where to send a delivery to, and what to sign it with. */
export interface Target {
  readonly url: string;
  readonly secret: string;
}

export interface Outbox {
  /** Answers the secret, this once. */
  register(endpoint: NewEndpoint, nowMs: number): Endpoint & { readonly secret: string };
  endpoints(): Endpoint[];
  /** Whether there was one. Its waiting messages go with it. */
  remove(id: string): boolean;
  /** Puts a message for every subscriber of an event; inside the transaction that made it. */
  readonly emit: (event: string, data: WireRecord, atMs: number) => void;
  deliveries(): Delivery[];
  /** Whether any message waits; asked on every request, so it is kept ready. */
  waiting(): boolean;
  /** What is due, oldest first. */
  due(nowMs: number, limit: number): Delivery[];
  target(endpointId: string): Target | undefined;
  settle(
    seq: number,
    change: Pick<Delivery, "state" | "attempts" | "due_ms" | "last_status" | "last_problem">,
  ): void;
  /** After a 410: no more messages to this endpoint. */
  disable(endpointId: string): void;
  clear(): void;
}

const ID_BYTES = 12;
/** Messages that are kept; finished ones beyond that go, the oldest first. */
const DELIVERIES_MAX = 10_000;

const shown = ({ id, url, events, disabled, created_at }: EndpointRow): Endpoint => ({
  id,
  url,
  // Written by `register`, from a list or null.
  events: JSON.parse(events) as string[] | null,
  disabled: disabled !== 0,
  created_at,
});

/** `fileKey` closes the endpoints' secrets: signing needs them in plain, so no hash will do. */
export function createOutbox(database: Database, fileKey: Uint8Array, bytes: RandomBytes): Outbox {
  const idOf = (prefix: string) => `${prefix}_${Buffer.from(bytes(ID_BYTES)).toString("hex")}`;
  let waiting: boolean | undefined;
  const write = (sql: string, ...values: SQLInputValue[]) => {
    waiting = undefined;
    return database.run(sql, ...values);
  };
  const rows = () => database.all<EndpointRow>("SELECT * FROM endpoints ORDER BY rowid");
  return {
    register: ({ url, events, secret = makeSecret(bytes) }, nowMs) => {
      const id = idOf("whe");
      write(
        "INSERT INTO endpoints (id, url, events, secret, created_at) VALUES (?, ?, ?, ?, ?)",
        id,
        url,
        JSON.stringify(events ?? null),
        seal(secret, fileKey, id, bytes),
        isoOf(nowMs),
      );
      return { id, url, events: events ?? null, disabled: false, created_at: isoOf(nowMs), secret };
    },
    endpoints: () => rows().map(shown),
    remove: (id) => {
      write(
        "UPDATE deliveries SET state = 'dropped' WHERE endpoint_id = ? AND state = 'pending'",
        id,
      );
      return write("DELETE FROM endpoints WHERE id = ?", id) > 0;
    },
    emit: (event, data, atMs) => {
      const subscribers = rows()
        .map(shown)
        .filter(({ disabled, events }) => !disabled && (events?.includes(event) ?? true));
      if (subscribers.length === 0) return;
      const id = idOf("msg");
      const body = JSON.stringify({ event, timestamp: isoOf(atMs), data });
      for (const { id: endpointId } of subscribers) {
        write(
          `INSERT INTO deliveries (id, endpoint_id, event, body, state, due_ms)
           VALUES (?, ?, ?, ?, 'pending', ?)`,
          id,
          endpointId,
          event,
          body,
          atMs,
        );
      }
      write(
        `DELETE FROM deliveries WHERE state <> 'pending'
         AND seq <= (SELECT max(seq) FROM deliveries) - ?`,
        DELIVERIES_MAX,
      );
    },
    waiting: () =>
      (waiting ??=
        database.one("SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT 1") !== undefined),
    deliveries: () => database.all<Delivery>("SELECT * FROM deliveries ORDER BY seq"),
    due: (nowMs, limit) =>
      database.all<Delivery>(
        `SELECT * FROM deliveries WHERE state = 'pending' AND due_ms <= ?
         ORDER BY due_ms, seq LIMIT ?`,
        nowMs,
        limit,
      ),
    target: (endpointId) => {
      const row = database.one<EndpointRow>("SELECT * FROM endpoints WHERE id = ?", endpointId);
      const secret = row && unseal(row.secret, fileKey, row.id);
      return row && secret !== undefined && !row.disabled ? { url: row.url, secret } : undefined;
    },
    settle: (seq, { state, attempts, due_ms, last_status, last_problem }) => {
      write(
        `UPDATE deliveries SET state = ?, attempts = ?, due_ms = ?, last_status = ?, last_problem = ?
         WHERE seq = ?`,
        state,
        attempts,
        due_ms,
        last_status,
        last_problem,
        seq,
      );
    },
    disable: (endpointId) => {
      write("UPDATE endpoints SET disabled = 1 WHERE id = ?", endpointId);
      write(
        "UPDATE deliveries SET state = 'dropped' WHERE endpoint_id = ? AND state = 'pending'",
        endpointId,
      );
    },
    clear: () => {
      write("DELETE FROM endpoints");
      write("DELETE FROM deliveries");
    },
  };
}
