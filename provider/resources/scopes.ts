/** Which scopes of a key an action needs, by the kind of its object and what changes of it. */
import { resources } from "../contract";
import type { Contract, Resource, ResourceName, Values } from "../contract";
import type { Path } from "../messages";
import type { Kind } from "./define";
import { isSent } from "./inputs";

/** The part of a change that decides what it needs. */
interface AtPath {
  readonly path: Path;
}

/** What a plan does with one object; an update or a replacement is known by its difference. */
export type PlannedAction = "create" | "delete" | PlannedUpdate;

export interface PlannedUpdate {
  readonly inputs: Values;
  readonly difference: { readonly replace: boolean; readonly changes: readonly AtPath[] };
}

export interface Needed {
  readonly action: "create" | "update" | "delete";
  readonly kind: ResourceName;
  readonly scope: string;
}

/** A new recipient needs a new secret: somebody else could read the old one. */
const ROTATING = new Set(["triggers", "rotation_due", "recipient"]);

export const isRotating = ({ path: [head] }: AtPath): boolean => ROTATING.has(String(head));

export const rotates = (kind: Kind, changes: readonly AtPath[]): boolean =>
  kind.reading.rotates !== undefined && changes.some(isRotating);

/** What an action needs beyond reading. */
export function neededFor(
  contract: Contract,
  kind: Kind,
  planned: PlannedAction,
): readonly Needed[] {
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
  const planned: PlannedAction[] = ["create", { inputs, difference: { replace: false, changes } }];
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
