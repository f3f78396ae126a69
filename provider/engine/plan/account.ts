/** Whose states a run may touch: those of its account, of its former address, or of its twin. */
import { message, type Message } from "../../messages";
import { EngineError } from "../errors";
import type { Scope, State } from "../types";

/**
 * Why a state must not be touched with this key: lists of another account would show everything as
 * gone. Undefined where it may be.
 * @param does what is done besides, which a run that moves states refuses as well
 */
export function accountRefusal(
  { account: ours, former, isAccountsPlace, kind }: Omit<Scope, "contract">,
  { id, private: { account: theirs } }: State,
  does?: "change" | "delete",
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
  if (ours.twinOf !== undefined && theirs.twinOf === undefined && isAccountsPlace === true) {
    return message("own_state_on_twin", { subject, twinOf: theirs.baseUrl });
  }
  return does && former !== undefined ? movesOnly(former, kind.name, does) : undefined;
}

/** @throws EngineError where a state must not be touched */
export function assertOurs(scope: Omit<Scope, "contract">, prior: State): void {
  const refused = accountRefusal(scope, prior);
  if (refused) throw new EngineError(refused);
}

/** What a run that moves states from another address answers to everything else. */
export const movesOnly = (
  from: string,
  kind: string,
  does: "create" | "change" | "delete",
): Message => message("moves_only", { kind, does, from });

/** What is to be said of a state that moves: the same of each, so that hosts can fold it. */
export const moveOf = ({ account, former }: Scope, state: State): Message | undefined => {
  const { baseUrl: from } = state.private.account;
  return from === former ? message("state_moves", { from, to: account.baseUrl }) : undefined;
};

/** The same of any state that is rewritten only to say whose it is: here, a twin's copy as well. */
export const rewriteOf = (scope: Scope, state: State): Message | undefined =>
  scope.account.twinOf !== undefined && state.private.account.twinOf === undefined
    ? message("state_becomes_twins", {})
    : moveOf(scope, state);
