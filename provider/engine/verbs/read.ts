/** What the service has now of an object that a state holds. */
import type { ServiceRecord } from "../../contract";
import { moveOf } from "../plan/account";
import { isServed, type Operation, type Served } from "../service/operation";
import { readRotation } from "./declared-rotation";
import { readKey } from "./key";
import type { ReadResult, State } from "../types";
import { assertOurs, gone, readObject } from "../service/reading";
import { afterRead, EXPIRED, withAccount } from "../values/state";
import { isFailed } from "../values/inputs";

/** The state is undefined only where the object's absence is proved. */
export async function read(op: Operation, prior: State): Promise<ReadResult> {
  await assertOurs(op, prior);
  const { state, warnings } = await readAsItIs(op, prior);
  const moved = moveOf(op, prior);
  return {
    state: state && withAccount(op, state),
    warnings: moved ? [moved, ...warnings] : warnings,
  };
}

async function readAsItIs(op: Operation, prior: State): Promise<ReadResult> {
  await op.seeState(prior);
  if (!isServed(op)) return readRotation(op, prior);
  if (op.kind.reading.rotates === "own-key") return readKey(op, prior);
  if (prior.values["status"] === EXPIRED) return readExpired(op, prior);
  const reading = await readObject(op, prior, prior.id);
  return reading.state === "present" ? stillThere(op, prior, reading.record) : gone(op, prior);
}

function stillThere(op: Operation, prior: State, record: ServiceRecord): ReadResult {
  const { status } = record.fields;
  // Once: a backup that has failed stays so, and nothing can remove it.
  if (isFailed(op, status) && status !== prior.values["status"]) {
    const subject = op.subject(prior.id, prior.values["name"]);
    op.warn("found_failed", { subject, status: String(status) });
  }
  const state = { id: prior.id, ...afterRead(op, prior, record) };
  return { state, warnings: op.warnings };
}

/** An object that has expired needs no second proof; it may only have come back. */
async function readExpired(op: Operation<Served>, prior: State): Promise<ReadResult> {
  const snapshot = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const record = snapshot.records.get(prior.id);
  return record ? stillThere(op, prior, record) : { state: prior, warnings: [] };
}
