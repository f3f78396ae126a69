/** What turns out to be ours: brought to what is declared now and taken, or else discarded. */
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import { engineError } from "../errors";
import type { Caller, Memory, Parts, Voice } from "../service/operation";
import { sentFields } from "../values/inputs";
import { hasUnknown } from "../../resources";
import { covers } from "../values/compare";
import type { Verdict } from "./verdicts";

/**
 * How a record differs from what is configured, as far as that is known; undefined where it does not.
 * `replace`: an update can't make the changes.
 */
export function changesTo(
  { kind, resource }: Pick<Caller, "kind" | "resource">,
  inputs: Values,
  record: ServiceRecord,
) {
  const sent = sentFields(kind, inputs);
  const fields = Object.entries(sent.fields).filter(
    ([name, value]) => !hasUnknown(value) && !covers(value, record.fields[name], kind.fields[name]),
  );
  const properties = Object.entries(sent.properties).filter(
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

export interface Created {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
  /** It was taken over from a run that was cut off: a mark for its state. */
  readonly resumed?: string;
}

/**
 * Takes what an earlier run created, as configured now, and marks it. Nothing may show that the state
 * holds it, and that the host is about to delete it for its replacement: that delete is of a state
 * without the mark.
 */
export async function take(
  op: Caller & Voice & Parts<"uuid">,
  inputs: Values,
  begun: Created,
): Promise<Verdict<Created>> {
  const { id } = begun.record;
  const changes = changesTo(op, inputs, begun.record);
  if (changes?.replace) return { is: "unwanted", id };
  const { option = "", field = "" } = op.kind.reading.backupBefore ?? {};
  if (inputs[option] === true && changes && field in changes.fields) {
    const parts = { subject: op.subject(id), field, found: String(begun.record.fields[field]) };
    throw engineError("upgrade_of_unfinished", parts, { path: [field] });
  }
  let created = begun;
  if (changes) {
    const body = encodeBody(op.resource, changes.fields, changes.properties);
    const { record, meta } = await op.core.update(op.kind.resource, id, body, op.calls);
    const fields = { value: begun.record.fields["value"], ...record.fields };
    created = { record: { ...record, fields }, serviceTime: meta?.timestamp };
  }
  return { is: "ours", id, found: { ...created, resumed: op.uuid() } };
}

/** Removes what an interrupted run created and nobody wants any more. */
export async function discard(op: Caller & Voice, id: string): Promise<void> {
  if (op.resource.operations.delete === undefined) {
    op.warn("orphan_retained", { subject: op.subject(id) });
    return;
  }
  await removeFully(op, id);
  op.warn("orphan_deleted", { subject: op.subject(id) });
}

/** Deletes of one object that are tried where lists still show it. */
const TRIES_MAX = 2;

/**
 * Deletes one object for good. Unless the service says that it deleted the object, lists decide:
 * where they show it, it is deleted again.
 * @returns whether the service says that it was deleted by this call
 * @throws EngineError `not_deleted`
 */
export async function removeFully(op: Caller & Voice, id: string): Promise<boolean> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const outcome = await op.core.remove(op.kind.resource, id, op.calls);
    if (outcome === "deleted") return true;
    // Lists may lag behind a delete whose answer was lost.
    if (tries === TRIES_MAX) await op.pause(op.contract.settleWindowMs);
    const now = await op.core.read(op.kind.resource, id, { expectGone: true, ...op.calls });
    if (now.state === "gone") return false;
  }
  throw engineError("not_deleted", { subject: op.subject(id) });
}

/**
 * Whether a create here was answered this id, or the state holds it, by what this process saw or the
 * one that planned: its entry may have been of a process that had not ended yet when that looked.
 */
export const isTaken = async (op: Memory, id: string): Promise<boolean> =>
  op.ledger.isKnown(op.at(id)) || op.states.has(op.at(id));
