/** Whether the key may do what is planned, by what the service says that the key may do. */
import { allows } from "../../contract";
import { message, type Message } from "../../messages";
import { neededFor, rotates, type Kind, type PlannedUpdate } from "../../resources";
import type { Findings, State } from "../types";
import { subjectOf } from "../values/state";
import { movesOnly } from "./account";
import type { KeyRights, Seen } from "./seen";

/** What a plan does with one object; without the state nobody knows which key is rotated. */
export type Planned = "create" | "delete" | PlannedWithState;
type PlannedWithState = PlannedUpdate & { readonly prior?: State };

/** What to say of a planned action; of rights nothing where nobody asked what the key may do. */
export function plannedRights(seen: Seen, planned: Planned): Findings {
  const { contract, former, kind, key, preflight } = seen;
  // What a difference says of an update is refused there.
  if (typeof planned === "string" && former !== undefined) {
    return { refusals: [movesOnly(former, kind.name, planned)], notes: [] };
  }
  if (key === undefined) return { refusals: [], notes: [] };
  const { key_id: keyId, permissions: provided } = key;
  const messages = neededFor(contract, kind, planned)
    .filter(({ scope }) => !allows(provided, scope))
    .map((needed) => message("not_permitted", { ...needed, keyId, provided }));
  const self = typeof planned === "object" && rotatesItself(kind, planned, key);
  if (self) return { refusals: [self], notes: messages };
  const [refusals, notes] = preflight === "warn" ? [[], messages] : [messages, []];
  return { refusals, notes };
}

/** The refusal of an update that would rotate the key of the run, which its apply would refuse. */
function rotatesItself(
  kind: Kind,
  { prior, inputs, difference: { changes } }: PlannedWithState,
  { key_id: keyId }: KeyRights,
): Message | undefined {
  const { current_key_id: current, name } = prior?.values ?? {};
  if ((current ?? prior?.id) !== keyId || inputs["allow_self_rotation"] === true) return undefined;
  if (!rotates(kind, changes)) return undefined;
  const subject = subjectOf(kind.name, keyId, name);
  return message("self_rotation", { subject, does: "rotate" }, { path: ["allow_self_rotation"] });
}
