/** Deleting an object, and what interrupted creates left next to it. */
import { engineError, EngineError } from "../errors";
import { accountRefusal } from "../plan/account";
import { protection } from "../plan/planned";
import { attempt, decide } from "../evidence/attempt";
import { removeFully } from "../evidence/take";
import { refusalOfEarlier, type Verdict } from "../evidence/verdicts";
import { isServed, type Operation, type Served } from "../service/operation";
import type { Deleted, State } from "../types";
import { keysOfLine } from "../values/api-key";
import { currentId, hasExpired } from "../values/state";
import { isReplayable } from "../values/time";

/** Deletes, or leaves unmanaged what the service can't delete. */
export async function remove(op: Operation, prior: State): Promise<Deleted> {
  const subject = op.subject(prior.id, prior.values["name"]);
  const { ledger, settings } = op;
  const foreign = accountRefusal(op, prior, "delete");
  const isKept = !foreign && ledger.isTakenOver(op.kind.name, prior);
  const refused = foreign ?? (isKept ? undefined : protection(op, prior));
  if (refused) throw new EngineError(refused);
  if (isKept) {
    op.warn("kept_instead", { subject, resume: settings.resume });
    return { retained: false, warnings: op.warnings };
  }
  ledger.assertDeletable(subject, prior, op.options.identity);
  // Hosts keep replaced objects until they are deleted, so it need not be the live one.
  await op.seeState(prior, false);
  const { warnings } = op;
  if (!isServed(op)) return { retained: false, warnings };
  await discardSuspects(op, prior);
  if (op.resource.operations.delete === undefined) {
    const retained = !hasExpired(op.kind, prior);
    if (retained) op.warn("retained", { subject, planned: false });
    return { retained, warnings };
  }
  const isKey = op.kind.reading.rotates === "own-key";
  const isOurs = await (isKey ? deleteKey(op, prior) : removeOnce(op, prior.id));
  const { identity } = op.options;
  ledger.note({ is: "deleted", at: op.at(prior.id), identity, values: isOurs && prior.values });
  return { retained: false, warnings };
}

/**
 * A host that replaces an object without a diff shows which id it had by what it deletes. Ids that
 * interrupted creates were answered, and that it does not delete, are in no state.
 */
async function discardSuspects(op: Operation<Served>, prior: State): Promise<void> {
  const { journal, ledger } = op;
  const { identity } = op.options;
  // Without a successor, what the state holds is still live, and not shown either.
  if (!ledger.hasMade(identity)) return;
  for (const intent of journal.takeAside(identity)) {
    const id = intent.entry.answer ?? prior.id;
    const isTaken = id === prior.id || ledger.isKnown(op.at(id));
    const ageMs = await op.time.ageOf(intent.entry, op.calls);
    if (!isTaken && !isReplayable(op.contract, ageMs)) {
      await journal.abandon(intent); // Since then somebody may have imported it elsewhere.
      continue;
    }
    const verdict: Verdict<never> = isTaken ? { is: "taken" } : { is: "unwanted", id };
    await decide(op, intent, Promise.resolve(verdict), refusalOfEarlier);
  }
}

/** Deletes all keys of the line that still work; refuses the key that this run uses. */
async function deleteKey(op: Operation<Served>, prior: State): Promise<boolean> {
  const current = currentId(prior);
  // What is not in the list that is read now would outlive its line, in no state.
  const { records } = await op.core.snapshot(op.kind.resource, op.calls);
  const line = keysOfLine(records, prior.id).map(({ id }) => id);
  const older = line.filter((id) => id !== current);
  const { key_id: own } = await op.core.authTest(op.calls);
  if (own === current || older.includes(own)) {
    const subject = op.subject(own, prior.values["name"]);
    throw engineError("self_rotation", { subject, does: "delete" });
  }
  for (const id of older) {
    // It ends with its grace period.
    await removeOnce(op, id).catch(() => {
      op.warn("older_key_kept", { subject: op.subject(prior.id), keyId: id });
    });
  }
  return removeOnce(op, current);
}

/** Noted on disk, so that a run after a kill expects its absence. @throws EngineError `not_deleted` */
const removeOnce = (op: Operation<Served>, id: string): Promise<boolean> =>
  attempt(op, {
    about: { operation: "delete", target: id, bodyHash: "" },
    keys: () => "",
    linksMax: 1,
    ask: () => removeFully(op, id).then((found) => ({ is: "done", id, found })),
  });
