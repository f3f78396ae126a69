/** One rotation, exactly once: an intent, then the request; and what a lost answer leads to. */
import { createHash } from "node:crypto";
import type { Rotated } from "../client/api";
import { ErpHostError, hasCode } from "../client/errors";
import type { ServiceRecord } from "../contract";
import type { Kind } from "../resources";
import { callOptions } from "./call-options";
import { EngineError } from "./errors";
import type { Intent } from "./intents";
import { behind, type Machine } from "./machine";
import { createdMs, newest } from "./records";
import { isUndone } from "./refusals";
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
  const before = await interrupted(machine, kind, keyId, context);
  if (before.once) return before.once;
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
    const sent = before.claimed || (error instanceof ErpHostError && error.ambiguous);
    try {
      const once = await rotateSuccessor(
        machine,
        kind,
        prior,
        { keyId, error, sent },
        context,
        warnings,
      );
      await machine.intents.drop(intent);
      return once;
    } catch (again) {
      // Left behind, a refused request would count as one of ours in the next run.
      const refused = !sent && isUndone(error);
      await (refused ? machine.intents.drop(intent) : machine.intents.abandon(intent));
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

async function interrupted(
  machine: Machine,
  kind: Kind,
  keyId: string,
  context: Context,
): Promise<Interrupted> {
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
  let once: Once | undefined;
  for (const intent of claimed) {
    if (once) {
      await machine.intents.abandon(intent);
      continue;
    }
    const rotated = await replayRotation(machine, intent, keyId, context).catch(
      async (error: unknown) => {
        await machine.intents.abandon(intent);
        throw error;
      },
    );
    if (rotated) once = { rotated, intent };
    else await machine.intents.drop(intent);
  }
  return { claimed: claimed.length > 0, once };
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
  machine: Machine,
  kind: Kind,
  prior: State,
  { keyId, error, sent }: Refused,
  context: Context,
  warnings: string[],
): Promise<Once> {
  const listed = machine.core.contract.resources.api_key.operations.list !== undefined;
  if (!isConflict(error) || !listed) throw error;
  const line = await successors(machine, prior, keyId, context);
  const next = newest(line);
  if (!next) throw error;
  let ours = sent;
  for (const { id } of line) {
    const { claimed, once } = await interrupted(machine, kind, id, context);
    ours ||= claimed;
    if (once) return named(once, warnings);
  }
  const { key_id: own } = await machine.core.authTest(callOptions(context));
  if (!ours || next.id === own) {
    throw new EngineError(
      "rotated_elsewhere",
      `Key ${keyId} was rotated elsewhere and can't be rotated again; its successor is ${next.id}, and whoever rotated it has the secret. Declare that key, or refresh, then try again.`,
      ["key_id"],
    );
  }
  return named(await rotateOnce(machine, kind, prior, next.id, context, warnings), warnings);
}

function named(once: Once, warnings: string[]): Once {
  const { id, expires_at: end } = once.rotated.rotation.old_key;
  warnings.push(
    `Key ${id} was made by a rotation whose answer was lost; nobody holds its secret. It was rotated in turn and ends at ${end}.`,
  );
  return once;
}

/** Keys of the same line that were made after it. */
async function successors(
  machine: Machine,
  prior: Pick<State, "id">,
  keyId: string,
  context: Context,
): Promise<ServiceRecord[]> {
  const snapshot = await machine.core.snapshot("api_key", callOptions(context));
  const key = snapshot.records.get(keyId);
  const lineage = key?.fields["lineage_id"] ?? prior.id;
  return [...snapshot.records.values()].filter(
    (record) =>
      record.fields["lineage_id"] === lineage &&
      record.id !== keyId &&
      (key === undefined || createdMs(record) >= createdMs(key)),
  );
}
