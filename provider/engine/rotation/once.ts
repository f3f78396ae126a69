/** One rotation, exactly once: an intent, then the request; and what a lost answer leads to. */
import { createHash } from "node:crypto";
import type { Rotated } from "../../client/api";
import { ErpHostError, hasCode } from "../../client/errors";
import type { ServiceRecord } from "../../contract";
import { EngineError } from "../errors";
import type { Intent } from "../intents/store";
import { createdMs, newest } from "../lifecycle/records";
import { isUndone } from "../refusals";
import { isReplayable } from "../intents/service-time";
import type { State } from "../types";
import { type Operation, behind } from "../operation";

interface Once {
  readonly rotated: Rotated;
  readonly intent: Intent | undefined;
}

/** One rotation under an intent; an interrupted one is asked for again under its own key first. */
export async function rotateOnce(op: Operation, prior: State, keyId: string): Promise<Once> {
  const before = await interrupted(op, keyId);
  if (before.once) return before.once;
  const serviceTime = await op.machine.time.known(op.context);
  const entry = {
    version: 1 as const,
    id: op.machine.uuid(),
    account: op.core.account,
    operation: "rotate" as const,
    kind: op.kind.name,
    ...(op.context.identity !== undefined && { identity: op.context.identity }),
    target: keyId,
    idempotencyKey: op.machine.uuid(),
    bodyHash: hashOfTarget(keyId),
    time: op.machine.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
  };
  const intent = await op.machine.intents.begin(entry);
  const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
  try {
    return { rotated: await op.core.rotate(keyId, options), intent };
  } catch (error) {
    const sent = before.claimed || (error instanceof ErpHostError && error.ambiguous);
    try {
      const once = await rotateSuccessor(op, prior, { keyId, error, sent });
      await op.machine.intents.drop(intent);
      return once;
    } catch (again) {
      // Left behind, a refused request would count as one of ours in the next run.
      const refused = !sent && isUndone(error);
      await (refused ? op.machine.intents.drop(intent) : op.machine.intents.abandon(intent));
      throw again;
    }
  }
}

const hashOfTarget = (keyId: string): string =>
  createHash("sha256").update(keyId).digest("base64url");

/** What interrupted rotations of a key came to. */
interface Interrupted {
  /** Whether there were any. */
  readonly claimed: boolean;
  /** Undefined where no answer is to be had. */
  readonly once: Once | undefined;
}

async function interrupted(op: Operation, keyId: string): Promise<Interrupted> {
  const claimed = await op.machine.intents.claim(
    {
      operation: "rotate",
      kind: op.kind.name,
      identity: op.context.identity,
      bodyHash: hashOfTarget(keyId),
      target: keyId,
    },
    behind(op),
  );
  let once: Once | undefined;
  for (const intent of claimed) {
    if (once) {
      await op.machine.intents.abandon(intent);
      continue;
    }
    const rotated = await replayRotation(op, intent, keyId).catch(async (error: unknown) => {
      await op.machine.intents.abandon(intent);
      throw error;
    });
    if (rotated) once = { rotated, intent };
    else await op.machine.intents.drop(intent);
  }
  return { claimed: claimed.length > 0, once };
}

async function replayRotation(
  op: Operation,
  { entry }: Intent,
  keyId: string,
): Promise<Rotated | undefined> {
  const ageMs = await op.machine.time.ageOf(entry, op.context);
  if (!isReplayable(op.contract, ageMs)) return undefined;
  const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
  return op.core.rotate(keyId, options).catch((error: unknown) => {
    // The replay can't be had (another key of the account asks, or it is forgotten).
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
  /** Whether we may have sent one before that was done. */
  readonly sent: boolean;
}

/**
 * The key was rotated already and nobody here has its successor. Where the answer to a rotation of
 * ours was lost, the successor is rotated, and named with its end; a run may have been killed in the
 * middle of just that. Else somebody holds it.
 */
async function rotateSuccessor(
  op: Operation,
  prior: State,
  { keyId, error, sent }: Refused,
): Promise<Once> {
  const listed = op.contract.resources.api_key.operations.list !== undefined;
  if (!isConflict(error) || !listed) throw error;
  const line = await successors(op, prior, keyId);
  const next = newest(line);
  if (!next) throw error;
  let ours = sent;
  for (const { id } of line) {
    const { claimed, once } = await interrupted(op, id);
    ours ||= claimed;
    if (once) return named(op, once);
  }
  const { key_id: own } = await op.core.authTest(op.calls);
  if (!ours || next.id === own) {
    throw new EngineError(
      "rotated_elsewhere",
      `Key ${keyId} was rotated elsewhere and can't be rotated again; its successor is ${next.id}, and whoever rotated it has the secret. Declare that key, or refresh, then try again.`,
      ["key_id"],
    );
  }
  return named(op, await rotateOnce(op, prior, next.id));
}

function named(op: Operation, once: Once): Once {
  const { id, expires_at: end } = once.rotated.rotation.old_key;
  op.warnings.push(
    `Key ${id} was made by a rotation whose answer was lost; nobody holds its secret. It was rotated in turn and ends at ${end}.`,
  );
  return once;
}

/** Keys of the same line that were made after it. */
async function successors(
  op: Operation,
  prior: Pick<State, "id">,
  keyId: string,
): Promise<ServiceRecord[]> {
  const snapshot = await op.core.snapshot("api_key", op.calls);
  const key = snapshot.records.get(keyId);
  const lineage = key?.fields["lineage_id"] ?? prior.id;
  return [...snapshot.records.values()].filter(
    (record) =>
      record.fields["lineage_id"] === lineage &&
      record.id !== keyId &&
      (key === undefined || createdMs(record) >= createdMs(key)),
  );
}
