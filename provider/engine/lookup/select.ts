/** Which records a lookup means. */
import type { ResourceName, ServiceRecord, Values } from "../../contract";
import type { LookupForm, Selector } from "../../resources";
import { createdMs } from "../values/age";

/** A lookup whose selection was checked. */
export interface Selection {
  readonly name: ResourceName;
  readonly form: LookupForm;
  readonly wanted: Values;
  /** What it is narrowed by, in the order of the definitions. */
  readonly selectors: readonly Selector[];
}

/** The records that match every selector that is not the service's alone to understand. */
export const selected = (
  { selectors, wanted }: Pick<Selection, "selectors" | "wanted">,
  records: readonly ServiceRecord[],
): ServiceRecord[] =>
  records.filter((record) =>
    selectors.every((selector) => matches(selector, wanted[selector.name], record)),
  );

function matches({ name, by }: Selector, wanted: unknown, { fields }: ServiceRecord): boolean {
  if (by === "equal") return fields[name] === wanted;
  if (by !== "bound") return true;
  // Moments, because equal ones are written in different zones and with different precision. A
  // record without one is neither before nor after.
  const [created, bound] = [Date.parse(String(fields["created_at"])), Date.parse(String(wanted))];
  return name === "created_after" ? created > bound : created < bound;
}

/** Of those that were created at the same time the last first, as lists keep the order of creation. */
export const newestFirst = (records: readonly ServiceRecord[]): ServiceRecord[] =>
  [...records].sort((a, b) => createdMs(a) - createdMs(b)).reverse();

/** Until the old key of a rotation expires, two have its name: the first, whose id stays, is meant. */
export const firstOfLine = (newest: readonly ServiceRecord[]): readonly ServiceRecord[] =>
  newest.length > 1 && newest.every(({ fields }) => isOfLineOf(newest[0], fields))
    ? newest.slice(-1)
    : newest;

const isOfLineOf = (other: ServiceRecord | undefined, fields: Values): boolean =>
  fields["lineage_id"] !== undefined && fields["lineage_id"] === other?.fields["lineage_id"];
