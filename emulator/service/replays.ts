/** Idempotent POSTs: what was answered, kept for a window, sealed under the caller's key. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../provider/contract";
import type { Caller } from "../keys/callers";
import type { RandomBytes } from "../random";
import type { Outcome } from "../http/answer";
import { ServiceError } from "../http/errors";
import type { Database } from "../store/database";
import { seal, unseal } from "../store/vault";

/** Method, path and idempotency key: the unit of idempotency. The account is its scope. */
export const unitOf = (method: string, path: string, key: string): string =>
  `${method} ${path} ${key}`;

export interface Replays {
  /** Marks a unit as running; refuses while another request holds it. Returns the release. */
  claim(unit: string): () => void;
  /** What was answered before; undefined for a new unit. Refuses misuse. */
  find(unit: string, caller: Caller, body: unknown, nowMs: number): Outcome | undefined;
  /** Stores an answer, inside the transaction of its effect. */
  keep(unit: string, caller: Caller, body: unknown, outcome: Outcome, nowMs: number): void;
}

interface ReplayRow {
  readonly key_id: string;
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly sealed: Uint8Array;
  readonly created_ms: number;
}

/** What a request that came too early is told to wait. */
const IN_FLIGHT_RETRY_S = 1;

// Equal values are the same body, whatever the order of their members.
const fingerprintOf = (body: unknown): Uint8Array =>
  createHash("sha256").update(canonicalJson(body)).digest();

export function createReplays(database: Database, windowMs: number, bytes: RandomBytes): Replays {
  // In memory: a request that died with its process is no longer running.
  const running = new Set<string>();
  return {
    claim: (unit) => {
      if (running.has(unit)) {
        throw new ServiceError(
          "idempotency_in_flight",
          "the first request with this idempotency key is still running; ask again",
          { retry_after: IN_FLIGHT_RETRY_S },
          { "Retry-After": String(IN_FLIGHT_RETRY_S) },
        );
      }
      running.add(unit);
      return () => running.delete(unit);
    },
    find: (unit, caller, body, nowMs) => {
      database.run("DELETE FROM replays WHERE created_ms <= ?", nowMs - windowMs);
      const row = database.one<ReplayRow>("SELECT * FROM replays WHERE unit = ?", unit);
      if (!row) return undefined;
      if (row.key_id !== caller.keyId) {
        throw new ServiceError(
          "idempotency_foreign",
          "this idempotency key was used under another API key of the account",
        );
      }
      if (!Buffer.from(row.fingerprint).equals(fingerprintOf(body))) {
        throw new ServiceError(
          "idempotency_conflict",
          "this idempotency key was used with another body; use a new key",
        );
      }
      const data = unseal(row.sealed, caller.token, unit);
      // The same key id with another secret: the first key was renewed, what it was told is lost.
      if (data === undefined) {
        throw new ServiceError(
          "idempotency_foreign",
          "the answer can't be opened with this API key",
        );
      }
      return { status: row.status, data, headers: { "Idempotent-Replayed": "true" } };
    },
    keep: (unit, caller, body, outcome, nowMs) => {
      database.run(
        `INSERT INTO replays (unit, key_id, fingerprint, status, sealed, created_ms)
         VALUES (?, ?, ?, ?, ?, ?)`,
        unit,
        caller.keyId,
        fingerprintOf(body),
        outcome.status,
        seal(outcome.data, caller.token, unit, bytes),
        nowMs,
      );
    },
  };
}
