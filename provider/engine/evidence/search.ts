/** What lists show of a create whose answer is unknown: what it may have led to, and what has it. */
import type { Snapshot } from "../../client";
import { decodeRecord, isOdd, type ServiceRecord, type Values } from "../../contract";
import { engineError } from "../errors";
import type { IntentEntry } from "../journal/entry";
import { unseal } from "../journal/ours";
import type { Caller, Memory, Parts, Voice } from "../service/operation";
import { covers } from "../values/compare";
import { isFixedAlike } from "../values/inputs";
import { CLOCKS_DIFFER_MS } from "../values/time";
import { changesTo, isTaken, type Created } from "./take";

/** A request may wait at the quota gate for an hour before it is sent. */
const AFTER_MS = 70 * 60_000;
/** An object can't be older than its request, except by clocks that differ. */
const BEFORE_MS = 10 * 60_000;

/** What looks for an object that an entry may have led to. */
export type Searcher = Caller & Memory & Voice & Parts<"key" | "time">;

export interface Found extends Created {
  /** By its name and time, or a person's word, alone: it may be somebody else's. */
  readonly doubtful?: boolean;
}

/** Where the request can't be repeated: what was created around that time, under that name. */
export async function search(op: Searcher, entry: IntentEntry): Promise<Found | undefined> {
  const near = await freeRecords(op, (record) => isOfEntry(op, entry, record));
  const [only, ...more] = near;
  if (!only) return undefined;
  if (more.length > 0 || isUnreadable(op, entry)) throw orphanSuspected(op, entry, near);
  op.warn("adopted", {
    subject: op.subject(only.id, entry.name),
    createdAt: String(only.fields["created_at"]),
  });
  return { record: only, serviceTime: undefined, doubtful: entry.answer === undefined };
}

/** What a list shows of this, and nobody here has. */
export async function freeRecords(
  op: Caller & Memory & Parts<"time">,
  isWanted: (record: ServiceRecord) => boolean,
): Promise<ServiceRecord[]> {
  const seen = await lookAgain(op, async (isNew) => {
    const snapshot = await op.core.snapshot(op.kind.resource, { ...op.calls, isNew });
    op.time.learn(snapshot.serviceTime, true);
    const left = await free(op, snapshot, isWanted);
    return left.length === 0 ? undefined : left;
  });
  return seen ?? [];
}

/** Reads an object that another process created; undefined where it is gone. */
export const look = (op: Caller, id: string) =>
  lookAgain(op, async () => {
    const now = await op.core.read(op.kind.resource, id, op.calls);
    return now.state === "gone" ? undefined : now;
  });

/**
 * Looks; and once more when lists certainly show it. However long ago it was begun, it may have been
 * made just now: its request may have waited, and its process may have died a moment ago.
 */
async function lookAgain<T>(
  op: Parts<"contract" | "pause">,
  look: (isAgain: boolean) => Promise<T | undefined>,
): Promise<T | undefined> {
  const seen = await look(false);
  if (seen !== undefined || op.contract.settleWindowMs === 0) return seen;
  await op.pause(op.contract.settleWindowMs);
  return look(true);
}

export const orphanSuspected = (
  { kind: { name: kind } }: Parts<"kind">,
  { id: intent }: IntentEntry,
  near: readonly ServiceRecord[],
  why?: "old",
) => engineError("orphan_suspected", { kind, ids: near.map(({ id }) => id), intent, why });

/**
 * What was found by its name alone is adopted only where that harms nobody else: never where it
 * would be deleted for another, nor where its secret would have to be rotated.
 */
export const isAdoptable = (
  op: Pick<Caller, "kind" | "resource">,
  inputs: Values,
  record: ServiceRecord,
): boolean =>
  op.kind.reading.rotates === undefined && changesTo(op, inputs, record)?.replace !== true;

/** Whether a record was created around the time of an entry, under its name where it has one. */
export function isNear(entry: IntentEntry, { fields }: Pick<ServiceRecord, "fields">): boolean {
  const from =
    entry.serviceTime === undefined ? entry.time - BEFORE_MS : entry.serviceTime - CLOCKS_DIFFER_MS;
  const until = (entry.serviceTime ?? entry.time) + AFTER_MS;
  const createdMs = Date.parse(String(fields["created_at"]));
  // Without its time of creation, only its name can rule it out.
  if (createdMs < from || createdMs > until) return false;
  return entry.name === undefined || plainName(fields["name"]) === plainName(entry.name);
}

/** Whether a person may be right that an entry led to a record: what no update can change agrees too. */
export function mayHaveMade(
  op: Parts<"key" | "kind" | "resource">,
  entry: IntentEntry,
  record: ServiceRecord,
): boolean {
  const sent = bodyOf(op, entry);
  return isNear(entry, record) && (!sent || isFixedAlike(op.kind, sent.fields, record));
}

/** Services trim names, lower and compose them: better to stop at two of a name than to create a third. */
const plainName = (name: unknown): string => String(name).trim().toLowerCase().normalize();

/** Whether the entry may have led to it. */
export function isOfEntry(
  op: Parts<"key" | "resource">,
  entry: IntentEntry,
  record: ServiceRecord,
): boolean {
  if (entry.answer !== undefined) return record.id === entry.answer;
  if (!isNear(entry, record)) return false;
  // Sealed under a replaced key: its time is all that is known of it.
  if (entry.name !== undefined || bytesOf(op, entry) === undefined) return true;
  const wanted = bodyOf(op, entry);
  return wanted !== undefined && covers(wanted.fields, record.fields);
}

/** Those that nobody here has. */
export async function free(
  op: Memory,
  { records }: Snapshot,
  isWanted: (record: ServiceRecord) => boolean,
): Promise<ServiceRecord[]> {
  const left: ServiceRecord[] = [];
  for (const record of records.values()) {
    if (isWanted(record) && !(await isTaken(op, record.id))) left.push(record);
  }
  return left;
}

/** The bytes that were sent; undefined where they were sealed under another key. */
export const bytesOf = ({ key }: Parts<"key">, entry: IntentEntry): string | undefined =>
  entry.body === undefined ? undefined : unseal(entry.body, key.secret, entry);

/** Whether nothing but its time says what it created: it has no name, and its body can't be opened. */
export const isUnreadable = (op: Parts<"key">, entry: IntentEntry): boolean =>
  entry.answer === undefined && entry.name === undefined && bytesOf(op, entry) === undefined;

/** What the entry's body asked for, as a record without an id. */
export function bodyOf(
  op: Parts<"key" | "resource">,
  entry: IntentEntry,
): ServiceRecord | undefined {
  const bytes = bytesOf(op, entry);
  if (bytes === undefined) return undefined;
  const wanted = decodeRecord(op.resource, { ...JSON.parse(bytes), id: "none" });
  if (isOdd(wanted)) return undefined;
  const { id: _, ...fields } = wanted.fields;
  return { ...wanted, fields };
}
