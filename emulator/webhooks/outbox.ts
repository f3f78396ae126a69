/** Webhook endpoints and the messages for them; kept with the state. */
import type { RandomBytes } from "../random";
import type { Database } from "../store/database";
import type { WireRecord } from "../store/records";
import { seal, unseal } from "../store/vault";
import { isoOf } from "../time/clock";
import { makeSecret } from "./sign";

/** An endpoint as it is shown, without its secret. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Null: every event. */
  readonly events: readonly string[] | null;
  /** Whether it answered 410 and receives nothing more. */
  readonly disabled: boolean;
  readonly created_at: string;
}

/** What has become of a message. */
export type DeliveryState = "pending" | "delivered" | "failed" | "dropped";

export interface Delivery {
  readonly seq: number;
  /** The same on every attempt and for every endpoint of one event. */
  readonly id: string;
  readonly endpoint_id: string;
  readonly event: string;
  /** The JSON text that is signed and sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, by the emulator's clock. */
  readonly due_ms: number;
  readonly last_status: number | null;
  readonly last_problem: string | null;
}

export interface NewEndpoint {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
}

interface EndpointRow extends Pick<Endpoint, "id" | "url" | "created_at"> {
  readonly events: string;
  readonly secret: Uint8Array;
  /** Signs as well until then, by the emulator's clock. */
  readonly previous_secret: Uint8Array | null;
  readonly previous_until_ms: number;
  readonly disabled: number;
}

/** Where a delivery goes, and the secrets that sign it: two while one replaces the other. */
export interface Target {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** What an attempt changes on a delivery. */
export type DeliveryChange = Pick<
  Delivery,
  "state" | "attempts" | "due_ms" | "last_status" | "last_problem"
>;

const ID_BYTES = 12;
/** How long an old secret signs next to the new one. Assumption: Webhooks. */
const PREVIOUS_SECRET_MS = 86_400_000;
/** Messages that are kept; beyond that the oldest finished ones are deleted. */
const DELIVERIES_MAX = 10_000;

const endpointOf = ({ id, url, events, disabled, created_at }: EndpointRow): Endpoint => ({
  id,
  url,
  // Written by `register`, from a list or null.
  events: JSON.parse(events) as string[] | null,
  disabled: disabled !== 0,
  created_at,
});

/** `fileKey` encrypts the secrets of endpoints: signing needs them in plain text, so no hashes. */
export class Outbox {
  constructor(
    private readonly database: Database,
    private readonly fileKey: Uint8Array,
    private readonly bytes: RandomBytes,
  ) {}

  /** Adds an endpoint. Its secret is in this answer only. */
  register(endpoint: NewEndpoint, nowMs: number): Endpoint & { readonly secret: string } {
    const { url, events = null, secret = makeSecret(this.bytes) } = endpoint;
    const id = this.newId("whe");
    const createdAt = isoOf(nowMs);
    const sql =
      "INSERT INTO endpoints (id, url, events, secret, created_at) VALUES (?, ?, ?, ?, ?)";
    const sealed = seal(secret, this.fileKey, id, this.bytes);
    this.database.run(sql, id, url, JSON.stringify(events), sealed, createdAt);
    return { id, url, events, disabled: false, created_at: createdAt, secret };
  }

  /** All endpoints in the order of registration. */
  endpoints(): Endpoint[] {
    return this.database.all<EndpointRow>("SELECT * FROM endpoints ORDER BY rowid").map(endpointOf);
  }

  /** Removes an endpoint and drops its pending messages; false where it does not exist. */
  remove(id: string): boolean {
    this.dropPending(id);
    return this.database.run("DELETE FROM endpoints WHERE id = ?", id) > 0;
  }

  /** Gives an endpoint another secret, in this answer only; undefined where it does not exist. */
  rotateSecret(id: string, nowMs: number): string | undefined {
    const secret = makeSecret(this.bytes);
    const sql = `UPDATE endpoints SET previous_secret = secret, previous_until_ms = ?, secret = ?
      WHERE id = ?`;
    const sealed = seal(secret, this.fileKey, id, this.bytes);
    const count = this.database.run(sql, nowMs + PREVIOUS_SECRET_MS, sealed, id);
    return count > 0 ? secret : undefined;
  }

  /** Lets a disabled endpoint receive messages again; what it missed is not sent. */
  enable(id: string): boolean {
    return this.database.run("UPDATE endpoints SET disabled = 0 WHERE id = ?", id) > 0;
  }

  /** Sends a message once more, with the same id and all its attempts. */
  redeliver(seq: number, nowMs: number): void {
    const sql = "UPDATE deliveries SET state = 'pending', attempts = 0, due_ms = ? WHERE seq = ?";
    this.database.run(sql, nowMs, seq);
  }

  /** Adds a message for every subscriber of an event; inside the transaction that caused it. */
  emit(event: string, data: WireRecord, atMs: number): void {
    const ids = this.endpoints()
      .filter(({ disabled, events }) => !disabled && (events?.includes(event) ?? true))
      .map(({ id }) => id);
    this.send(ids, event, data, atMs);
  }

  /** Adds a message for these endpoints, whatever they subscribed to. */
  send(endpointIds: readonly string[], event: string, data: WireRecord, atMs: number): void {
    if (endpointIds.length === 0) return;
    const id = this.newId("msg");
    const body = JSON.stringify({ event, timestamp: isoOf(atMs), data });
    const sql = `INSERT INTO deliveries (id, endpoint_id, event, body, state, due_ms)
      VALUES (?, ?, ?, ?, 'pending', ?)`;
    for (const endpointId of endpointIds) {
      this.database.run(sql, id, endpointId, event, body, atMs);
    }
    this.database.run(
      `DELETE FROM deliveries WHERE state <> 'pending'
       AND seq <= (SELECT max(seq) FROM deliveries) - ?`,
      DELIVERIES_MAX,
    );
  }

  /** All messages in the order of their events. */
  deliveries(): Delivery[] {
    return this.database.all<Delivery>("SELECT * FROM deliveries ORDER BY seq");
  }

  /** Messages that are due, oldest first. */
  due(nowMs: number, limit: number): Delivery[] {
    const sql = `SELECT * FROM deliveries WHERE state = 'pending' AND due_ms <= ?
      ORDER BY due_ms, seq LIMIT ?`;
    return this.database.all<Delivery>(sql, nowMs, limit);
  }

  /** Address and secrets of an endpoint; undefined where it was removed or disabled. */
  target(endpointId: string, nowMs: number): Target | undefined {
    const row = this.database.one<EndpointRow>("SELECT * FROM endpoints WHERE id = ?", endpointId);
    if (!row || row.disabled !== 0) return undefined;
    const sealed = [row.secret];
    if (row.previous_secret && row.previous_until_ms > nowMs) sealed.push(row.previous_secret);
    const secrets = sealed.flatMap((each) => unseal(each, this.fileKey, row.id) ?? []);
    return secrets.length > 0 ? { url: row.url, secrets } : undefined;
  }

  recordAttempt(seq: number, change: DeliveryChange): void {
    const { state, attempts, due_ms, last_status, last_problem } = change;
    const sql = `UPDATE deliveries SET state = ?, attempts = ?, due_ms = ?, last_status = ?,
      last_problem = ? WHERE seq = ?`;
    this.database.run(sql, state, attempts, due_ms, last_status, last_problem, seq);
  }

  /** After a 410: no more messages to this endpoint. */
  disable(endpointId: string): void {
    this.database.run("UPDATE endpoints SET disabled = 1 WHERE id = ?", endpointId);
    this.dropPending(endpointId);
  }

  clear(): void {
    this.database.run("DELETE FROM endpoints");
    this.database.run("DELETE FROM deliveries");
  }

  private dropPending(endpointId: string): void {
    const pending = "endpoint_id = ? AND state = 'pending'";
    this.database.run(`UPDATE deliveries SET state = 'dropped' WHERE ${pending}`, endpointId);
  }

  private newId(prefix: string): string {
    return `${prefix}_${Buffer.from(this.bytes(ID_BYTES)).toString("hex")}`;
  }
}
