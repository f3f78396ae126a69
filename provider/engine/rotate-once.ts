/** One rotation, exactly once: an intent, then the request; and what a lost answer leads to. */
import { createHash } from "node:crypto";
import type { Rotated } from "../client/api";
import { hasCode } from "../client/errors";
import type { Kind } from "../resources";
import { callOptions } from "./call-options";
import type { Intent } from "./intents";
import { behind, type Machine } from "./machine";
import { newest } from "./records";
import { WINDOW_MARGIN_MS } from "./service-time";
import type { Context, State } from "./types";

interface Once {
  readonly rotated: Rotated;
  readonly intent: Intent | undefined;
}

/** One rotation under an intent; an interrupted one is asked for again under its own key first. */
export async function rotateOnce(
  machine: Machine,
  kind: Kind,
  prior: State,
  keyId: string,
  context: Context,
  warnings: string[],
): Promise<Once> {
  const again = await interrupted(machine, kind, keyId, context);
  if (again) return again;
  const serviceTime = await machine.time.known(context);
  const entry = {
    version: 1 as const,
    id: machine.uuid(),
    account: machine.core.account,
    operation: "rotate" as const,
    kind: kind.name,
    ...(context.identity !== undefined && { identity: context.identity }),
    target: keyId,
    idempotencyKey: machine.uuid(),
    bodyHash: hashOfTarget(keyId),
    time: machine.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
  };
  const intent = await machine.intents.begin(entry);
  const options = { ...callOptions(context), idempotencyKey: entry.idempotencyKey };
  try {
    return { rotated: await machine.core.rotate(keyId, options), intent };
  } catch (error) {
    try {
      const once = await rotateSuccessor(machine, kind, prior, keyId, error, context, warnings);
      await machine.intents.drop(intent);
      return once;
    } catch (again) {
      await machine.intents.abandon(intent);
      throw again;
    }
  }
}

const hashOfTarget = (keyId: string): string =>
  createHash("sha256").update(keyId).digest("base64url");

/** What an interrupted rotation of this key came to; undefined where there was none, or no answer is to be had. */
async function interrupted(
  machine: Machine,
  kind: Kind,
  keyId: string,
  context: Context,
): Promise<Once | undefined> {
  const claimed = await machine.intents.claim(
    {
      operation: "rotate",
      kind: kind.name,
      identity: context.identity,
      bodyHash: hashOfTarget(keyId),
      target: keyId,
    },
    behind(machine, context),
  );
  for (const intent of claimed) {
    const rotated = await replayRotation(machine, intent, keyId, context).catch(
      async (error: unknown) => {
        await machine.intents.abandon(intent);
        throw error;
      },
    );
    if (rotated) return { rotated, intent };
    await machine.intents.drop(intent);
  }
  return undefined;
}

async function replayRotation(
  machine: Machine,
  { entry }: Intent,
  keyId: string,
  context: Context,
): Promise<Rotated | undefined> {
  const ageMs = await machine.time.ageOf(entry, context);
  const windowMs = machine.core.contract.idempotencyWindowMs - WINDOW_MARGIN_MS;
  if (ageMs < 0 || ageMs > windowMs) return undefined;
  const options = { ...callOptions(context), idempotencyKey: entry.idempotencyKey };
  return machine.core.rotate(keyId, options).catch((error: unknown) => {
    // The replay can't be had (another key of the account asks, or it is forgotten).
    if (isConflict(error)) return undefined;
    throw error;
  });
}

const isConflict = (error: unknown): boolean =>
  ["conflict", "idempotency_conflict", "idempotency_foreign", "not_found", "validation_error"].some(
    (code) => hasCode(error, code),
  );

/**
 * The key was rotated already and nobody here has its successor: its answer was lost. The successor
 * is rotated, and named with its end. A run may have been killed in the middle of just that.
 */
async function rotateSuccessor(
  machine: Machine,
  kind: Kind,
  prior: State,
  keyId: string,
  error: unknown,
  context: Context,
  warnings: string[],
): Promise<Once> {
  const listed = machine.core.contract.resources.api_key.operations.list !== undefined;
  if (!isConflict(error) || !listed) throw error;
  const snapshot = await machine.core.snapshot("api_key", callOptions(context));
  const lineage = snapshot.records.get(keyId)?.fields["lineage_id"] ?? prior.id;
  const line = [...snapshot.records.values()].filter(
    (record) => record.fields["lineage_id"] === lineage && record.id !== keyId,
  );
  const lost = newest(line);
  if (!lost) throw error;
  let once: Once | undefined;
  for (const { id } of line) once ??= await interrupted(machine, kind, id, context);
  once ??= await rotateOnce(machine, kind, prior, lost.id, context, warnings);
  const { id, expires_at: end } = once.rotated.rotation.old_key;
  warnings.push(
    `Key ${id} was made by a rotation whose answer was lost; nobody holds its secret. It was rotated in turn and ends at ${end}.`,
  );
  return once;
}
