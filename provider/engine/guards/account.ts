/** A state of another account is never touched with this key. */
import { message, type Message } from "../../messages";
import { EngineError } from "../errors";
import type { Scope, State } from "../types";

/**
 * Why a state must not be touched with this key: lists of another account would show everything as
 * gone. Undefined where it is of this account.
 */
export function accountRefusal(
  { account: ours, kind }: Omit<Scope, "contract">,
  { id, private: { account: theirs } }: State,
): Message | undefined {
  if (theirs.baseUrl === ours.baseUrl && theirs.environment === ours.environment) return undefined;
  return message("wrong_account", { subject: { kind: kind.name, id }, theirs, ours });
}

export function assertAccount(scope: Scope, state: State): void {
  const refusal = accountRefusal(scope, state);
  if (refusal) throw new EngineError(refusal);
}
