/** Which states of an object are ready, and whether an update waits for one of them. */
import type { Values } from "../../contract";
import type { Scope, State } from "../types";

const statesOf = ({ contract, kind }: Scope) =>
  kind.resource === undefined ? undefined : contract.resources[kind.resource].states;

/** States that count as ready: the program's own, or else the service's. Empty for a kind without. */
export function readyStates(scope: Scope, inputs: Values): readonly string[] {
  const wanted = inputs["ready_states"];
  return Array.isArray(wanted) ? wanted.map(String) : (statesOf(scope)?.ready ?? []);
}

/** Whether a state is one in which an object never becomes ready. */
export const isFailed = (scope: Scope, status: unknown): boolean =>
  (statesOf(scope)?.failed ?? []).some((end) => String(status).endsWith(end));

/**
 * Whether an update waits until the object is ready: one that was neither ready nor failed before,
 * such as a server that somebody stopped, need never become ready.
 */
export function isAwaited(scope: Scope, { values }: State, inputs: Values): boolean {
  const states = statesOf(scope);
  const { status } = values;
  if (!states || inputs["wait"] === false) return false;
  if (typeof status !== "string") return true;
  return readyStates(scope, inputs).includes(status) || isFailed(scope, status);
}
