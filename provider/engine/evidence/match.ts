/** Which objects a create whose answer is unknown may have led to. */
import type { Snapshot } from "../../client";
import { decodeRecord, isOdd, type ServiceRecord } from "../../contract";
import type { Operation } from "../service/operation";
import { covers } from "../values/compare";
import type { IntentEntry } from "../journal/entry";
import { unseal } from "../journal/seal";

/** A request may wait at the quota gate for an hour before it is sent. */
const AFTER_MS = 70 * 60_000;
/** An object can't be older than its request, except by clocks that differ. */
const BEFORE_MS = 10 * 60_000;
const BEFORE_BY_SERVICE_MS = 5_000;

/** Whether a record was created around the time of an intent, under its name where it has one. */
export function isNear(entry: IntentEntry, { fields }: Pick<ServiceRecord, "fields">): boolean {
  const from =
    entry.serviceTime === undefined
      ? entry.time - BEFORE_MS
      : entry.serviceTime - BEFORE_BY_SERVICE_MS;
  const until = (entry.serviceTime ?? entry.time) + AFTER_MS;
  const createdMs = Date.parse(String(fields["created_at"]));
  // Without its time of creation, only its name can rule it out.
  if (createdMs < from || createdMs > until) return false;
  return entry.name === undefined || plainName(fields["name"]) === plainName(entry.name);
}

/** Services trim names and lower them: better to stop at two of a name than to create a third. */
const plainName = (name: unknown): string => String(name).trim().toLowerCase();

/** Records that the intent may have led to, and that nobody here has. */
export function candidates(op: Operation, entry: IntentEntry, snapshot: Snapshot): ServiceRecord[] {
  const records = [...snapshot.records.values()].filter(
    ({ id }) => !op.run.ledger.isKnown(op.at(id)),
  );
  if (entry.answer !== undefined) return records.filter(({ id }) => id === entry.answer);
  return records.filter(
    (record) => isNear(entry, record) && (entry.name !== undefined || matches(op, entry, record)),
  );
}

/** The bytes that were sent; undefined where they were sealed under another key. */
export const bytesOf = ({ run }: Operation, entry: IntentEntry): string | undefined =>
  entry.body === undefined ? undefined : unseal(entry.body, run.apiKey, entry);

/** Whether nothing but its time says what it created: it has no name, and its body can't be opened. */
export const isUnreadable = (op: Operation, entry: IntentEntry): boolean =>
  entry.answer === undefined && entry.name === undefined && bytesOf(op, entry) === undefined;

/** What the intent's body asked for, as a record without an id. */
export function bodyOf(op: Operation, entry: IntentEntry): ServiceRecord | undefined {
  const bytes = bytesOf(op, entry);
  if (bytes === undefined) return undefined;
  const wanted = decodeRecord(op.resource, { ...JSON.parse(bytes), id: "none" });
  if (isOdd(wanted)) return undefined;
  const { id: _, ...fields } = wanted.fields;
  return { ...wanted, fields };
}

/** Whether a record is what the intent's body asked for. */
function matches(op: Operation, entry: IntentEntry, record: ServiceRecord): boolean {
  // Sealed under a replaced key: its time is all that is known of it.
  if (bytesOf(op, entry) === undefined) return true;
  const wanted = bodyOf(op, entry);
  return wanted !== undefined && covers(wanted.fields, record.fields);
}
