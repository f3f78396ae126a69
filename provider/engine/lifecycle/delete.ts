/** Deleting an object, and what interrupted creates left behind beside it. */
import { EngineError, subject } from "../errors";
import { assertAccount } from "../guards/guards";
import { heardOf, mention } from "../machine";
import { EXPIRED, removeSurely } from "./records";
import { discard } from "../intents/recover";
import { deleteKey } from "../rotation/rotation";
import type { Deleted, State } from "../types";
import { type Operation, type Served, isServed } from "../operation";

/** Deletes, or lets go of what the service can't delete. */
export async function remove(op: Operation, prior: State): Promise<Deleted> {
  assertAccount(op.core.account, op.kind, prior);
  const what = subject(op.kind.name, prior.id, prior.values["name"]);
  if (prior.values["deletion_protection"] === true) {
    throw new EngineError(
      "protected",
      `deletion_protection forbids to delete ${what}. Set it to false, apply, and try again.`,
      ["deletion_protection"],
    );
  }
  op.machine.ids.mayDelete(op.kind.name, prior.id);
  // What is deleted need not be what lives: hosts keep replaced objects until they are gone.
  await mention(op.machine, op.kind, prior, undefined);
  if (!isServed(op)) return { retained: false, warnings: [] };
  const warnings = await orphans(op, prior);
  if (prior.values["status"] === EXPIRED) return { retained: false, warnings };
  if (op.resource.operations.delete === undefined) {
    const told = `${what} is retained: the service offers no delete for it. It is out of the state and lives on in the service.`;
    return { retained: true, warnings: [...warnings, told] };
  }
  if (op.kind.reading.rotates === "own-key") {
    warnings.push(...(await deleteKey(op, prior)));
  } else {
    await removeSurely(op, prior.id);
  }
  op.machine.ids.forget(op.kind.name, prior.id);
  return { retained: false, warnings };
}

/**
 * An engine that makes an object anew without a diff shows which id it had by what it deletes. Ids
 * that interrupted creates were answered, and that it does not delete, are held by nobody.
 */
async function orphans(op: Operation<Served>, prior: State): Promise<string[]> {
  const heard = heardOf(op.machine, op.context.identity);
  const suspects = heard.suspects ?? [];
  heard.suspects = [];
  const warnings: string[] = [];
  for (const intent of suspects) {
    const id = intent.entry.answer ?? prior.id;
    const held = id === prior.id || op.machine.ids.isKnown(op.kind.name, id);
    if (!held) warnings.push(await discard(op, { id }));
    await op.machine.intents.drop(intent);
  }
  return warnings;
}
