/** Whose an object is that an earlier request of this declaration led to. */
import type { Reading } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { engineError, type EngineError } from "../errors";
import { bring, changesTo, marked, type Created } from "./bring";
import { readListed } from "../service/reading";
import type { Operation, Served } from "../service/operation";
import { isFailed } from "../values/readiness";

/** What one key led to: an object, or nothing any more and the next key's `previous`. */
export type Step = { readonly created: Created } | { readonly usedUp: string };

/**
 * Takes the object where that is certain, or where a person said that the last run was cut off. One
 * that is gone, or that the state holds, has used its key up.
 * @throws EngineError where it may be the very object that the host is about to replace
 */
export async function settle(
  op: Operation<Served>,
  inputs: Values,
  replayed: ServiceRecord,
): Promise<Step> {
  const { id } = replayed;
  if (await op.isInState(id)) return { usedUp: id };
  if (op.run.ledger.maker(op.at(id)) !== undefined) {
    throw engineError("identity_shared", {
      subject: op.subject(id),
      identity: op.options.identity,
    });
  }
  const now = await look(op, replayed);
  if (now.state === "gone") return { usedUp: id };
  // No state ever holds it, and what has failed is of no use.
  if (op.options.derived) {
    if (hasFailed(op, now.record)) return { usedUp: id };
    return { created: { record: now.record, serviceTime: now.serviceTime } };
  }
  await assertTakeable(op, now.record);
  // Only the first answer holds the secret.
  const fields = { value: replayed.fields["value"], ...now.record.fields };
  return take(op, inputs, {
    record: { ...now.record, fields },
    serviceTime: now.serviceTime,
  });
}

/** @throws EngineError that names the object, and both ways to continue */
export async function assertTakeable(op: Operation<Served>, record: ServiceRecord): Promise<void> {
  if (!op.run.options.resume) throw foundAlive(op, record, "unasked");
  const { hasState, live } = op.declared;
  const isUnseen = hasState === true && live === undefined;
  if (isUnseen || !(await op.isInformed())) throw foundAlive(op, record, "uninformed");
}

function foundAlive(
  op: Operation,
  { id, fields }: ServiceRecord,
  why: "unasked" | "uninformed" | "fixed",
): EngineError {
  const subject = op.subject(id, fields["name"]);
  return engineError("found_alive", { subject, createdAt: String(fields["created_at"]), why });
}

/** The object as configured now; unlike an intent's, it is never deleted to make room. */
export async function take(
  op: Operation<Served>,
  inputs: Values,
  found: Created,
): Promise<{ readonly created: Created }> {
  const { record } = found;
  if (changesTo(op, inputs, record)?.replace) throw foundAlive(op, record, "fixed");
  const brought = await bring(op, inputs, found);
  op.warn("recovered", { subject: op.subject(record.id, record.fields["name"]) });
  return { created: marked(op, brought ?? found) };
}

const hasFailed = (op: Operation, { fields }: ServiceRecord): boolean =>
  isFailed(op, fields["status"]);

/** Whether it is still there. */
async function look(op: Operation<Served>, replayed: ServiceRecord): Promise<Reading> {
  // What can't be listed can't be shown to be gone.
  return op.resource.operations.list === undefined
    ? { state: "present", record: replayed, serviceTime: undefined }
    : readListed(op, replayed.id, replayed.fields);
}
