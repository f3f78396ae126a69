/** What this process wrote itself, for as long as lists may lag behind it. */
import { canonicalJson, type ServiceRecord } from "../../contract";
import type { Reading } from "../api";
import type { Walk } from "./walk";

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

const OWN_WRITES_MAX = 100_000;

/** The own writes of one list. `settleMs`: how long the list may lag behind a write. */
export class OwnWrites {
  private readonly writes = new Map<string, OwnWrite>();

  constructor(private readonly settleMs: number) {}

  get(id: string): OwnWrite | undefined {
    return this.writes.get(id);
  }

  add(id: string, write: OwnWrite): void {
    this.writes.delete(id);
    if (this.writes.size >= OWN_WRITES_MAX) {
      const [oldest] = this.writes.keys();
      if (oldest !== undefined) this.writes.delete(oldest);
    }
    this.writes.set(id, write);
  }

  /** The write that may still be ahead of the list at a time. */
  settling(id: string, now: number): OwnWrite | undefined {
    const own = this.writes.get(id);
    return own !== undefined && now < own.at + this.settleMs ? own : undefined;
  }

  /** Forgets those that every later walk shows. */
  forgetBefore(begunAt: number): void {
    for (const [id, { at }] of this.writes) {
      if (at + this.settleMs < begunAt) this.writes.delete(id);
    }
  }

  /** What an own write says where it prevails over the walk; undefined: the walk counts. */
  over(walk: Walk, id: string): Reading | undefined {
    const own = this.writes.get(id);
    const isOwn = prevails(own, walk.records.get(id), walk.begunAt, this.settleMs) === "own";
    return own && isOwn ? ownReading(own) : undefined;
  }

  /**
   * Records of a page that was asked for at a time, with own writes in place of older ones. What it
   * shows of an own write later is kept in its place: a walk from before shows neither.
   */
  shown(records: readonly ServiceRecord[], askedAt: number): ServiceRecord[] {
    return records.map((record) => {
      const own = this.writes.get(record.id);
      if (!own) return record;
      if (prevails(own, record, askedAt, this.settleMs) === "own") return own.record ?? record;
      this.writes.set(record.id, { ...own, record, at: askedAt });
      return record;
    });
  }

  /** A walk's records with own writes put over them; the walk's own map where there are none. */
  applied(walk: Walk): ReadonlyMap<string, ServiceRecord> {
    let records: Map<string, ServiceRecord> | undefined;
    for (const [id, own] of this.writes) {
      if (prevails(own, walk.records.get(id), walk.begunAt, this.settleMs) === "list") continue;
      records ??= new Map(walk.records);
      if (own.record) records.set(id, own.record);
      else records.delete(id);
    }
    return records ?? walk.records;
  }
}

export const ownReading = ({ record, serviceTime }: OwnWrite): Reading =>
  record ? { state: "present", record, serviceTime } : { state: "gone", serviceTime };

/**
 * What holds for one object, given a list that was begun at `begunAt`: the own write, or what the
 * list shows. A list begun before the write does not undo it. Inside the settle window after it,
 * neither does one that lacks the object, shows it although deleted, or shows old values.
 */
function prevails(
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
