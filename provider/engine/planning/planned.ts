/** What an object will be, as far as that can be known before anything is done. */
import { issueAt, type Values } from "../../contract";
import type { Kind } from "../../resources";
import { subject } from "../errors";
import { accountRefusal } from "../guards/account";
import { EXPIRED } from "../lifecycle/gone";
import type { Diff, PlannedDelete, Scope, State } from "../types";
import { UNKNOWN } from "./unknown";

/** After a create: the inputs, and everything else unknown, but outputs that will not be there. */
export const plannedCreate = (kind: Kind, inputs: Values): Values => ({
  ...Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([name, field]) => field.origin !== "option" && !absent(name, inputs))
      .map(([name]) => [name, UNKNOWN]),
  ),
  ...inputs,
});

/** After an update: what is known stays known. */
export function plannedUpdate(kind: Kind, prior: State, inputs: Values, diff: Diff): Values {
  if (diff.replace) return plannedCreate(kind, inputs);
  const kept = Object.entries(prior.values).filter(
    ([name]) => kind.fields[name]?.origin !== "option" && !absent(name, inputs),
  );
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(
      diff.unknown.filter((name) => !absent(name, inputs)).map((name) => [name, UNKNOWN]),
    ),
    ...inputs,
  };
}

/** With a recipient no plain value, without one no encrypted value. */
const absent = (name: string, inputs: Values): boolean =>
  (name === "value" && inputs["recipient"] !== undefined) ||
  (name === "encrypted_value" && inputs["recipient"] === undefined);

/** Whether a delete will be refused, and what of the object will stay. Makes no call. */
export function plannedDelete(scope: Scope, prior: State): PlannedDelete {
  const { contract, kind } = scope;
  const what = subject(kind.name, prior.id, prior.values["name"]);
  const elsewhere = accountRefusal(scope, prior);
  const refused =
    elsewhere !== undefined
      ? issueAt([], "stated", { text: elsewhere })
      : prior.values["deletion_protection"] === true
        ? issueAt(["deletion_protection"], "stated", {
            text: `forbids to delete ${what}; set it to false, apply, and try again`,
          })
        : undefined;
  const offered =
    kind.resource === undefined ||
    contract.resources[kind.resource].operations.delete !== undefined ||
    prior.values["status"] === EXPIRED;
  const notes = offered
    ? []
    : [
        `${what} will be retained: the service offers no delete for it, so it leaves the state and lives on in the service.`,
      ];
  return { refused, notes };
}
