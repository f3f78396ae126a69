/** Whose states a run may touch: those of its account, of its former address, or of its twin. */
import { message, type Message } from "../../messages";
import type { Scope, State } from "../types";

/**
 * Why a state must not be touched with this key: lists of another account would show everything as
 * gone. Undefined where it may be.
 */
export function accountRefusal(
  { account: ours, former, isAccountsPlace, kind }: Omit<Scope, "contract">,
  { id, private: { account: theirs } }: State,
): Message | undefined {
  const subject = { kind: kind.name, id };
  if (theirs.twinOf !== undefined && ours.twinOf === undefined) {
    return message("state_of_twin", { subject, twinOf: theirs.twinOf });
  }
  const isTaken =
    ours.twinOf === undefined
      ? theirs.baseUrl === ours.baseUrl || theirs.baseUrl === former
      : (theirs.twinOf ?? theirs.baseUrl) === ours.twinOf;
  const isSame = theirs.id === undefined || ours.id === undefined || theirs.id === ours.id;
  if (!isTaken || !isSame || theirs.environment !== ours.environment) {
    return message("wrong_account", { subject, theirs, ours });
  }
  const isOwn = ours.twinOf !== undefined && theirs.twinOf === undefined;
  return isOwn && isAccountsPlace === true
    ? message("own_state_on_twin", { subject, twinOf: theirs.baseUrl })
    : undefined;
}

/** Whether a state has the former address, and is given the new one by this run. */
export const isMoving = ({ former }: Pick<Scope, "former">, { private: { account } }: State) =>
  account.baseUrl === former;

/** Whether a copy of the account's state has not been the twin's yet. */
const isUnmarked = ({ account }: Pick<Scope, "account">, state: State): boolean =>
  account.twinOf !== undefined && state.private.account.twinOf === undefined;

/** Whether a state is rewritten only to say whose it is. */
export const isRewritten = (scope: Pick<Scope, "account" | "former">, state: State): boolean =>
  isMoving(scope, state) || isUnmarked(scope, state);

/** What is to be said of a state that moves: the same of each, so that hosts can fold it. */
export function moveOf(scope: Pick<Scope, "account" | "former">, state: State): Message[] {
  const { baseUrl: from } = state.private.account;
  return isMoving(scope, state)
    ? [message("state_moves", { from, to: scope.account.baseUrl })]
    : [];
}

/** The same where a plan has not read the state first. */
export const rewriteOf = (scope: Pick<Scope, "account" | "former">, state: State): Message[] =>
  isUnmarked(scope, state) ? [message("state_becomes_twins", {})] : moveOf(scope, state);

/** What a run that moves states refuses to do. */
export const movesOnly = (
  { former }: Pick<Scope, "former">,
  kind: string,
  does: "create" | "change" | "delete",
): Message | undefined =>
  former === undefined ? undefined : message("moves_only", { kind, does, from: former });

/** A state as this run leaves it behind: it says whose it is. */
export function withAccount({ account }: Pick<Scope, "account">, prior: State, now: State): State {
  const { id } = prior.private.account;
  // What the service said once stays true while it says nothing.
  const own = { ...(id !== undefined && { id }), ...account };
  return { ...now, private: { ...now.private, account: own } };
}
