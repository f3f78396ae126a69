/** What an interrupted run created, changed to what is configured now, or deleted. */
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import { freeFields, serviceFields } from "../values/body";
import type { Operation, Served } from "../service/operation";
import { covers } from "../values/compare";
import { hasUnknown } from "../values/unknown";
import type { Intent } from "../journal/entry";

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

/** The object as configured now; undefined where that needs another one, and this one is discarded. */
export async function bring<F extends Created>(
  op: Operation<Served>,
  inputs: Values,
  recovered: F,
): Promise<F | undefined> {
  const { record } = recovered;
  const changes = changesTo(op, inputs, record);
  if (!changes) return recovered;
  if (changes.replace) {
    await discard(op, record.id);
    return undefined;
  }
  const body = encodeBody(op.resource, changes.fields, changes.properties);
  const written = await op.core.update(op.kind.resource, record.id, body, op.calls);
  const fields = { value: record.fields["value"], ...written.record.fields };
  return {
    ...recovered,
    record: { ...written.record, fields },
    serviceTime: written.meta?.timestamp,
  };
}

/**
 * Marks what an earlier run created and this one takes. Nothing may show that the state holds it, and
 * that the host is about to delete it for its replacement: that delete is of a state without the mark.
 */
export function marked(op: Operation, created: Created): Created {
  const resumed = op.run.uuid();
  op.run.ledger.note({ is: "taken", at: op.at(created.record.id), mark: resumed });
  return { ...created, resumed };
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
 * The object exists and is this create's: notes that, and refuses one that somebody else has.
 * @param key the first of a line of derived keys
 */
export async function registerCreated(
  op: Operation,
  intent: Intent | undefined,
  { record, serviceTime }: Created,
  key?: string,
): Promise<Created> {
  const { journal, ledger, time } = op.run;
  await journal.recordAnswer(intent, record.id);
  time.learn(serviceTime);
  const by = op.options.identity ?? intent?.entry.id ?? "a create";
  ledger.note({ is: "made", at: op.at(record.id), by, key });
  return { record, serviceTime };
}
