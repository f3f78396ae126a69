/** Finding what an interrupted run made, for a create that has the same purpose. */
import type { Reading, Snapshot } from "../../client/api";
import { hasCode } from "../../client/errors";
import { decodeRecord, encodeBody, isOdd, type ServiceRecord, type Values } from "../../contract";
import { kinds, type Kind } from "../../resources";
import { covers } from "../planning/compare";
import { EngineError, subject } from "../errors";
import type { Intent, IntentEntry } from "./store";
import { isNear } from "./match";
import { freeFields, heardOf, serviceFields, type Machine } from "../machine";
import { pause } from "../pause";
import { isRefusal } from "../refusals";
import { unseal } from "./seal";
import { isReplayable } from "./service-time";
import type { Operation, Served } from "../operation";

/** An object that now exists, and what led to it. */
export interface Made {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
}

/** The first of the claimed intents that leads to an object. */
export async function recoverOne(
  op: Operation<Served>,
  inputs: Values,
  { claimed, bodyHash }: { readonly claimed: readonly Intent[]; readonly bodyHash: string },
): Promise<Made | undefined> {
  const left = new Set(await recoverable(op, op.context.identity, claimed));
  try {
    for (const intent of left) {
      const { entry } = intent;
      if (!op.machine.intents.isOwn(intent, bodyHash)) {
        await assertGone(op, entry);
        await op.machine.intents.drop(intent);
        left.delete(intent);
        continue;
      }
      const way = await wayOf(op, entry);
      const made = await recoverBy(op, inputs, { entry, intent }, way);
      left.delete(intent);
      if (made) return made;
    }
    return undefined;
  } finally {
    // Not followed, or without an end: the next create for the same purpose goes on from there.
    for (const intent of left) await op.machine.intents.abandon(intent);
  }
}

/**
 * The host has most likely stored what a run that ended in order had made. Another declaration under
 * the same identity may come of an edit, or of another state: it gets nothing that may be another's.
 */
async function assertGone(op: Operation<Served>, entry: IntentEntry): Promise<void> {
  const { answer, identity, name } = entry;
  if (answer === undefined) return;
  if ((await look(op, answer, entry)).state === "gone") return;
  throw new EngineError(
    "handed_over",
    `An earlier run created ${subject(op.kind.name, answer, name)} with the same token ${JSON.stringify(identity)} and ended in order, so that a state may hold it. If this is meant to be that one, import it: ${op.machine.importHint(op.kind, answer)}. If another state holds it, give each a token of its own.`,
  );
}

interface Recovered {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
  /** Found by its name and time alone: it may be somebody else's. */
  readonly doubtful?: boolean;
}

export async function finish(
  op: Operation,
  intent: Intent | undefined,
  { record, serviceTime }: Recovered,
): Promise<Made> {
  await op.machine.intents.answered(intent, record.id);
  op.machine.time.hear(serviceTime);
  op.machine.ids.answered(
    op.kind.name,
    record.id,
    op.context.identity ?? intent?.entry.id ?? "a create",
  );
  return { record, serviceTime };
}

/**
 * Which claimed intents may lead to this create's object. One that was answered may already be in
 * the engine's state. Where the engine told us the id that it has, that is known; where it makes
 * an object anew without telling (`--replace`), it will show by what it deletes.
 */
async function recoverable(
  op: Operation,
  identity: string | undefined,
  claimed: readonly Intent[],
): Promise<Intent[]> {
  const heard = heardOf(op.machine, identity);
  const usable: Intent[] = [];
  for (const intent of claimed) {
    const { answer } = intent.entry;
    if (answer !== undefined && op.machine.ids.isKnown(op.kind.name, answer)) {
      await op.machine.intents.drop(intent);
    } else if (answer !== undefined && heard.prior === true && heard.liveId === undefined) {
      heard.suspects = [...(heard.suspects ?? []), intent];
    } else {
      usable.push(intent);
    }
  }
  return usable;
}

/** What a request came to: how it was asked, and the file that remembers it. */
interface Asked {
  readonly entry: IntentEntry;
  readonly intent: Intent | undefined;
}

/** Finds the object of an interrupted create; undefined where there is none. */
type Way = (op: Operation<Served>, entry: IntentEntry) => Promise<Recovered | undefined>;

/** Follows one intent to its end: the object as it is wanted now, or none and the intent dropped. */
export async function recoverBy(
  op: Operation<Served>,
  inputs: Values,
  { entry, intent }: Asked,
  way: Way,
): Promise<Made | undefined> {
  const found = await way(op, entry);
  // What someone here has already is neither adopted nor touched.
  const free = found && !op.machine.ids.isKnown(op.kind.name, found.record.id) ? found : undefined;
  if (free?.doubtful === true && !isAdoptable(op, inputs, free.record)) {
    throw orphanSuspected(op, entry, [free.record]);
  }
  const brought = free && (await bring(op, inputs, free));
  if (brought) return finish(op, intent, brought);
  await op.machine.intents.drop(intent);
  return undefined;
}

/**
 * By its id where the answer is on disk (but a key, whose secret only a replay tells again); inside
 * the service's window by the same request; else by name and time.
 */
async function wayOf({ machine, context }: Operation, entry: IntentEntry): Promise<Way> {
  const ageMs = await machine.time.ageOf(entry, context);
  const bytes = bytesOf(machine, entry);
  const secret = Object.values(kinds[entry.kind]?.fields ?? {}).some(
    (field) => field.use === "output" && field.secret,
  );
  if (entry.answer !== undefined && !secret) return byAnswer(entry.answer);
  return bytes !== undefined && isReplayable(machine.core.contract, ageMs) ? replay(bytes) : search;
}

const byAnswer =
  (id: string): Way =>
  async (op, entry) => {
    const now = await look(op, id, entry);
    if (now.state === "gone") return undefined;
    op.warnings.push(
      `Took ${subject(op.kind.name, id, entry.name)}, which an earlier run created for this very declaration.`,
    );
    return now;
  };

/** The same key and the same bytes, so the same object. */
const replay =
  (bytes: string): Way =>
  async (op, entry) => {
    const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
    const answer = await op.core
      .createBytes(op.kind.resource, bytes, options)
      .catch((error: unknown) => {
        if (isRefusal(error) || isUnrepeatable(error)) return undefined;
        throw error;
      });
    // Refused today is not refused then: the list tells whether something was made.
    if (!answer) return search(op, entry);
    const { record, meta, replayed } = answer;
    if (!replayed) return { record, serviceTime: meta?.timestamp };
    // An answer from memory says nothing of today: someone may have deleted the object since.
    const now = await look(op, record.id, entry);
    if (now.state === "gone") return undefined;
    const value = record.fields["value"]; // Only the first answer holds the secret.
    const fields = { ...now.record.fields, ...(value !== undefined && { value }) };
    return { record: { ...now.record, fields }, serviceTime: meta?.timestamp };
  };

/** Reads an object that another process made; what a list does not show yet is waited for. */
async function look(op: Operation<Served>, id: string, entry: IntentEntry): Promise<Reading> {
  const reading = await op.core.read(op.kind.resource, id, op.calls);
  if (reading.state === "present") return reading;
  if (!(await settle(op, entry))) return reading;
  return op.core.read(op.kind.resource, id, op.calls);
}

/** Waits until lists show what was written then; false where they do already. */
async function settle({ machine, context }: Operation, entry: IntentEntry): Promise<boolean> {
  const ageMs = await machine.time.ageOf(entry, context);
  const leftMs = machine.core.contract.settleWindowMs - Math.max(0, ageMs);
  if (leftMs <= 0) return false;
  await pause(machine.clock, leftMs, context.signal);
  return true;
}

/** Where the request can't be had again: what was created around that time, under that name. */
export const search: Way = async (op, entry) => {
  const options = op.calls;
  let snapshot = await op.core.snapshot(op.kind.resource, options);
  let near = candidates(op, entry, snapshot);
  if (near.length === 0 && (await settle(op, entry))) {
    snapshot = await op.core.snapshot(op.kind.resource, options);
    near = candidates(op, entry, snapshot);
  }
  const [only, ...more] = near;
  if (!only) return undefined;
  if (more.length > 0) throw orphanSuspected(op, entry, near);
  op.warnings.push(
    `Adopted ${subject(op.kind.name, only.id, entry.name)}: an interrupted run created it at ${String(only.fields["created_at"])}.`,
  );
  return { record: only, serviceTime: snapshot.serviceTime, doubtful: entry.answer === undefined };
};

function orphanSuspected(
  op: Operation,
  entry: IntentEntry,
  near: readonly ServiceRecord[],
): EngineError {
  const ids = near.map(({ id }) => id).join(", ");
  return new EngineError(
    "orphan_suspected",
    `An interrupted run may have created ${near.length > 1 ? "one of these, and which one" : "this, and whether it did"} can't be told any more: ${op.kind.name} ${ids}. Import the right one (${op.machine.importHint(op.kind, near[0]?.id ?? "ID")}) or run \`erphost intents drop ${entry.id}\`, then try again.`,
  );
}

/**
 * What was found by its name alone is taken only where that does no harm to somebody else: never
 * where it would be deleted for another, nor where its secret would have to be rotated.
 */
function isAdoptable(op: Operation<Served>, inputs: Values, record: ServiceRecord): boolean {
  return (
    op.kind.reading.rotates === undefined && !needsAnother(op, changesTo(op.kind, inputs, record))
  );
}

function candidates(op: Operation, entry: IntentEntry, snapshot: Snapshot): ServiceRecord[] {
  const records = [...snapshot.records.values()].filter(
    ({ id }) => !op.machine.ids.isKnown(op.kind.name, id),
  );
  if (entry.answer !== undefined) return records.filter(({ id }) => id === entry.answer);
  return records.filter(
    (record) => isNear(entry, record) && (entry.name !== undefined || matches(op, entry, record)),
  );
}

/** Undefined where they were sealed under another key. */
const bytesOf = ({ apiKey }: Machine, { body }: IntentEntry): string | undefined =>
  body === undefined ? undefined : unseal(body, apiKey);

/** Whether a record is what the intent's body asked for. */
function matches(op: Operation, entry: IntentEntry, record: ServiceRecord): boolean {
  const bytes = bytesOf(op.machine, entry);
  if (bytes === undefined) return false;
  const asked = decodeRecord(op.resource, { ...JSON.parse(bytes), id: "none" });
  if (isOdd(asked)) return false;
  const { id: _, ...fields } = asked.fields;
  return covers(fields, record.fields);
}

type Changes = Record<"changed" | "free", readonly (readonly [string, unknown])[]>;

/** In what a record differs from what is wanted. */
const changesTo = (kind: Kind, inputs: Values, record: ServiceRecord): Changes => ({
  changed: Object.entries(serviceFields(kind, inputs)).filter(
    ([name, value]) => !covers(value, record.fields[name], kind.fields[name]),
  ),
  free: Object.entries(freeFields(inputs)).filter(
    ([key, value]) => !covers(value, record.properties[key]),
  ),
});

/** Whether a difference can't be mended by an update. */
const needsAnother = (op: Operation, { changed, free }: Changes): boolean =>
  changed.some(([name]) => op.kind.fields[name]?.immutable) ||
  (changed.length + free.length > 0 && op.resource.operations.update === undefined);

/** Brings a recovered object to what is wanted now; gives it up where that needs another one. */
async function bring(
  op: Operation<Served>,
  inputs: Values,
  found: Recovered,
): Promise<Recovered | undefined> {
  const { record } = found;
  const changes = changesTo(op.kind, inputs, record);
  const { changed, free } = changes;
  if (changed.length === 0 && free.length === 0) return found;
  if (needsAnother(op, changes)) {
    op.warnings.push(await discard(op, record));
    return undefined;
  }
  const body = encodeBody(op.resource, Object.fromEntries(changed), Object.fromEntries(free));
  const written = await op.core.update(op.kind.resource, record.id, body, op.calls);
  const value = record.fields["value"];
  const fields = { ...written.record.fields, ...(value !== undefined && { value }) };
  return { record: { ...written.record, fields }, serviceTime: written.meta?.timestamp };
}

/** Removes what an interrupted run made and nobody wants any more. */
export async function discard(
  op: Operation<Served>,
  record: Pick<ServiceRecord, "id">,
): Promise<string> {
  const what = `${op.kind.name} ${record.id}, which an interrupted run had created,`;
  if (op.resource.operations.delete === undefined) {
    return `${what} is wanted otherwise now and the service can't delete it: it lives on and no state knows it.`;
  }
  await op.core.remove(op.kind.resource, record.id, op.calls);
  return `${what} is wanted otherwise now and was deleted.`;
}

/** The idempotency key is taken, and its answer is not to be had. */
const isUnrepeatable = (error: unknown): boolean =>
  hasCode(error, "idempotency_conflict", "idempotency_foreign", "replayed_failure");
