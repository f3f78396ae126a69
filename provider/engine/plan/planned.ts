/** What becomes of an object, as far as that is known before the change, and what keeps it. */
import type { Values } from "../../contract";
import { hasUnknown, rotates, UNKNOWN, type Kind } from "../../resources";
import { message, type Message } from "../../messages";
import type { Advice, Diff, Scope, State } from "../types";
import { currentId, hasExpired, subjectOf } from "../values/state";
import { accountRefusal } from "./account";
import type { Seen } from "./seen";

/** After a create: the inputs; all outputs that will exist are unknown. */
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
    // What is not known yet may turn out to be no change.
    ...(rotates(kind, diff.changes) && { rotation_due: hasUnknown(inputs) ? UNKNOWN : false }),
    ...inputs,
  };
}

/** With a recipient no plain value, without one no encrypted value. */
const absent = (name: string, { recipient }: Values): boolean =>
  (name === "value" && recipient !== undefined && recipient !== UNKNOWN) ||
  (name === "encrypted_value" && recipient === undefined);

/**
 * Whether a delete will be refused; a note says where the service can not do it, so that the object
 * leaves the state and remains in the service, unmanaged.
 * @param turnedOff where it makes room for a new object: whether that change turns protection off
 */
export function plannedDelete(seen: Seen, prior: State, turnedOff?: boolean): Advice {
  const { contract, kind } = seen;
  const subject = subjectOf(kind.name, prior.id, prior.values["name"]);
  const refused = accountRefusal(seen, prior, "delete") ?? protection(seen, prior, turnedOff);
  const offered =
    kind.resource === undefined ||
    contract.resources[kind.resource].operations.delete !== undefined ||
    hasExpired(kind, prior);
  if (!offered) return { refused, notes: [message("retained", { subject, planned: true })] };
  const isOwn = kind.reading.rotates === "own-key" && currentId(prior) === seen.key?.key_id;
  if (!isOwn || refused) return { refused, notes: [] };
  const self = message("self_rotation", { subject, does: "delete" });
  // The apply may have another key.
  return seen.preflight === "warn" ? { refused, notes: [self] } : { refused: self, notes: [] };
}

/**
 * Why an object must not be deleted, for good or for its replacement; undefined where it may be.
 * Turned off by the same change, protection still holds: it was on when this was planned.
 */
export function protection(
  { kind, allowDelete = [] }: Scope,
  { id, values }: Pick<State, "id" | "values">,
  turnedOff?: boolean,
): Message | undefined {
  if (values["deletion_protection"] !== true || allowDelete.includes(id)) return undefined;
  const subject = subjectOf(kind.name, id, values["name"]);
  const does = turnedOff === undefined ? "delete" : "replace";
  const path = ["deletion_protection"];
  return message("protected", { subject, does, turnedOff }, { path });
}
