/** Whether the key may do what is planned, by what the service says that the key may do. */
import { allows, type Values } from "../../contract";
import { message, type Message } from "../../messages";
import { neededFor, rotates, UNKNOWN, type Kind, type PlannedUpdate } from "../../resources";
import type { Findings, State } from "../types";
import { subjectOf } from "../values/state";
import { movesOnly } from "./account";
import type { KeyRights, Seen } from "./seen";

/** What a plan does with one object; without what is declared nobody knows which key is rotated. */
export type Planned = "create" | "delete" | PlannedCreate | PlannedWithState;
type PlannedCreate = { readonly creates: Values };
type PlannedWithState = PlannedUpdate & { readonly prior?: State };

/** What to say of a planned action; of rights nothing where nobody asked what the key may do. */
export function plannedRights(seen: Seen, planned: Planned): Findings {
  const { contract, former, kind, key, preflight } = seen;
  const action = typeof planned === "object" && "creates" in planned ? "create" : planned;
  // What a difference says of an update is refused there.
  if (typeof action === "string" && former !== undefined) {
    return { refusals: [movesOnly(former, kind.name, action)], notes: [] };
  }
  if (key === undefined) return { refusals: [], notes: [] };
  const { key_id: keyId, permissions: provided } = key;
  const messages = neededFor(contract, kind, action)
    .filter(({ scope }) => !allows(provided, scope))
    .map((needed) => message("not_permitted", { ...needed, keyId, provided }));
  const self = typeof planned === "object" && rotatesItself(kind, planned, key);
  if (self && action !== "create") return { refusals: [self], notes: messages };
  // Like a missing right, which the key of the apply may have.
  const found = self ? [self, ...messages] : messages;
  const [refusals, notes] = preflight === "warn" ? [[], found] : [found, []];
  return { refusals, notes };
}

/** The refusal of what would rotate the key of the run, which its apply would refuse. */
function rotatesItself(
  kind: Kind,
  planned: PlannedCreate | PlannedWithState,
  { key_id: keyId }: KeyRights,
): Message | undefined {
  const isNew = "creates" in planned;
  const inputs = isNew ? planned.creates : planned.inputs;
  const { current_key_id: current, name } = isNew ? {} : (planned.prior?.values ?? {});
  const rotated = isNew ? inputs["key_id"] : (current ?? planned.prior?.id);
  const { allow_self_rotation: isAllowed, rotate_on_create: atOnce = true } = inputs;
  // What is not known yet may allow it.
  if (rotated !== keyId || isAllowed === true || isAllowed === UNKNOWN) return undefined;
  if (isNew ? atOnce !== true : !rotates(kind, planned.difference.changes)) return undefined;
  const subject = subjectOf(kind.name, keyId, name);
  return message("self_rotation", { subject, does: "rotate" }, { path: ["allow_self_rotation"] });
}
