/** What turns out to be ours: brought to what is declared now and taken, or else discarded. */
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import type { IntentEntry } from "../journal/entry";
import type { Operation, Served } from "../service/operation";
import { freeFields, serviceFields } from "../values/body";
import { covers } from "../values/compare";
import { hasUnknown } from "../values/unknown";
import type { Verdict } from "./verdicts";

interface Changes {
  readonly fields: Values;
  readonly properties: Values;
  /** Whether an update can't make them. */
  readonly replace: boolean;
}

/** How a record differs from what is configured, as far as that is known; undefined where it does not. */
export function changesTo(
  { kind, resource }: Operation<Served>,
  inputs: Values,
  record: ServiceRecord,
): Changes | undefined {
  const fields = Object.entries(serviceFields(kind, inputs)).filter(
    ([name, value]) => !hasUnknown(value) && !covers(value, record.fields[name], kind.fields[name]),
  );
  const properties = Object.entries(freeFields(inputs)).filter(
    ([key, value]) => !hasUnknown(value) && !covers(value, record.properties[key]),
  );
  if (fields.length + properties.length === 0) return undefined;
  const fixed = fields.some(([name]) => kind.fields[name]?.immutable);
  return {
    fields: Object.fromEntries(fields),
    properties: Object.fromEntries(properties),
    replace: fixed || resource.operations.update === undefined,
  };
}

/** An object that now exists. */
export interface Created {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
  /** It was taken over from a run that was cut off: a mark for its state. */
  readonly resumed?: string;
}

/** A verdict that a create's object was found. */
export const found = (is: "done" | "ours", created: Created): Verdict<Created> => ({
  is,
  id: created.record.id,
  found: created,
});

/**
 * Takes what an earlier run created, as configured now, and marks it. Nothing may show that the state
 * holds it, and that the host is about to delete it for its replacement: that delete is of a state
 * without the mark.
 */
export async function take(
  op: Operation<Served>,
  inputs: Values,
  begun: Created,
): Promise<Verdict<Created>> {
  const { id } = begun.record;
  const changes = changesTo(op, inputs, begun.record);
  if (changes?.replace) return { is: "unwanted", id };
  const created = changes ? await updated(op, begun, changes) : begun;
  return found("ours", { ...created, resumed: op.run.uuid() });
}

async function updated(
  op: Operation<Served>,
  { record }: Created,
  changes: Changes,
): Promise<Created> {
  const body = encodeBody(op.resource, changes.fields, changes.properties);
  const written = await op.core.update(op.kind.resource, record.id, body, op.calls);
  const fields = { value: record.fields["value"], ...written.record.fields };
  return { record: { ...written.record, fields }, serviceTime: written.meta?.timestamp };
}

/** Removes what an interrupted run created and nobody wants any more. */
export async function discard(op: Operation<Served>, id: string): Promise<void> {
  if (op.resource.operations.delete === undefined) {
    op.warn("orphan_retained", { subject: op.subject(id) });
    return;
  }
  await op.core.remove(op.kind.resource, id, op.calls);
  op.warn("orphan_deleted", { subject: op.subject(id) });
}

/**
 * Notes whose the object of a verdict is, and refuses one that somebody else has.
 * @param key the first of a line of derived keys
 */
export function registered(
  op: Operation,
  entry: IntentEntry,
  verdict: Verdict<Created>,
  key?: string,
): Verdict<Created> {
  if (!("found" in verdict)) return verdict;
  const by = op.options.identity ?? entry.id;
  const { resumed: mark } = verdict.found;
  op.run.ledger.note({ is: "made", at: op.at(verdict.id), by, key });
  if (mark !== undefined) op.run.ledger.note({ is: "taken", at: op.at(verdict.id), mark });
  op.run.time.learn(verdict.found.serviceTime);
  return verdict;
}

/**
 * Whether a create here was answered this id, or the state holds it, by what this process saw or the
 * one that planned: its entry may have been of a process that had not ended yet when that looked.
 */
export const isTaken = async (op: Operation, id: string): Promise<boolean> =>
  op.run.ledger.isKnown(op.at(id)) || op.isInState(id);
