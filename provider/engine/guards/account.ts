/** A state of another account is never touched with this key. */
import { EngineError } from "../errors";
import type { Scope, State } from "../types";

/** Why a state must not be touched with this key; undefined where it is of this account. */
export function accountRefusal({ account, kind }: Omit<Scope, "contract">, state: State) {
  const { baseUrl, environment } = state.private.account;
  if (baseUrl === account.baseUrl && environment === account.environment) return undefined;
  const here = `${account.baseUrl} (${account.environment})`;
  return `${kind.name} ${state.id} belongs to ${baseUrl} (${environment}), and this run is configured for ${here}; a list of another account would show everything as gone. Configure the base address and key it was made with`;
}

export function assertAccount(scope: Scope, state: State): void {
  const refusal = accountRefusal(scope, state);
  if (refusal !== undefined) throw new EngineError("wrong_account", `${refusal}.`);
}
