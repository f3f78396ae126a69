/** Taking over an object that exists, for a program that declares it. */
import { pathText, type Values } from "../contract";
import type { Kind } from "../resources";
import { diff } from "./diff";
import { EngineError } from "./errors";
import { importObject } from "./import";
import { create, update } from "./lifecycle";
import { heardOf, type Machine } from "./machine";
import type { Context, Result } from "./types";

/**
 * Takes over the object and brings it to the inputs. Where the host has an object under this
 * identity already, it is being replaced: then a new one is made, for the one to be adopted may be
 * the very one that the host is about to delete.
 */
export async function adopt(
  machine: Machine,
  kind: Kind,
  reference: string,
  inputs: Values,
  context: Context,
): Promise<Result> {
  if (heardOf(machine, context.identity).prior === true) {
    return create(machine, kind, inputs, context);
  }
  const prior = await importObject(machine, kind, reference, context);
  machine.ids.adopted(kind.name, prior.id, context.identity ?? reference);
  const { changes, replace } = diff(
    machine.core.contract,
    machine.core.account,
    kind,
    prior,
    inputs,
  );
  if (replace) {
    const fixed = changes.filter((change) => change.replace).map(({ path }) => pathText(path));
    throw new EngineError(
      "invalid_input",
      `${kind.name} ${prior.id} can't be adopted as this: ${fixed.join(", ")} can't be changed and is another one in the service. Give the service's value, or leave the object out of this program.`,
      changes.find((change) => change.replace)?.path,
    );
  }
  return update(machine, kind, prior, inputs, context);
}
