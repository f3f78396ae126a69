/** What a plan says of a name that is taken: a second object of one name is rarely meant. */
import type { ServiceRecord, Values } from "../../contract";
import { message, type Message } from "../../messages";
import { EngineError } from "../errors";
import type { Findings } from "../types";
import { createdMs, isReplayable, newest } from "../values/time";
import { isFixedAlike } from "../values/inputs";
import { subjectOf } from "../values/state";
import type { Naming, Seen } from "./seen";

/** What is to be said of the name of an object that is planned; nothing where nothing was found out. */
export function plannedNames({ named }: Seen<true>, inputs: Values): Findings {
  if (!named) return { refusals: [], notes: [] };
  const { kind, name, namesakes, shown, open, begun, fault } = named;
  // The name of a successor is its predecessor's.
  if (named.isSuccessor) return { refusals: [], notes: [], namesakes: shown };
  const taken = namesakes.flatMap(({ id }) => open.get(id) ?? []);
  // Whoever took another one of the name instead would leave what a run that was cut off has made.
  const namesake = fault || open.size > 0 ? undefined : newest(namesakes);
  const isOurs = namesake !== undefined && mayBeOurs(named, inputs, namesake);
  const ofKind = { subject: { kind: kind.name }, path: ["name"] };
  if (begun.length > 0) taken.push(message("left_unfinished", { begun }, ofKind));
  const faults: Message[] = fault ? [fault] : [];
  if (namesake) {
    faults.push(isOurs ? possiblyOurs(named, namesake) : sameName(named, namesake));
  }
  // Until a run that was cut off is continued, another name would leave what it has made. It comes
  // first: nothing shows which of two declarations an object of their name is for.
  if (named.isPlannedTwice && open.size === 0) {
    const subject = { kind: kind.name, name };
    faults.unshift(message("planned_twice", { subject }, { path: ["name"] }));
  }
  const about = `${kind.name} ${name}`;
  const said = { namesakes: shown, about };
  return named.sameName === "error" && !(isOurs && named.resume)
    ? { refusals: faults, notes: taken, ...said }
    : { refusals: [], notes: [...taken, ...faults], ...said };
}

/**
 * Refuses a create next to a namesake. A run that was cut off may have created it: while the service
 * remembers that, the request itself shows it. What is older can't be asked about any more.
 * @throws EngineError `same_name`, `possibly_ours`
 */
export function assertNameFree(naming: Naming, inputs: Values, namesake: ServiceRecord): void {
  const isOurs = mayBeOurs(naming, inputs, namesake);
  if (!naming.resume || !naming.isScoped) {
    if (naming.sameName !== "error") return;
    throw new EngineError((isOurs ? possiblyOurs : sameName)(naming, namesake));
  }
  if (isOurs) return;
  const unproved = isFixedAlike(naming.kind, inputs, namesake) ? "old" : "different";
  throw new EngineError(sameName(naming, namesake, unproved));
}

/**
 * Whether an earlier run of this scope may have created it under the key of this create, so that the
 * service still remembers. After an edit that no update can make, the key is another one.
 */
function mayBeOurs(naming: Naming, inputs: Values, namesake: ServiceRecord): boolean {
  if (!naming.isScoped || !isFixedAlike(naming.kind, inputs, namesake)) return false;
  const ageMs = (naming.nowMs ?? Number.NaN) - createdMs(namesake);
  return isReplayable(naming.contract, Math.max(0, ageMs));
}

function possiblyOurs({ kind, isShown, resume }: Naming, { id, fields }: ServiceRecord): Message {
  const subject = subjectOf(kind.name, id, fields["name"]);
  const createdAt = String(fields["created_at"]);
  return message("possibly_ours", { subject, createdAt, isShown, resume }, { path: ["name"] });
}

function sameName(
  { kind, isShown }: Naming,
  { id, fields }: ServiceRecord,
  unproved?: "old" | "different",
): Message {
  const subject = subjectOf(kind.name, id, fields["name"]);
  return message("same_name", { subject, isShown, unproved }, { path: ["name"] });
}
