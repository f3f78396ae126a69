/** What this process wrote itself, for as long as lists may lag behind it. Pure. */
import { canonicalJson, type ServiceRecord } from "../../contract";

/** One own write, as the service answered it. */
export interface OwnWrite {
  /** Monotonic milliseconds at which the answer came. */
  readonly at: number;
  /** Undefined: it was deleted. */
  readonly record: ServiceRecord | undefined;
  /** Names of fields and properties that were written. */
  readonly names: readonly string[];
  readonly serviceTime: string | undefined;
}

/**
 * What holds for one object, given a list that was begun at `begunAt`: the own write, or what the
 * list shows. A list begun before the write does not undo it. Inside the settle window after it,
 * neither does one that lacks the object, shows it although deleted, or shows old values.
 */
export function prevails(
  own: OwnWrite | undefined,
  listed: ServiceRecord | undefined,
  begunAt: number,
  settleMs: number,
): "own" | "list" {
  if (!own) return "list";
  if (begunAt < own.at) return "own";
  if (begunAt >= own.at + settleMs) return "list";
  if (!own.record || !listed) return "own";
  const { record } = own;
  return own.names.some((name) => differs(valueOf(record, name), valueOf(listed, name)))
    ? "own"
    : "list";
}

const valueOf = (record: ServiceRecord, name: string): unknown =>
  Object.hasOwn(record.fields, name) ? record.fields[name] : record.properties[name];

/** What either side does not show says nothing of age. */
const differs = (mine: unknown, listed: unknown): boolean => {
  if (mine === undefined || listed === undefined || mine === listed) return false;
  return canonicalJson(mine) !== canonicalJson(listed);
};
