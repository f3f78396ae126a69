/** What the service answers to a request that was sent before, under the same key. */
import { hasCode, type Reading, type WriteResult } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { kinds } from "../../resources";
import { engineError, isRefusal } from "../errors";
import type { IntentEntry } from "../journal/entry";
import type { Operation, Served } from "../service/operation";
import { readListed } from "../service/reading";
import { isOlder, isReplayable } from "../values/time";
import { isFailed } from "../values/inputs";
import { bytesOf, look, search, type Found } from "./search";
import { changesTo, take, type Created } from "./take";
import type { Verdict } from "./verdicts";

/**
 * How the object of an entry is found: by its id where the answer is on disk (except a key, whose
 * secret only a replay shows again); inside the service's window by the same request; else by name
 * and time.
 */
export async function wayOf(
  op: Operation,
  entry: IntentEntry,
): Promise<"answer" | "replay" | "search"> {
  const secret = Object.values(kinds[entry.kind]?.fields ?? {}).some(
    (field) => field.use === "output" && field.secret,
  );
  if (entry.answer !== undefined && !secret) return "answer";
  const ageMs = await op.time.ageOf(entry, op.calls);
  return bytesOf(op, entry) !== undefined && isReplayable(op.contract, ageMs) ? "replay" : "search";
}

export async function findOf(
  op: Operation<Served>,
  entry: IntentEntry,
): Promise<Found | undefined> {
  const { answer: id, idempotencyKey, scoped } = entry;
  const way = await wayOf(op, entry);
  if (way === "answer" && id !== undefined) {
    const now = await look(op, id, entry);
    if (now) op.warn("recovered", { subject: op.subject(id, entry.name) });
    return now;
  }
  const bytes = bytesOf(op, entry);
  if (way === "search" || bytes === undefined) return search(op, entry);
  // The same key and the same bytes, so the same object.
  const options = { ...op.calls, idempotencyKey };
  const repeated = op.core.createBytes(op.kind.resource, bytes, options);
  const answer = await repeated.catch((error: unknown) => {
    const why = unrepeatable(error);
    if (!isRefusal(error) && why === undefined) throw error;
    // Of a derived key it shows that another request had it: this one was never done.
    return scoped && why !== "replayed_failure" ? why : undefined;
  });
  // Refused today need not be refused then: the list shows whether something was created.
  if (!answer) return search(op, entry);
  if (typeof answer === "string") return undefined;
  const { record, meta, replayed } = answer;
  // A derived key may have been answered before this entry was written: not for it, then.
  if (scoped && (isOlder(record, entry.serviceTime) ?? replayed)) return undefined;
  if (!replayed) return { record, serviceTime: meta?.timestamp };
  // A replayed answer may be out of date: someone may have deleted the object since.
  const now = await look(op, record.id, entry);
  return now && { record: withSecret(now.record, record), serviceTime: meta?.timestamp };
}

/** Only the first answer holds the secret. */
const withSecret = (now: ServiceRecord, { fields: { value } }: ServiceRecord): ServiceRecord => ({
  ...now,
  fields: { value, ...now.fields },
});

const UNREPEATABLE = ["idempotency_conflict", "idempotency_foreign", "replayed_failure"] as const;

/** Why a key that is taken gives no answer any more. */
export type Unrepeatable = (typeof UNREPEATABLE)[number];

export const unrepeatable = (error: unknown): Unrepeatable | undefined =>
  UNREPEATABLE.find((code) => hasCode(error, code));

/**
 * Whether the answer is about what this call itself did. A service need not mark a replay: an object
 * that is older than the request shows it, too. An attempt of this call may have been replayed to it.
 */
export function isOfThisCall(
  { record, replayed, leftOpen }: WriteResult,
  beganMs: number | undefined,
): boolean {
  const older = isOlder(record, beganMs);
  return replayed ? leftOpen && older === false : older !== true;
}

/**
 * What a derived key led to before. Taken where that is certain, or where a person said that the last
 * run was cut off.
 * @throws EngineError where it may be the very object that the host is about to replace
 */
export async function replayed(
  op: Operation<Served>,
  inputs: Values,
  record: ServiceRecord,
): Promise<Verdict<Created>> {
  const { id } = record;
  if (await op.states.has(op.at(id))) return { is: "used_up", previous: id };
  if (op.ledger.maker(op.at(id)) !== undefined) {
    const { identity } = op.options;
    throw engineError("identity_shared", { subject: op.subject(id), identity });
  }
  // What can't be listed can't be shown to be gone.
  const now: Reading =
    op.resource.operations.list === undefined
      ? { state: "present", record, serviceTime: undefined }
      : await readListed(op, id, record.fields);
  if (now.state === "gone") return { is: "used_up", previous: id };
  const { serviceTime } = now;
  // No state ever holds it, and what has failed is of no use.
  if (op.options.derived) {
    if (isFailed(op, now.record.fields["status"])) return { is: "used_up", previous: id };
    return { is: "ours", id, found: { record: now.record, serviceTime } };
  }
  return takeAlive(op, inputs, { record: withSecret(now.record, record), serviceTime });
}

/**
 * Takes a live object on a person's word; unlike an entry's, it is never deleted to make room.
 * @throws EngineError `found_alive`, which names the object, and both ways to continue
 */
export async function takeAlive(
  op: Operation<Served>,
  inputs: Values,
  alive: Created,
): Promise<Verdict<Created>> {
  const { id, fields } = alive.record;
  const subject = op.subject(id, fields["name"]);
  const refuse = (why: "unasked" | "uninformed" | "fixed") =>
    engineError("found_alive", { subject, createdAt: String(fields["created_at"]), why });
  if (!op.settings.resume) throw refuse("unasked");
  const { hasState, live } = op.declared;
  const isUnseen = hasState === true && live === undefined;
  if (isUnseen || !(await op.states.isInformed())) throw refuse("uninformed");
  if (changesTo(op, inputs, alive.record)?.replace) throw refuse("fixed");
  const verdict = await take(op, inputs, alive);
  op.warn("recovered", { subject });
  return verdict;
}
