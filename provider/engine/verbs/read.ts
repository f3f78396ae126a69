/** What the service has now of an object that a state holds. */
import type { ServiceRecord } from "../../contract";
import { assertOurs, moveOf } from "../plan/account";
import { isServed, type Operation } from "../service/operation";
import { assertThere, gone, readObject } from "../service/reading";
import type { ReadResult, State } from "../types";
import { isFailed } from "../values/inputs";
import { afterRead, hasExpired, withAccount } from "../values/state";
import { readKey, readRotation } from "./key";

/** The state is undefined only where the object's absence is proved. */
export async function read(op: Operation, prior: State): Promise<ReadResult> {
  assertOurs(op, prior);
  if (prior.private.account.baseUrl === op.former) await assertThere(op, prior);
  await op.seeState(prior);
  const state = await readAsItIs(op, prior);
  const moved = moveOf(op, prior);
  return {
    state: state && withAccount(op, state),
    warnings: moved ? [moved, ...op.warnings] : op.warnings,
  };
}

async function readAsItIs(op: Operation, prior: State): Promise<State | undefined> {
  if (!isServed(op)) return readRotation(op, prior);
  if (op.kind.reading.rotates === "own-key") return readKey(op, prior);
  let record: ServiceRecord;
  if (hasExpired(op.kind, prior)) {
    // It needs no second proof; it may only have come back.
    const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
    const back = records.get(prior.id);
    if (!back) return prior;
    record = back;
  } else {
    const reading = await readObject(op, prior, prior.id);
    if (reading.state === "gone") return gone(op, prior);
    record = reading.record;
  }
  const { status } = record.fields;
  // Once: a backup that has failed stays so, and nothing can remove it.
  if (isFailed(op, status) && status !== prior.values["status"]) {
    const subject = op.subject(prior.id, prior.values["name"]);
    op.warn("found_failed", { subject, status: String(status) });
  }
  return { id: prior.id, ...afterRead(op, prior, record) };
}
