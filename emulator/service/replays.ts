/** Idempotent POSTs: their answers, kept for a window, encrypted with the caller's key. */
import { hash } from "node:crypto";
import { canonicalJson } from "../../provider/contract";
import type { Caller } from "../keys/callers";
import type { RandomBytes } from "../random";
import type { Outcome } from "../http/answer";
import { ServiceError } from "../http/errors";
import type { Database } from "../store/database";
import { seal, unseal } from "../store/vault";

/** Method, path and idempotency key: the unit of idempotency within an account. */
export const unitOf = (method: string, path: string, key: string): string =>
  `${method} ${path} ${key}`;

export interface Attempt {
  readonly unit: string;
  readonly caller: Caller;
  readonly body: unknown;
  readonly nowMs: number;
}

interface ReplayRow {
  readonly key_id: string;
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly sealed: Uint8Array;
  readonly created_ms: number;
}

/** How long a request that came too early is to wait. */
const IN_FLIGHT_RETRY_S = 1;

const PURGE_MS = 60_000;

// Equal values are the same body, whatever the order of their members.
const fingerprintOf = (body: unknown): Uint8Array => hash("sha256", canonicalJson(body), "buffer");

/** Answers are kept for `windowMs` of the emulator's clock. */
export class Replays {
  // In memory: a request that died with its process is no longer running.
  private purgedMs = Number.NEGATIVE_INFINITY;
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly windowMs: number,
    private readonly bytes: RandomBytes,
  ) {}

  /** Marks a unit as running; refuses while another request holds it. Returns the release. */
  claim(unit: string): () => void {
    if (this.running.has(unit)) {
      throw new ServiceError(
        "idempotency_in_flight",
        "the first request with this idempotency key is still running; try again",
        { retry_after: IN_FLIGHT_RETRY_S },
        { "Retry-After": String(IN_FLIGHT_RETRY_S) },
      );
    }
    this.running.add(unit);
    return () => this.running.delete(unit);
  }

  /** The previous answer; undefined for a new unit. Refuses misuse. */
  find({ unit, caller, body, nowMs }: Attempt): Outcome | undefined {
    const endedMs = nowMs - this.windowMs;
    this.purge(endedMs);
    const sql = "SELECT * FROM replays WHERE unit = ? AND created_ms > ?";
    const row = this.database.one<ReplayRow>(sql, unit, endedMs);
    if (!row) return undefined;
    if (row.key_id !== caller.keyId) {
      throw new ServiceError(
        "idempotency_foreign",
        "this idempotency key was used with another API key of the account",
      );
    }
    if (!Buffer.from(row.fingerprint).equals(fingerprintOf(body))) {
      throw new ServiceError(
        "idempotency_conflict",
        "this idempotency key was used with another body; use a new key",
      );
    }
    const data = unseal(row.sealed, caller.token, unit);
    // The same key id with another secret: the key was renewed, and the answer cannot be decrypted.
    if (data === undefined) {
      const message = "the answer cannot be decrypted with this API key";
      throw new ServiceError("idempotency_foreign", message);
    }
    return { status: row.status, data, headers: { "Idempotent-Replayed": "true" } };
  }

  /** Deletes what is over, now and then: it is not found any more anyway. */
  private purge(endedMs: number): void {
    if (Math.abs(endedMs - this.purgedMs) < PURGE_MS) return;
    this.purgedMs = endedMs;
    this.database.run("DELETE FROM replays WHERE created_ms <= ?", endedMs);
  }

  /** Stores an answer, inside the transaction of its effect. */
  keep({ unit, caller, body, nowMs }: Attempt, outcome: Outcome): void {
    const sql = `INSERT OR REPLACE INTO replays
      (unit, key_id, fingerprint, status, sealed, created_ms) VALUES (?, ?, ?, ?, ?, ?)`;
    const sealed = seal(outcome.data, caller.token, unit, this.bytes);
    const values = [unit, caller.keyId, fingerprintOf(body), outcome.status, sealed, nowMs];
    this.database.run(sql, ...values);
  }
}
