/** Which states of an object end a wait for it, and whether there is one. */
import type { Values } from "../../contract";
import type { Scope, State } from "../types";

/** Whether a state is one in which an object never becomes ready. */
export function isFailed({ contract, kind }: Scope, status: unknown): boolean {
  const states = kind.resource && contract.resources[kind.resource].states;
  return (states?.failed ?? []).some((end) => String(status).endsWith(end));
}

/**
 * The states of a kind, with those as ready that the program names, or else the service; undefined
 * where nothing is waited for.
 * @param prior of an update: what was neither ready nor failed before, such as a server that somebody
 * stopped, need never become ready, and is not waited for
 */
export function awaitedStates(scope: Scope, inputs: Values, prior?: State) {
  const { contract, kind } = scope;
  const states = kind.resource && contract.resources[kind.resource].states;
  if (!states || inputs["wait"] === false) return undefined;
  const { ready_states: wanted } = inputs;
  const ready: readonly string[] = Array.isArray(wanted) ? wanted.map(String) : states.ready;
  const { status } = prior?.values ?? {};
  const isSettled = typeof status !== "string" || ready.includes(status) || isFailed(scope, status);
  return isSettled ? { ...states, ready } : undefined;
}
