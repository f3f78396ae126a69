/** Deleting an object, and what interrupted creates left next to it. */
import { EngineError } from "../errors";
import { protection } from "../plan/protection";
import { discard } from "../evidence/bring";
import { removeOnce } from "../evidence/remove";
import { assertAccount, assertChanges } from "../plan/account";
import { isServed, type Operation, type Served } from "../operation";
import { deleteKey } from "./key";
import type { Deleted, State } from "../types";
import { EXPIRED } from "../service/reading";

/** Deletes, or leaves unmanaged what the service can't delete. */
export async function remove(op: Operation, prior: State): Promise<Deleted> {
  assertAccount(op, prior);
  assertChanges(op, "delete");
  const subject = op.subject(prior.id, prior.values["name"]);
  const refused = protection(op, prior);
  if (refused) throw new EngineError(refused);
  if (isTakenOver(op, prior)) {
    op.warn("kept_instead", { subject, resume: op.machine.options.resume });
    return { retained: false, warnings: op.warnings };
  }
  op.machine.ids.assertNotSought(subject, op.options.identity);
  op.machine.ids.assertDeletable(op.kind.name, prior);
  // Hosts keep replaced objects until they are deleted, so it need not be the live one.
  await op.hold(prior, false);
  const { warnings } = op;
  if (!isServed(op)) return { retained: false, warnings };
  await discardSuspects(op, prior);
  if (prior.values["status"] === EXPIRED) return { retained: false, warnings };
  if (op.resource.operations.delete === undefined) {
    op.warn("retained", { subject, planned: false });
    return { retained: true, warnings };
  }
  await (op.kind.reading.rotates === "own-key" ? deleteKey(op, prior) : removeOnce(op, prior.id));
  op.machine.ids.forget(op.kind.name, prior.id);
  return { retained: false, warnings };
}

/**
 * A create took over or adopted the very object that the host deletes, since nothing showed that the
 * state held it: in this process, or in one that ended before this delete.
 */
function isTakenOver({ kind, machine }: Operation, { id, private: { resumed } }: State): boolean {
  const all = [...machine.declarations.values()].flatMap(({ kept }) => kept ?? []);
  const kept = all.find((each) => each.kind === kind.name && each.id === id);
  const mark = kept?.private.resumed ?? machine.scope.markOf(kind.name, id);
  return mark !== undefined && mark !== resumed;
}

/**
 * A host that replaces an object without a diff shows which id it had by what it deletes. Ids that
 * interrupted creates were answered, and that it does not delete, are in no state.
 */
async function discardSuspects(op: Operation<Served>, prior: State): Promise<void> {
  const { declaration } = op;
  const suspects = declaration.suspects ?? [];
  declaration.suspects = [];
  for (const intent of suspects) {
    const id = intent.entry.answer ?? prior.id;
    const held = id === prior.id || op.machine.ids.isKnown(op.kind.name, id);
    if (!held) await discard(op, id);
    await op.machine.intents.drop(intent);
  }
}
