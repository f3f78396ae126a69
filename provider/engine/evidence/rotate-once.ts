/** One rotation, exactly once: an intent, then the request; and what a lost answer leads to. */
import { createHash } from "node:crypto";
import { ErpHostError, hasCode, type Rotated } from "../../client";
import type { ServiceRecord } from "../../contract";
import { engineError, EngineError, isUndone } from "../errors";
import type { Intent } from "../journal/entry";
import { newEntry } from "./new-entry";
import { pauseForOther } from "./once";
import { isReplayable } from "../values/age";
import { keysOfRotation } from "./keys";
import type { Operation } from "../service/operation";
import type { State } from "../types";
import { createdMs, keysOfLine, newest } from "../values/line";

interface Rotation {
  readonly rotated: Rotated;
  readonly intent: Intent | undefined;
}

/** Idempotency keys that one rotation tries, where the service keeps repeating its own failure. */
const KEYS_MAX = 2;

/**
 * One rotation under an intent; an interrupted one is first repeated under its own key. On another
 * machine the same key leads to the same successor, and to its secret.
 */
export async function rotateOnce(op: Operation, prior: State, keyId: string): Promise<Rotation> {
  const { journal } = op.run;
  const before = await interrupted(op, keyId);
  if (before.rotation) return before.rotation;
  const keyOf = keysOfRotation(op, keyId);
  let sent = before.claimed;
  let idempotencyKey = keyOf();
  for (let tries = 1; ; tries += 1) {
    const bodyHash = hashOfTarget(keyId);
    const entry = { operation: "rotate", target: keyId, bodyHash, idempotencyKey } as const;
    const intent = await journal.begin(await newEntry(op, entry));
    try {
      const rotated = await op.core.rotate(keyId, { ...op.calls, idempotencyKey });
      await assertNewest(op, prior, { keyId, rotated });
      return { rotated, intent };
    } catch (error) {
      sent ||= error instanceof ErpHostError && error.ambiguous;
      if (hasCode(error, "replayed_failure") && tries < KEYS_MAX) {
        await journal.drop(intent);
        idempotencyKey = keyOf(idempotencyKey);
        continue;
      }
      return await rotateInstead(op, prior, { keyId, error, sent, intent });
    }
  }
}

/** What a refused rotation leads to, and what becomes of its intent. */
async function rotateInstead(
  op: Operation,
  prior: State,
  { intent, ...refused }: Refused & { readonly intent: Intent | undefined },
): Promise<Rotation> {
  const { journal } = op.run;
  try {
    const rotation = await rotateSuccessor(op, prior, refused);
    await journal.drop(intent);
    return rotation;
  } catch (again) {
    // Left behind, a refused request would count as one of ours in the next run.
    const isOver = refused.error instanceof EngineError;
    const isRefused = isOver || (!refused.sent && isUndone(refused.error));
    await (isRefused ? journal.drop(intent) : journal.abandon(intent));
    throw again;
  }
}

/**
 * A replay may be as old as the service's memory: the line may have moved on since.
 * @throws EngineError `rotated_elsewhere`
 */
async function assertNewest(
  op: Operation,
  prior: State,
  { keyId, rotated }: { readonly keyId: string; readonly rotated: Rotated },
): Promise<void> {
  const listed = op.contract.resources.api_key.operations.list !== undefined;
  if (!rotated.replayed || !listed) return;
  const { id, created_at: createdAt } = rotated.rotation.new_key;
  const { records } = await op.core.snapshot("api_key", op.calls);
  const line = records.get(id)?.fields["lineage_id"] ?? prior.id;
  const next = newest(keysOfLine(records, line));
  if (next && next.id !== id && createdMs(next) > Date.parse(createdAt)) {
    throw rotatedElsewhere(op, keyId, next.id);
  }
}

const hashOfTarget = (keyId: string): string =>
  createHash("sha256").update(keyId).digest("base64url");

/** What interrupted rotations of a key led to. */
interface Interrupted {
  /** Whether there were any. */
  readonly claimed: boolean;
  /** Undefined where the service gives no answer any more. */
  readonly rotation: Rotation | undefined;
}

async function interrupted(op: Operation, keyId: string): Promise<Interrupted> {
  const claimed = await op.run.journal.claim(
    {
      operation: "rotate",
      kind: op.kind.name,
      identity: op.options.identity,
      bodyHash: hashOfTarget(keyId),
      target: keyId,
    },
    pauseForOther(op),
  );
  let rotation: Rotation | undefined;
  for (const intent of claimed) {
    if (rotation) {
      await op.run.journal.abandon(intent);
      continue;
    }
    const rotated = await replayRotation(op, intent, keyId).catch(async (error: unknown) => {
      await op.run.journal.abandon(intent);
      throw error;
    });
    if (rotated) rotation = { rotated, intent };
    else await op.run.journal.drop(intent);
  }
  return { claimed: claimed.length > 0, rotation };
}

async function replayRotation(
  op: Operation,
  { entry }: Intent,
  keyId: string,
): Promise<Rotated | undefined> {
  const ageMs = await op.run.time.ageOf(entry, op.calls);
  if (!isReplayable(op.contract, ageMs)) return undefined;
  const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
  return op.core.rotate(keyId, options).catch((error: unknown) => {
    // There is no replay: another key of the account asks, or the service has forgotten it.
    if (isConflict(error) || hasCode(error, "validation_error")) return undefined;
    throw error;
  });
}

const isConflict = (error: unknown): boolean =>
  ["conflict", "idempotency_conflict", "idempotency_foreign", "not_found"].some((code) =>
    hasCode(error, code),
  );

/** A rotation that was refused. */
interface Refused {
  readonly keyId: string;
  readonly error: unknown;
  /** Whether an earlier request of ours may have been done. */
  readonly sent: boolean;
}

/**
 * The key was already rotated and nobody here has its successor. Where the answer to a rotation of
 * ours was lost, the successor is rotated, and the warning says when it ends; a run may have been
 * killed in the middle of just that. Otherwise somebody holds it.
 */
async function rotateSuccessor(
  op: Operation,
  prior: State,
  { keyId, error, sent }: Refused,
): Promise<Rotation> {
  const listed = op.contract.resources.api_key.operations.list !== undefined;
  if (!isConflict(error) || !listed) throw error;
  const line = await successors(op, prior, keyId);
  const next = newest(line);
  if (!next) throw error;
  let ours = sent;
  for (const { id } of line) {
    const { claimed, rotation } = await interrupted(op, id);
    ours ||= claimed;
    if (rotation) return named(op, rotation);
  }
  const { key_id: own } = await op.core.authTest(op.calls);
  if (!ours || next.id === own) {
    throw rotatedElsewhere(op, keyId, next.id);
  }
  return named(op, await rotateOnce(op, prior, next.id));
}

const rotatedElsewhere = ({ kind }: Operation, keyId: string, successor: string): EngineError =>
  engineError(
    "rotated_elsewhere",
    { keyId, successor },
    { subject: { kind: kind.name }, path: ["key_id"] },
  );

/** Names the key whose secret was lost, with its end. */
function named(op: Operation, rotation: Rotation): Rotation {
  const { id: keyId, expires_at: end } = rotation.rotated.rotation.old_key;
  op.warn("lost_successor_rotated", { keyId, end });
  return rotation;
}

/** Keys of the same line that were created after it. */
async function successors(
  op: Operation,
  prior: Pick<State, "id">,
  keyId: string,
): Promise<ServiceRecord[]> {
  const { records } = await op.core.snapshot("api_key", op.calls);
  const key = records.get(keyId);
  return keysOfLine(records, key?.fields["lineage_id"] ?? prior.id).filter(
    (record) => record.id !== keyId && (!key || createdMs(record) >= createdMs(key)),
  );
}
