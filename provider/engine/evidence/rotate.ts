/** One rotation, exactly once: what was begun is repeated, or else one attempt is made. */
import { createHash } from "node:crypto";
import { ErpHostError, hasCode, type Rotated, type SnapshotOptions } from "../../client";
import { engineError, EngineError, isNotForUs } from "../errors";
import { kinds } from "../../resources";
import { isServed, type Parts, type Voice } from "../service/operation";
import { readListed } from "../service/reading";
import type { State } from "../types";
import { createdMs, isReplayable, newest } from "../values/time";
import { keysOfLine } from "../values/api-key";
import { attempt, claim, followed, keysOfRotation, type Sender } from "./attempt";
import { afterAnswer, refusal, type Verdict } from "./verdicts";

/** Failures of the service's own under which a rotation is tried again in one run. */
const FAILURES_MAX = 2;
/** Idempotency keys for which the service may remember failures, those of earlier runs included. */
const KEYS_MAX = 50;

type Rotator = Sender & Parts<"account" | "on">;

/** On another machine, the same key leads to the same successor, and to its secret. */
export async function rotateOnce(op: Rotator, prior: State, keyId: string): Promise<Rotated> {
  const before = await rotatedEarlier(op, prior, keyId);
  if (before.rotated) return before.rotated;
  let sent = before.claimed;
  let failures = 0;
  return attempt(op, {
    about: aboutOf(keyId),
    keys: keysOfRotation(op, keyId),
    linksMax: KEYS_MAX,
    ask: async ({ idempotencyKey }) => {
      try {
        const rotated = await op.core.rotate(keyId, { ...op.calls, idempotencyKey });
        const newest = assertNewest(op, prior, { keyId, rotated });
        return await afterAnswer(newest.then(() => found("done", rotated)));
      } catch (error) {
        sent ||= error instanceof ErpHostError && error.ambiguous;
        if (hasCode(error, "replayed_failure")) {
          // Replayed at once, it is of an earlier run, and says nothing of the service now.
          if (error.attempts > 1) failures += 1;
          if (failures < FAILURES_MAX) return { is: "used_up", previous: idempotencyKey };
        }
        try {
          return found("passed_on", await rotateSuccessor(op, prior, { keyId, error, sent }));
        } catch (again) {
          // Left behind, a refused request would count as one of ours in the next run.
          const isLost = sent && !(error instanceof EngineError);
          return { is: isLost ? "untold" : refusal(error).is, error: again };
        }
      }
    },
  });
}

const aboutOf = (keyId: string) => ({
  operation: "rotate" as const,
  target: keyId,
  bodyHash: createHash("sha256").update(keyId).digest("base64url"),
});

const found = (is: "done" | "ours" | "passed_on", rotated: Rotated): Verdict<Rotated> => ({
  is,
  id: rotated.rotation.new_key.id,
  found: rotated,
});

/**
 * A replay may be old: the line may have moved on, or somebody have deleted the key.
 * @throws EngineError `rotated_elsewhere`, `successor_gone`
 */
async function assertNewest(
  op: Rotator,
  prior: State,
  { keyId, rotated }: { readonly keyId: string; readonly rotated: Rotated },
): Promise<void> {
  const { id, created_at: createdAt } = rotated.rotation.new_key;
  const seen = rotated.replayed ? await lineOf(op, lineIn(prior), id) : undefined;
  const next = newest(seen?.keys ?? []);
  if (next && next.id !== id && createdMs(next) > Date.parse(createdAt)) {
    throw refused(op, "rotated_elsewhere", keyId, next.id);
  }
  const keys = op.on(kinds["api_key"] ?? op.kind);
  if (seen && !seen.key && isServed(keys)) {
    const { state } = await readListed(keys, id, { created_at: createdAt });
    if (state === "gone") throw refused(op, "successor_gone", keyId, id);
  }
}

/** The first key of what a state rotates, as far as it knows. */
const lineIn = ({ id, values }: State): unknown => values["key_id"] ?? id;

interface Listing extends Parts<"core"> {
  readonly calls: SnapshotOptions;
}

/** The keys of a key's line; undefined where they cannot be listed: the answer itself still counts. */
export async function lineOf({ core, calls }: Listing, line: unknown, keyId: string) {
  const none = (error: unknown): undefined => {
    if (!isNotForUs(error)) throw error;
  };
  const seen = await core.snapshot("api_key", calls).catch(none);
  if (!seen) return undefined;
  const key = seen.records.get(keyId);
  const keys = keysOfLine(seen.records, key?.fields["lineage_id"] ?? line);
  return { key, keys, serviceTime: seen.serviceTime };
}

/** Whether rotations were interrupted; `rotated` is undefined where the service answers no more. */
async function rotatedEarlier(op: Rotator, prior: State, keyId: string) {
  const { identity } = op.options;
  const claimed = await claim(op, { ...aboutOf(keyId), kind: op.kind.name, identity });
  const rotated = await followed(op, claimed, async ({ entry }): Promise<Verdict<Rotated>> => {
    if (!isReplayable(op.contract, await op.time.ageOf(entry, op.calls))) return NOTHING;
    const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
    try {
      const again = await op.core.rotate(keyId, options);
      await assertNewest(op, prior, { keyId, rotated: again });
      return found("ours", again);
    } catch (error) {
      // It is of no use any more: the attempt, which has the same key, is refused for it. Or nothing
      // is replayed: another key of the account asks, the service has forgotten it, or failed.
      const isUseless = error instanceof EngineError && refusal(error).is === "others";
      const isRefused = hasCode(error, "validation_error", "replayed_failure");
      if (isUseless || isRefused || isConflict(error)) return NOTHING;
      throw error;
    }
  });
  return { claimed: claimed.length > 0, rotated };
}

const NOTHING = { is: "nothing" } as const;

const isConflict = (error: unknown): boolean =>
  hasCode(error, "conflict", "idempotency_conflict", "idempotency_foreign", "not_found");

/**
 * The key was already rotated and nobody here has its successor. Where the answer to a rotation of
 * ours was lost, the successor is rotated, and the warning says when it ends; a run may have been
 * killed in the middle of just that. Otherwise somebody holds it.
 * @param about the key, why it was refused, and whether an earlier request of ours may have been done
 */
async function rotateSuccessor(
  op: Rotator,
  prior: State,
  about: { readonly keyId: string; readonly error: unknown; readonly sent: boolean },
): Promise<Rotated> {
  const { keyId, error, sent } = about;
  const seen = isConflict(error) ? await lineOf(op, lineIn(prior), keyId) : undefined;
  if (!seen) throw error;
  const { key, keys } = seen;
  const line = keys.filter(
    (record) => record.id !== keyId && (!key || createdMs(record) >= createdMs(key)),
  );
  const next = newest(line);
  if (!next) throw error;
  let ours = sent;
  for (const { id } of line) {
    const { claimed, rotated } = await rotatedEarlier(op, prior, id);
    ours ||= claimed;
    if (rotated) return named(op, rotated);
  }
  const { key_id: own } = await op.core.authTest(op.calls);
  if (!ours || next.id === own) throw refused(op, "rotated_elsewhere", keyId, next.id);
  return named(op, await rotateOnce(op, prior, next.id));
}

const refused = (
  { kind }: Parts<"kind">,
  code: "rotated_elsewhere" | "successor_gone",
  keyId: string,
  successor: string,
) => engineError(code, { keyId, successor }, { subject: { kind: kind.name }, path: ["key_id"] });

/** Names the key whose secret was lost, with its end. */
function named(op: Voice, rotated: Rotated): Rotated {
  const { id: keyId, expires_at: end } = rotated.rotation.old_key;
  op.warn("lost_successor_rotated", { keyId, end });
  return rotated;
}
