/** Deleting an object, and what interrupted creates left behind beside it. */
import type { Kind } from "../resources";
import { EngineError, subject } from "./errors";
import { assertAccount } from "./guards";
import { heardOf, isServed, mention, resourceOf, type Machine, type Served } from "./machine";
import { EXPIRED, removeSurely } from "./records";
import { discard } from "./recover";
import { deleteKey } from "./rotation";
import type { Context, Deleted, State } from "./types";

/** Deletes, or lets go of what the service can't delete. */
export async function remove(
  machine: Machine,
  kind: Kind,
  prior: State,
  context: Context,
): Promise<Deleted> {
  assertAccount(machine.core.account, kind, prior);
  const what = subject(kind.name, prior.id, prior.values["name"]);
  if (prior.values["deletion_protection"] === true) {
    throw new EngineError(
      "protected",
      `deletion_protection forbids to delete ${what}. Set it to false, apply, and try again.`,
      ["deletion_protection"],
    );
  }
  machine.ids.mayDelete(kind.name, prior.id);
  // What is deleted need not be what lives: hosts keep replaced objects until they are gone.
  await mention(machine, kind, prior, undefined);
  if (!isServed(kind)) return { retained: false, warnings: [] };
  const warnings = await orphans(machine, kind, prior, context);
  if (prior.values["status"] === EXPIRED) return { retained: false, warnings };
  if (resourceOf(machine, kind).operations.delete === undefined) {
    const told = `${what} is retained: the service offers no delete for it. It is out of the state and lives on in the service.`;
    return { retained: true, warnings: [...warnings, told] };
  }
  if (kind.reading.rotates === "own-key") {
    warnings.push(...(await deleteKey(machine, kind, prior, context)));
  } else {
    await removeSurely(machine, kind, prior.id, context);
  }
  machine.ids.forget(kind.name, prior.id);
  return { retained: false, warnings };
}

/**
 * An engine that makes an object anew without a diff shows which id it had by what it deletes. Ids
 * that interrupted creates were answered, and that it does not delete, are held by nobody.
 */
async function orphans(
  machine: Machine,
  kind: Served,
  prior: State,
  context: Context,
): Promise<string[]> {
  const heard = heardOf(machine, context.identity);
  const suspects = heard.suspects ?? [];
  heard.suspects = [];
  const warnings: string[] = [];
  for (const intent of suspects) {
    const id = intent.entry.answer ?? prior.id;
    const held = id === prior.id || machine.ids.isKnown(kind.name, id);
    if (!held) warnings.push(await discard(machine, kind, { id }, context));
    await machine.intents.drop(intent);
  }
  return warnings;
}
