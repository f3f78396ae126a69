/** Records and the rows that hold them. */

/** A record with wire names. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** A row of the table of objects. */
export interface StoredObject {
  readonly seq: number;
  readonly kind: string;
  readonly id: string;
  readonly created_ms: number;
  /** JSON text. */
  readonly body: string;
}

/** The record in the JSON text of a row. */
export const recordOf = (body: string): WireRecord =>
  // Only records are ever written to the table.
  JSON.parse(body) as WireRecord;
