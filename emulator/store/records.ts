/** Records, and the rows that hold them. */

/** A record under wire names. */
export type WireRecord = Readonly<Record<string, unknown>>;

export interface StoredObject {
  readonly seq: number;
  readonly kind: string;
  readonly id: string;
  readonly created_ms: number;
  /** JSON text. */
  readonly body: string;
}

/** The record that JSON text of the table holds. */
export const recordOf = (body: string): WireRecord =>
  // Only records are ever written there.
  JSON.parse(body) as WireRecord;
