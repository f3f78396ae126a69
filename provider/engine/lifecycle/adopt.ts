/** Taking over an object that exists, for a program that declares it. */
import type { Operation } from "../operation";
import { pathText, type Values } from "../../contract";
import { diff } from "../planning/diff";
import { EngineError } from "../errors";
import { importObject } from "./import";
import { create, update } from "./lifecycle";
import { heardOf } from "../machine";
import type { Result } from "../types";

/**
 * Takes over the object and brings it to the inputs. Where the host has an object under this
 * identity already, it is being replaced: then a new one is made, for the one to be adopted may be
 * the very one that the host is about to delete.
 */
export async function adopt(op: Operation, reference: string, inputs: Values): Promise<Result> {
  if (heardOf(op.machine, op.context.identity).prior === true) {
    return create(op, inputs);
  }
  const prior = await importObject(op, reference);
  op.machine.ids.adopted(op.kind.name, prior.id, op.context.identity ?? reference);
  const { changes, replace } = diff(op.contract, op.core.account, op.kind, prior, inputs);
  if (replace) {
    const fixed = changes.filter((change) => change.replace).map(({ path }) => pathText(path));
    throw new EngineError(
      "invalid_input",
      `${op.kind.name} ${prior.id} can't be adopted as this: ${fixed.join(", ")} can't be changed and is another one in the service. Give the service's value, or leave the object out of this program.`,
      changes.find((change) => change.replace)?.path,
    );
  }
  return update(op, prior, inputs);
}
