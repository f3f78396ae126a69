/** Whether the key may do what is planned, by what the service says that the key may do. */
import {
  allows,
  resources,
  type Contract,
  type Resource,
  type ResourceName,
  type Values,
} from "../../contract";
import { message, type Message } from "../../messages";
import type { Kind } from "../../resources";
import { BAGS } from "../values/inputs";
import { subjectOf } from "../values/state";
import { movesOnly } from "./account";
import { rotates } from "./rotation";
import type { KeyRights, Seen } from "./seen";
import type { Change, Diff, Findings, State } from "../types";

/** What a plan does with one object: an update or a replacement by its difference. */
export type Planned = "create" | "delete" | PlannedUpdate;

interface PlannedUpdate {
  /** Without it nobody knows which key is rotated. */
  readonly prior?: State;
  readonly inputs: Values;
  readonly difference: {
    readonly replace: Diff["replace"];
    readonly changes: readonly Pick<Change, "path">[];
  };
}

export interface Needed {
  readonly action: "create" | "update" | "delete";
  readonly kind: ResourceName;
  readonly scope: string;
}

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
  { prior, inputs, difference: { changes } }: PlannedUpdate,
  { key_id: keyId }: KeyRights,
): Message | undefined {
  const { current_key_id: current, name } = prior?.values ?? {};
  if ((current ?? prior?.id) !== keyId || inputs["allow_self_rotation"] === true) return undefined;
  if (!rotates(kind, changes)) return undefined;
  const subject = subjectOf(kind.name, keyId, name);
  return message("self_rotation", { subject, does: "rotate" }, { path: ["allow_self_rotation"] });
}

/** What an action needs beyond reading. */
export function neededFor(contract: Contract, kind: Kind, planned: Planned): readonly Needed[] {
  const { backupBefore, rotates: rotation } = kind.reading;
  const resource = listOf(kind);
  if (resource === undefined) return [];
  const of = (action: Needed["action"]) => neededOf(contract, resource, action);
  // A rotation ends with its declaration: destroying it calls nothing, and making it updates a key.
  const created = rotation === "existing-key" ? of("update") : of("create");
  const deleted = rotation === "existing-key" ? [] : of("delete");
  if (planned === "create") return created;
  if (planned === "delete") return deleted;
  const { inputs, difference } = planned;
  if (difference.replace) return [...created, ...deleted];
  const changed = difference.changes.map(({ path: [head] }) => String(head));
  const called = changed.some((name) => isSent(kind, name)) || rotates(kind, difference.changes);
  if (!called) return [];
  const guarded =
    backupBefore !== undefined &&
    inputs[backupBefore.option] === true &&
    changed.includes(backupBefore.field);
  return guarded ? [...of("update"), ...neededOf(contract, "backup", "create")] : of("update");
}

/** The list that a run reads for an object; undefined: none. */
export const listOf = (kind: Kind): ResourceName | undefined =>
  kind.reading.rotates === "existing-key" ? "api_key" : kind.resource;

export const readScope = (contract: Contract, resource: ResourceName): string | undefined =>
  contract.resources[resource].definition.scopes.list?.scope;

/**
 * All that an object may need while a program declares it with these inputs: to be made, to have any
 * of them changed, and to be removed. A protected object is not removed.
 * @param purpose a plan only reads
 */
export function scopesWhileDeclared(
  contract: Contract,
  kind: Kind,
  inputs: Values,
  purpose: "plan" | "apply",
): readonly string[] {
  const changes = Object.keys(inputs).map((name) => ({ path: [name] }));
  const planned: Planned[] = ["create", { inputs, difference: { replace: false, changes } }];
  if (inputs["deletion_protection"] !== true) planned.push("delete");
  const needed =
    purpose === "plan" ? [] : planned.flatMap((each) => neededFor(contract, kind, each));
  // What a run makes it also reads, until that is ready.
  const read = [listOf(kind), ...needed.map((each) => each.kind)].flatMap((name) => name ?? []);
  const scopes = [
    ...read.flatMap((name) => readScope(contract, name) ?? []),
    ...needed.map(({ scope }) => scope),
  ];
  return [...new Set(scopes)];
}

/** Whether a field is sent to the service: one of its own, or a free one. */
export const isSent = (kind: Kind, name: string): boolean =>
  kind.fields[name]?.origin === "service" || BAGS.includes(name);

/** None for what the service does not offer: such an object is retained, and nothing is called. */
function neededOf(
  contract: Contract,
  resource: keyof Contract["resources"],
  action: Needed["action"],
): readonly Needed[] {
  const offered = contract.resources[resource].operations[action] !== undefined;
  const scopes: Resource["scopes"] = resources[resource].scopes;
  const needed = offered ? scopes[action] : undefined;
  return needed === undefined ? [] : [{ action, kind: resource, scope: needed.scope }];
}
