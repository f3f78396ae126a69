/** Deleting an object, and what interrupted creates left next to it. */
import { engineError, EngineError } from "../errors";
import { protection } from "../plan/protection";
import { removeOnce } from "../evidence/remove";
import { discard } from "../evidence/take";
import { assertAccount, assertChanges } from "../service/account-guard";
import { isServed, type Operation, type Served } from "../service/operation";
import type { Deleted, State } from "../types";
import { currentId, EXPIRED } from "../values/history";
import { keysOfLine } from "../values/line";

/** Deletes, or leaves unmanaged what the service can't delete. */
export async function remove(op: Operation, prior: State): Promise<Deleted> {
  assertAccount(op, prior);
  assertChanges(op, "delete");
  const subject = op.subject(prior.id, prior.values["name"]);
  const refused = protection(op, prior);
  if (refused) throw new EngineError(refused);
  const { ledger, options } = op.run;
  if (ledger.isTakenOver(op.kind.name, prior)) {
    op.warn("kept_instead", { subject, resume: options.resume });
    return { retained: false, warnings: op.warnings };
  }
  ledger.assertDeletable(subject, prior, op.options.identity);
  // Hosts keep replaced objects until they are deleted, so it need not be the live one.
  await op.seeState(prior, false);
  const { warnings } = op;
  if (!isServed(op)) return { retained: false, warnings };
  await discardSuspects(op, prior);
  if (prior.values["status"] === EXPIRED) return { retained: false, warnings };
  if (op.resource.operations.delete === undefined) {
    op.warn("retained", { subject, planned: false });
    return { retained: true, warnings };
  }
  await (op.kind.reading.rotates === "own-key" ? deleteKey(op, prior) : removeOnce(op, prior.id));
  ledger.note({ is: "deleted", at: op.at(prior.id) });
  return { retained: false, warnings };
}

/**
 * A host that replaces an object without a diff shows which id it had by what it deletes. Ids that
 * interrupted creates were answered, and that it does not delete, are in no state.
 */
async function discardSuspects(op: Operation<Served>, prior: State): Promise<void> {
  const { journal, ledger } = op.run;
  for (const intent of journal.takeAside(op.options.identity)) {
    const id = intent.entry.answer ?? prior.id;
    if (id !== prior.id && !ledger.isKnown(op.at(id))) await discard(op, id);
    await journal.drop(intent);
  }
}

/** Deletes all keys of the line that still work; refuses the key that this run uses. */
async function deleteKey(op: Operation<Served>, prior: State): Promise<void> {
  const current = currentId(prior);
  const older = await olderKeys(op, prior);
  const { key_id: own } = await op.core.authTest(op.calls);
  if (own === current || older.includes(own)) {
    throw engineError("self_rotation", {
      subject: op.subject(own, prior.values["name"]),
      does: "delete",
    });
  }
  for (const id of older) {
    // It ends with its grace period.
    await removeOnce(op, id).catch(() => {
      op.warn("older_key_kept", { subject: op.subject(prior.id), keyId: id });
    });
  }
  await removeOnce(op, current);
}

async function olderKeys(op: Operation<Served>, prior: State): Promise<string[]> {
  if (op.resource.operations.list === undefined) return [];
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const current = currentId(prior);
  return keysOfLine(records, prior.id).flatMap(({ id }) => (id === current ? [] : [id]));
}
