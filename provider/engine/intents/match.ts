/** Which objects may have come of a create whose answer is not known. */
import type { ServiceRecord } from "../../contract";
import type { IntentEntry } from "./store";

/** A request may wait at the quota gate for an hour before it is sent. */
const AFTER_MS = 70 * 60_000;
/** Before the request there was nothing, but for clocks that differ. */
const BEFORE_MS = 10 * 60_000;
const BEFORE_BY_SERVICE_MS = 5_000;

/** Whether a record was created around the time of an intent, under its name where it has one. */
export function isNear(entry: IntentEntry, { fields }: Pick<ServiceRecord, "fields">): boolean {
  const from =
    entry.serviceTime === undefined
      ? entry.time - BEFORE_MS
      : entry.serviceTime - BEFORE_BY_SERVICE_MS;
  const until = (entry.serviceTime ?? entry.time) + AFTER_MS;
  const made = Date.parse(String(fields["created_at"]));
  // Without a time of its own, only its name can speak against it.
  if (made < from || made > until) return false;
  return entry.name === undefined || plainName(fields["name"]) === plainName(entry.name);
}

/** Services trim names and lower them: better to stop at two of a name than to make a third. */
const plainName = (name: unknown): string => String(name).trim().toLowerCase();
