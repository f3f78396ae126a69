/** Finding what an interrupted run created, for a create that has the same purpose. */
import { hasCode, type Reading, type Snapshot } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { message, type Message } from "../../messages";
import { kinds } from "../../resources";
import { engineError, isRefusal, type EngineError } from "../errors";
import type { Operation, Served } from "../service/operation";
import { bring, changesTo, marked, registerCreated, type Created } from "./bring";
import { hasUnknown } from "../values/unknown";
import { hasPurpose, type Intent, type IntentEntry, type Purpose } from "../journal/entry";
import { bodyOf, bytesOf, candidates, isUnreadable } from "./match";
import { requestOf } from "./new-entry";
import { isReplayable } from "../values/age";
import { isOlder } from "../values/age";

interface Recovered extends Created {
  /** Found by its name and time alone: it may be somebody else's. */
  readonly doubtful?: boolean;
}

/** A request, and the intent that remembers it where one could be written. */
interface Request {
  readonly entry: IntentEntry;
  readonly intent: Intent | undefined;
}

/** Finds the object of an interrupted create; undefined where there is none. */
type Way = (op: Operation<Served>, entry: IntentEntry) => Promise<Recovered | undefined>;

/**
 * What a create is going to find by the intents that are open for it: a note for each object's id.
 * Nothing is claimed, waited for or sent.
 * @throws EngineError where what is open can't be known, for which the create would stop
 */
export async function foreseen(
  op: Operation<Served>,
  inputs: Values,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Message>> {
  const { journal } = op.run;
  const purposeOf = purposeFor(op, inputs);
  const open = await journal.foresee(op.options.identity, (intent) =>
    hasPurpose(intent, purposeOf(intent.entry)),
  );
  const notes = new Map<string, Message>();
  for (const { intent, isLiving } of open) {
    const { entry } = intent;
    if (!(await journal.isOwn(intent, purposeOf(entry).bodyHash))) continue;
    const [record, ...more] = candidates(op, entry, snapshot);
    if (!record || more.length > 0) continue;
    const isSure = entry.answer !== undefined;
    const isFound = !isSure && (await wayOf(op, entry)) === search;
    if (isFound && (isUnreadable(op, entry) || !isAdoptable(op, inputs, record))) continue;
    const isReplaced = changesTo(op, inputs, record)?.replace === true;
    const parts = { subject: op.subject(record.id, entry.name), isSure, isReplaced, isLiving };
    notes.set(record.id, message("left_open", parts, { path: ["name"] }));
  }
  return notes;
}

/** The purpose of a planned create; where its bytes are not known yet, as far as an intent's may be. */
function purposeFor(op: Operation<Served>, inputs: Values): (entry: IntentEntry) => Purpose {
  if (!hasUnknown(inputs)) {
    const { purpose } = requestOf(op, inputs);
    return () => purpose;
  }
  const { identity } = op.options;
  return (entry) => {
    const body = entry.name === inputs["name"] ? bodyOf(op, entry) : undefined;
    const bodyHash = body && !changesTo(op, inputs, body) ? entry.bodyHash : "";
    return { operation: "create", kind: op.kind.name, identity, bodyHash };
  };
}

/** The object of the first claimed intent that leads to one. */
export async function recoverAny(
  op: Operation<Served>,
  inputs: Values,
  { claimed, bodyHash }: { readonly claimed: readonly Intent[]; readonly bodyHash: string },
): Promise<Created | undefined> {
  const { journal } = op.run;
  const left = new Set(await recoverable(op, claimed));
  try {
    for (const intent of left) {
      const { entry } = intent;
      if (!(await journal.isOwn(intent, bodyHash))) {
        await assertGone(op, entry);
        await journal.drop(intent);
        left.delete(intent);
        continue;
      }
      const way = await wayOf(op, entry);
      const created = await recoverBy(op, inputs, { entry, intent }, way);
      left.delete(intent);
      if (created) return created;
    }
    return undefined;
  } finally {
    // Not followed, or without an end: the next create for the same purpose continues there.
    for (const intent of left) await journal.abandon(intent);
  }
}

/**
 * The host has most likely stored what a run that exited cleanly created. Another declaration under
 * the same identity may be an edit, or be in another state: it gets nothing that may be another's.
 */
async function assertGone(op: Operation<Served>, entry: IntentEntry): Promise<void> {
  const { answer, identity, name } = entry;
  if (answer === undefined) return;
  if ((await look(op, answer, entry)).state === "gone") return;
  throw engineError("handed_over", { subject: op.subject(answer, name), token: identity ?? "" });
}

/**
 * Which claimed intents may lead to this create's object. One that was answered may already be in
 * the host's state. Where the host showed the id that it has, that is known; where it replaces an
 * object without showing it (`--replace`), what it deletes will show it.
 */
async function recoverable(op: Operation, claimed: readonly Intent[]): Promise<Intent[]> {
  const { hasState, live } = op.declared;
  const usable: Intent[] = [];
  for (const intent of claimed) {
    const { answer } = intent.entry;
    if (answer !== undefined && (await isTaken(op, answer))) {
      await op.run.journal.drop(intent);
    } else if (answer !== undefined && hasState && live === undefined) {
      op.run.journal.setAside(op.options.identity, intent);
    } else {
      usable.push(intent);
    }
  }
  return usable;
}

/**
 * Whether a create here was answered this id, or the state holds it, by what this process saw or the
 * one that planned: its intent may have been of a process that had not ended yet when that looked.
 */
const isTaken = async (op: Operation, id: string): Promise<boolean> =>
  op.run.ledger.isKnown(op.at(id)) || op.isInState(id);

/** Follows one intent: the object as configured now, or none and the intent dropped. */
export async function recoverBy(
  op: Operation<Served>,
  inputs: Values,
  { entry, intent }: Request,
  way: Way,
): Promise<Created | undefined> {
  const recovered = await way(op, entry);
  // What someone here has already is neither adopted nor touched.
  const free = recovered && (await isTaken(op, recovered.record.id)) ? undefined : recovered;
  if (free?.doubtful === true && !isAdoptable(op, inputs, free.record)) {
    throw orphanSuspected(op, entry, [free.record]);
  }
  const brought = free && (await bring(op, inputs, free));
  if (brought) return marked(op, await registerCreated(op, intent, brought));
  await op.run.journal.drop(intent);
  return undefined;
}

/**
 * By its id where the answer is on disk (except a key, whose secret only a replay shows again);
 * inside the service's window by the same request; else by name and time.
 */
async function wayOf(op: Operation, entry: IntentEntry): Promise<Way> {
  const secret = Object.values(kinds[entry.kind]?.fields ?? {}).some(
    (field) => field.use === "output" && field.secret,
  );
  if (entry.answer !== undefined && !secret) return byAnswer(entry.answer);
  const ageMs = await op.run.time.ageOf(entry, op.calls);
  const bytes = bytesOf(op, entry);
  return bytes !== undefined && isReplayable(op.contract, ageMs) ? replay(bytes) : search;
}

const byAnswer =
  (id: string): Way =>
  async (op, entry) => {
    const now = await look(op, id, entry);
    if (now.state === "gone") return undefined;
    op.warn("recovered", { subject: op.subject(id, entry.name) });
    return now;
  };

/** The same key and the same bytes, so the same object. */
const replay =
  (bytes: string): Way =>
  async (op, entry) => {
    const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
    const sent = op.core.createBytes(op.kind.resource, bytes, options);
    const answer = await sent.catch((error: unknown) => {
      if (isRefusal(error) || isUnrepeatable(error)) return undefined;
      throw error;
    });
    // Refused today need not be refused then: the list shows whether something was created.
    if (!answer) return search(op, entry);
    const { record, meta, replayed } = answer;
    // A derived key may have been answered before this intent was written: not for it, then.
    if (entry.scoped && (isOlder(record, entry.serviceTime) ?? replayed)) return undefined;
    if (!replayed) return { record, serviceTime: meta?.timestamp };
    // A replayed answer may be out of date: someone may have deleted the object since.
    const now = await look(op, record.id, entry);
    if (now.state === "gone") return undefined;
    // Only the first answer holds the secret.
    const fields = { value: record.fields["value"], ...now.record.fields };
    return { record: { ...now.record, fields }, serviceTime: meta?.timestamp };
  };

/** Where the request can't be repeated: what was created around that time, under that name. */
export const search: Way = async (op, entry) => {
  let snapshot = await op.core.snapshot(op.kind.resource, op.calls);
  let near = candidates(op, entry, snapshot);
  if (near.length === 0 && (await waitForLists(op, entry))) {
    snapshot = await op.core.snapshot(op.kind.resource, op.calls);
    near = candidates(op, entry, snapshot);
  }
  const [only, ...more] = near;
  if (!only) return undefined;
  if (more.length > 0 || isUnreadable(op, entry)) throw orphanSuspected(op, entry, near);
  op.warn("adopted", {
    subject: op.subject(only.id, entry.name),
    createdAt: String(only.fields["created_at"]),
  });
  return { record: only, serviceTime: snapshot.serviceTime, doubtful: entry.answer === undefined };
};

/** Reads an object that another process created; waits where a list does not show it yet. */
async function look(op: Operation<Served>, id: string, entry: IntentEntry): Promise<Reading> {
  const reading = await op.core.read(op.kind.resource, id, op.calls);
  if (reading.state === "present" || !(await waitForLists(op, entry))) return reading;
  return op.core.read(op.kind.resource, id, op.calls);
}

/** Waits until lists show what was written then; false where they already do. */
async function waitForLists(op: Operation, entry: IntentEntry): Promise<boolean> {
  const ageMs = await op.run.time.ageOf(entry, op.calls);
  const leftMs = op.contract.settleWindowMs - Math.max(0, ageMs);
  if (leftMs <= 0) return false;
  await op.pause(leftMs);
  return true;
}

function orphanSuspected(
  op: Operation,
  entry: IntentEntry,
  near: readonly ServiceRecord[],
): EngineError {
  const ids = near.map(({ id }) => id);
  return engineError("orphan_suspected", { kind: op.kind.name, ids, intent: entry.id });
}

/**
 * What was found by its name alone is adopted only where that harms nobody else: never where it
 * would be deleted for another, nor where its secret would have to be rotated.
 */
const isAdoptable = (op: Operation<Served>, inputs: Values, record: ServiceRecord): boolean =>
  op.kind.reading.rotates === undefined && changesTo(op, inputs, record)?.replace !== true;

/** The idempotency key is taken, and its answer is not available. */
const isUnrepeatable = (error: unknown): boolean =>
  hasCode(error, "idempotency_conflict", "idempotency_foreign", "replayed_failure");
