/**
 * What the service answers to a request that was sent before, under the same key; and where it gives
 * no answer, what the lists show that it may have led to.
 */
import { hasCode, type WriteResult } from "../../client";
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import { engineError, isRefusal } from "../errors";
import type { IntentEntry } from "../journal/entry";
import type { Caller, Memory, Parts, Voice } from "../service/operation";
import { readListed } from "../service/reading";
import { byAge, isOlder, isReplayable, REPLAY_MARGIN_MS, type Made } from "../values/time";
import { isFailed, isFixedAlike, sentFields } from "../values/inputs";
import { bytesOf, freeRecords, look, search, type Found, type Searcher } from "./search";
import { changesTo, take, type Created } from "./take";
import type { Verdict } from "./verdicts";

/** Candidates that a request is repeated for, once or twice each: a minute of a usual quota at most. */
const PROBED_MAX = 50;
const NAMED_MAX = 10;

/** A repeated request must reach the service this long before it forgets the key, or it makes another. */
const LEFT_MS = REPLAY_MARGIN_MS / 2;

/** What takes what a derived key led to. */
export type Taker = Searcher & Parts<"declared" | "isShown" | "options" | "settings" | "uuid">;

/**
 * How the object of an entry is found: by its id where the answer is on disk (except a key, whose
 * secret only a replay shows again); inside the service's window by the same request; else by name
 * and time.
 */
export async function wayOf(
  op: Parts<"calls" | "contract" | "key" | "kind" | "time">,
  entry: IntentEntry,
): Promise<"answer" | "search" | { readonly replayedForMs: number }> {
  const secret = Object.values(op.kind.fields).some(
    ({ use, secret }) => use === "output" && secret,
  );
  if (entry.answer !== undefined && !secret) return "answer";
  const ageMs = await op.time.ageOf(entry, op.calls);
  if (bytesOf(op, entry) === undefined || !isReplayable(op.contract, ageMs)) return "search";
  return { replayedForMs: op.contract.idempotencyWindowMs - ageMs - LEFT_MS };
}

export async function findOf(op: Searcher, entry: IntentEntry): Promise<Found | undefined> {
  const { answer: id, idempotencyKey, scoped } = entry;
  const way = await wayOf(op, entry);
  if (way === "answer" && id !== undefined) {
    const now = await look(op, id);
    if (now) op.warn("recovered", { subject: op.subject(id, entry.name) });
    return now && { ...now, doubtful: entry.body === undefined };
  }
  const bytes = bytesOf(op, entry);
  if (typeof way === "string" || bytes === undefined) return search(op, entry);
  // The same key and the same bytes, so the same object; and so long may it wait at the quota gate.
  const options = { ...op.calls, idempotencyKey, timeoutMs: way.replayedForMs };
  const repeated = op.core.createBytes(op.kind.resource, bytes, options);
  const answer = await repeated.catch((error: unknown) => {
    const why = unrepeatable(error);
    // Where it has waited in vain, and was not sent.
    const isOver = hasCode(error, "deadline_exceeded") && !error.ambiguous;
    if (!isRefusal(error) && why === undefined && !isOver) throw error;
    // Of a derived key it shows that another request had it: this one was never done.
    return scoped && why !== "replayed_failure" ? why : undefined;
  });
  // Refused today need not be refused then: the list shows whether something was created.
  if (!answer) return search(op, entry);
  if (typeof answer === "string") return undefined;
  const { record, meta, replayed } = answer;
  // A derived key may have been answered before this entry was written: not for it, then.
  if (scoped && (wasBefore(record, entry.serviceTime) ?? replayed)) return undefined;
  if (!replayed) return { record, serviceTime: meta?.timestamp };
  // A replayed answer may be out of date: someone may have deleted the object since.
  const now = await look(op, record.id);
  return now && { record: withSecret(now.record, record), serviceTime: meta?.timestamp };
}

/** Only the first answer holds the secret. */
const withSecret = (now: ServiceRecord, { fields: { value } }: ServiceRecord): ServiceRecord => ({
  ...now,
  fields: { value, ...now.fields },
});

const UNREPEATABLE = ["idempotency_conflict", "idempotency_foreign", "replayed_failure"] as const;

/** Why a key that is taken gives no answer any more. */
type Unrepeatable = (typeof UNREPEATABLE)[number];

export const unrepeatable = (error: unknown): Unrepeatable | undefined =>
  UNREPEATABLE.find((code) => hasCode(error, code));

/** Less than it takes until another run creates; of a service whose clocks differ by more, people are asked. */
const BETWEEN_RUNS_MS = 500;

/** Whether an object was there before a moment, whichever clock of the service said either. */
const wasBefore = (record: ServiceRecord, momentMs: number | undefined) =>
  isOlder(record, momentMs && momentMs - BETWEEN_RUNS_MS);

/**
 * Whether the answer is about what this call itself did. A service need not mark a replay: an object
 * that is older than the request shows it, too. An attempt of this call may have been replayed to it.
 */
export function isOfThisCall(
  { record, replayed, leftOpen }: WriteResult,
  beganMs: number | undefined,
): boolean {
  const older = wasBefore(record, beganMs);
  return replayed ? leftOpen && older === false : older !== true;
}

/** @throws EngineError where another declaration of this run was answered the object */
export function assertUnmade(op: Memory & Voice & Parts<"options">, id: string): void {
  const { identity } = op.options;
  if (op.ledger.maker(op.at(id)) === undefined) return;
  throw engineError("identity_shared", { subject: op.subject(id), identity });
}

/**
 * What a derived key led to before. Taken where that is certain, or where a person said that the last
 * run was cut off.
 * @throws EngineError where it may be the very object that the host is about to replace
 */
export async function replayed(
  op: Taker,
  inputs: Values,
  record: ServiceRecord,
): Promise<Verdict<Created>> {
  const { id } = record;
  if (await op.states.has(op.at(id))) return { is: "used_up", previous: id };
  assertUnmade(op, id);
  const now = await readListed(op, id, record.fields);
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
async function takeAlive(op: Taker, inputs: Values, alive: Created): Promise<Verdict<Created>> {
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

/** A derived key was used, and its answer is lost for good; `judge` takes an answer that is found. */
interface Lost {
  readonly why: Unrepeatable;
  readonly entry: IntentEntry;
  readonly judge: (written: WriteResult) => Promise<Verdict<Created>>;
}

/**
 * The lists show what a key may have led to that was used by a request with another body, under
 * another API key, or by one that failed.
 * @throws EngineError `found_alive`, or `candidates_left` where nothing proves which one it is
 */
export async function ofCandidates(
  op: Taker,
  inputs: Values,
  { why, entry, judge }: Lost,
): Promise<Verdict<Created>> {
  const mayBeIt = (record: ServiceRecord): boolean =>
    !isForgotten(op, record) && isFixedAlike(op.kind, inputs, record);
  // What was cut off is rarely long ago. Of equal times, what a list shows last is the youngest.
  const young = byAge(await freeRecords(op, mayBeIt)).reverse();
  const usedUp = { is: "used_up", previous: entry.idempotencyKey } as const;
  if (young.length === 0) return usedUp;
  if (why === "idempotency_conflict") {
    // What this run has deleted under it was called otherwise when it was made.
    const own = op.declared.deleted && { fields: op.declared.deleted };
    if (own && isForgotten(op, own) === false && isFixedAlike(op.kind, inputs, own)) {
      op.ledger.note({ is: "explained", identity: op.options.identity });
      return usedUp;
    }
    const proved = await proveByBody(op, inputs, young, entry.idempotencyKey);
    if (proved) return judge(proved);
    throw candidatesLeft(op, young, "body");
  }
  const alike = young.filter((record) => changesTo(op, inputs, record) === undefined);
  const [only, ...more] = alike;
  if (why === "replayed_failure") {
    if (!only) return usedUp;
    if (more.length === 0 && isOlder(only, entry.serviceTime) === false) {
      const createdAt = String(only.fields["created_at"]);
      op.warn("adopted", { subject: op.subject(only.id, only.fields["name"]), createdAt });
      return { is: "ours", id: only.id, found: { record: only, serviceTime: undefined } };
    }
  }
  // A key that was found by its name has lost its secret, and may be somebody else's.
  if (!only || more.length > 0 || op.kind.reading.rotates !== undefined) {
    throw candidatesLeft(op, only ? alike : young, "key");
  }
  return takeAlive(op, inputs, { record: only, serviceTime: undefined });
}

const candidatesLeft = (
  { kind: { name: kind }, isShown }: Parts<"kind" | "isShown">,
  records: readonly ServiceRecord[],
  other: "body" | "key",
) => {
  const ids = records.slice(0, NAMED_MAX).map(({ id }) => id);
  return engineError("candidates_left", { kind, ids, count: records.length, other, isShown });
};

/** The service proves it: it replays its answer for the body that it knows, and refuses others. */
async function proveByBody(
  op: Caller & Parts<"time">,
  inputs: Values,
  young: readonly ServiceRecord[],
  idempotencyKey: string,
): Promise<WriteResult | undefined> {
  const options = { ...op.calls, idempotencyKey, timeoutMs: LEFT_MS };
  const begunMs = op.time.now() ?? 0;
  for (const record of young.slice(0, PROBED_MAX)) {
    for (const body of bodiesOf(op, inputs, record)) {
      // Any of them may be the key's own. Once the service has forgotten the key, the request would
      // create another object.
      const isRisky = young.some((one) => isForgotten(op, one, REPLAY_MARGIN_MS) !== false);
      if (isRisky || (op.time.now() ?? 0) - begunMs > LEFT_MS) return undefined;
      const repeated = op.core.createBytes(op.kind.resource, body, options);
      const written = await repeated.catch((error: unknown) => {
        if (isRefusal(error) || hasCode(error, "idempotency_conflict")) return undefined;
        throw error;
      });
      if (written) return written;
    }
  }
  return undefined;
}

/** Whether the service no longer remembers what made an object; undefined where it says no time. */
function isForgotten(op: Parts<"contract" | "time">, record: Made, marginMs = 0) {
  const now = op.time.now();
  return isOlder(record, now && now - op.contract.idempotencyWindowMs + marginMs);
}

/** The request as it was if the program gave the same fields then; or all that the object has. */
function bodiesOf(op: Pick<Caller, "kind" | "resource">, inputs: Values, record: ServiceRecord) {
  const { fields, properties } = sentFields(op.kind, inputs);
  const all = op.kind.inputs.map(([name]) => name);
  const bodyOf = (fields: readonly string[], properties: readonly string[]): string =>
    JSON.stringify(
      encodeBody(op.resource, picked(record.fields, fields), picked(record.properties, properties)),
    );
  return new Set([
    bodyOf(Object.keys(fields), Object.keys(properties)),
    bodyOf(all, Object.keys(record.properties)),
  ]);
}

const picked = (values: Values, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(values, name) && (values[name] ?? null) !== null)
      .map((name) => [name, values[name]]),
  );
