/** What applying a plan takes: the scopes of its key, and calls. */
import { isRecord, keyClasses, plans as planClasses } from "../contract";
import type { Contract, LimitWindow } from "../contract";
import { isSent, kinds, listOf, neededFor, readScope } from "../resources";
import type { Kind, Needed, PlannedAction } from "../resources";
import type { Plan, PlannedObject } from "./plan";

/**
 * What applying these plans, one after another, takes.
 * @returns scopes with their actions, `read`, `create`, `update` and `delete` in this order, and how
 *   many changes need each, 0 for one that only reading needs; calls that write, exactly, and that
 *   read, at least: the account may hold more than the plan
 */
export function needsOf(contract: Contract, given: readonly Plan[]) {
  const scopes = new Map<string, { actions: Set<string>; objects: number }>();
  const need = (scope: string, action: string, objects: number): void => {
    const known = scopes.get(scope) ?? { actions: new Set<string>(), objects: 0 };
    known.actions.add(action);
    scopes.set(scope, { ...known, objects: known.objects + objects });
  };
  const calls = { writes: 0, reads: 0 };
  for (const plan of given) {
    const read = readBy(plan);
    const written = [
      ...plan.objects.flatMap((object) => callsOf(contract, object)),
      ...plan.invocations.flatMap(({ type }) =>
        type === BACKUP_ACTION ? neededFor(contract, kindOf({ kind: "backup" }), "create") : [],
      ),
    ];
    for (const { scope, action, kind } of written) {
      need(scope, action, 1);
      calls.writes += 1;
      // A backup before an upgrade is waited for, which reads a list that is nobody's own.
      read.set(kind, read.get(kind) ?? 0);
    }
    for (const [resource, objects] of read) {
      const scope = readScope(contract, resource);
      if (scope !== undefined) need(scope, "read", 0);
      calls.reads += WALKS * Math.max(1, Math.ceil(objects / PAGE));
    }
    if (read.size > 0 || plan.objects.length > 0) calls.reads += AUTH_CALLS;
  }
  return {
    scopes: [...scopes]
      .map(([scope, { actions, objects }]) => ({
        scope,
        actions: ORDER.filter((action) => actions.has(action)),
        objects,
      }))
      .toSorted((one, other) => (one.scope < other.scope ? -1 : 1)),
    calls,
  };
}

/** The action that takes a backup, in Terraform. */
const BACKUP_ACTION = "erphost_backup";
const ORDER = ["read", "create", "update", "delete"] as const;
/** Largest page of a list (contract, part 8). */
const PAGE = 100;
/** A run reads each list before it changes anything, and again to see what became of it. */
const WALKS = 2;
/** Who the key is, asked once. */
const AUTH_CALLS = 1;

/** Each call that changes something, with the scope that it needs. */
function callsOf(contract: Contract, object: PlannedObject): readonly Needed[] {
  const kind = kindOf(object);
  const { action, keepsOld, changes } = object;
  if (action === "none" || action === "retain" || action === "import") return [];
  if (action === "create" || action === "delete") {
    return kind.reading.rotates === "existing-key" ? [] : neededFor(contract, kind, action);
  }
  if (action === "rotate" && kind.reading.rotates === "existing-key") {
    return neededFor(contract, kind, "create");
  }
  const needed = neededFor(contract, kind, plannedOf(object));
  if (action === "replace")
    return keepsOld ? needed.filter((one) => one.action !== "delete") : needed;
  const isEdited = changes.some(({ path }) => isSent(kind, path.split(".", 1)[0] ?? ""));
  // A rotation and an update of the same key are two calls.
  return action === "rotate" && isEdited ? [...needed, ...needed] : needed;
}

/** Names of plans are those of kinds; another one would not have been read. */
const kindOf = ({ kind }: Pick<PlannedObject, "kind">): Kind => {
  const found = kinds[kind];
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  return found;
};

const plannedOf = ({ after, changes, action }: PlannedObject): PlannedAction => ({
  inputs: isRecord(after) ? after : {},
  difference: {
    replace: action === "replace",
    changes: [
      ...changes.map(({ path }) => ({ path: path.split(".") })),
      // That one is due is not what a program sets.
      ...(action === "rotate" ? [{ path: ["rotation_due"] }] : []),
    ],
  },
});

function readBy({ objects, lookups }: Plan): Map<keyof Contract["resources"], number> {
  const read = new Map<keyof Contract["resources"], number>();
  for (const object of objects) {
    const resource = listOf(kindOf(object));
    if (resource !== undefined) read.set(resource, (read.get(resource) ?? 0) + 1);
  }
  for (const name of lookups) {
    // The reader takes them from the contract's own table.
    const resource = name as keyof Contract["resources"];
    read.set(resource, read.get(resource) ?? 0);
  }
  return read;
}

/** How long calls take at least under a limit; a burst is at most a minute's. */
export interface Pace {
  /** Plans and classes of keys that have this limit. */
  readonly names: readonly string[];
  /** Undefined: no limit. */
  readonly perHour: number | undefined;
  /** Milliseconds that the limit makes a run wait. */
  readonly waitMs: number;
}

/** The waits of that many calls under every limit of the contract, the shortest first. */
export function pacesOf(calls: number): Pace[] {
  const paces = new Map<string, Pace>();
  const classes = [
    ...Object.entries(planClasses).map(([name, limit]) => [`${name} plan`, limit.windows] as const),
    ...Object.entries(keyClasses).map(
      ([name, limit]) => [`${name.replace("_", "-")} key`, limit.windows] as const,
    ),
  ];
  for (const [name, windows] of classes) {
    const key = JSON.stringify(windows);
    paces.set(key, {
      names: [...(paces.get(key)?.names ?? []), name],
      perHour: windows[0]?.requests,
      waitMs: waitFor(calls, windows),
    });
  }
  return [...paces.values()].toSorted((a, b) => (b.perHour ?? Infinity) - (a.perHour ?? Infinity));
}

/** How long a limit makes that many calls wait, beginning with all of it. */
function waitFor(calls: number, windows: readonly LimitWindow[]): number {
  const [widest, ...narrower] = windows.toSorted((one, other) => other.windowMs - one.windowMs);
  if (widest === undefined || calls <= 0) return 0;
  const full = Math.ceil(calls / widest.requests) - 1;
  return full * widest.windowMs + waitFor(calls - full * widest.requests, narrower);
}
