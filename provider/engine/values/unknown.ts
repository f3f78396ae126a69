/** A value that is not known while planning. */

/** The engine's own mark; faces translate theirs to it and back. */
export const UNKNOWN: unique symbol = Symbol.for("erphost.unknown");

export const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** Whether a value is unknown or holds something unknown, at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}
