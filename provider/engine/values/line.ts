/** A key's line: the key and its successors, known by the first one's id. */
import type { ServiceRecord } from "../../contract";

export const createdMs = (record: ServiceRecord): number =>
  Date.parse(String(record.fields["created_at"])) || 0;

/** The newest of some records; of equally old ones the last, as lists keep the order of creation. */
export const newest = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  [...records].sort((a, b) => createdMs(a) - createdMs(b)).at(-1);

export const keysOfLine = (
  records: ReadonlyMap<string, ServiceRecord>,
  line: unknown,
): ServiceRecord[] => [...records.values()].filter(({ fields }) => fields["lineage_id"] === line);
