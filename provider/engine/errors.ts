/** Errors of the engine. Branch on `code`; faces say `reason` in their own words. */
import { hasCode, isAuthenticationError, isErpHostError, isPermissionError } from "../client";
import type { ErpHostError } from "../client";
import { message, plainVoice, sentence } from "../messages";
import type { About, Message, MessageCode, PartsOf } from "../messages";
import type { State } from "./types";

export class EngineError extends Error {
  override readonly name: string = "EngineError";
  readonly reason: Message;

  constructor(reason: Message) {
    super(sentence(plainVoice, reason));
    this.reason = reason;
  }

  get code(): string {
    return this.reason.code;
  }
  get path(): Message["path"] {
    return this.reason.path;
  }
}

export const engineError = <C extends MessageCode>(
  code: C,
  parts: PartsOf<C>,
  about?: About,
): EngineError => new EngineError(message(code, parts, about));

/** The object exists and is not as it should be: hosts keep its state and report the failure. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";

  constructor(
    readonly state: State,
    readonly reason: Message,
    readonly warnings: readonly Message[],
    cause?: unknown,
  ) {
    super(sentence(plainVoice, reason), { cause });
  }
}

/** Answers after which this request created nothing, and never will. */
export const isRefusal = (error: unknown): error is ErpHostError =>
  hasCode(error, "validation_error", "not_found", "conflict", "not_offered");

/** Refused for good, or never sent: there is nothing to find later. */
export const isUndone = (error: unknown): boolean =>
  (isRefusal(error) ||
    isAuthenticationError(error) ||
    isPermissionError(error) ||
    hasCode(error, "aborted", "rate_limit_exceeded") ||
    (isErpHostError(error) && error.attempts === 0)) &&
  !error.ambiguous;

/** Whether the key, or the service, has nothing of the kind for this call. */
export const isNotForUs = (error: unknown): boolean =>
  isPermissionError(error) || hasCode(error, "not_offered");

/** Faults that every call meets alike. */
const isOfEveryCall = (error: unknown): boolean =>
  isAuthenticationError(error) ||
  hasCode(error, "ip_not_allowed", "network_error", "redirected", "invalid_response");

/** Refusals that hold for every object alike. */
const OF_EVERY_OBJECT = new Set([
  ...["wrong_account", "mass_gone", "not_offered", "moves_only", "not_a_twin"],
  ...["state_of_twin", "own_state_on_twin", "unfinished_before_move", "intents_unreadable"],
]);

/** A fault's name where others of the run meet it alike, and this failure has done nothing. */
export function sharedFault(error: unknown): string | undefined {
  if (error instanceof EngineError) {
    return OF_EVERY_OBJECT.has(error.code)
      ? `${error.code} ${error.reason.subject?.kind ?? ""}`
      : undefined;
  }
  if (!isErpHostError(error) || error.ambiguous) return undefined;
  const { code, operation, objectId = "" } = error;
  if (isOfEveryCall(error)) return code;
  return isNotForUs(error) ? `${code} ${operation.replace(objectId, "")}` : undefined;
}

export const isRepeated = (error: unknown): boolean => isErpHostError(error) && error.repeated;

export function reasonOf(error: unknown): Message | string {
  if (error instanceof EngineError || error instanceof PartialFailure) return error.reason;
  if (isErpHostError(error)) return error.data;
  return error instanceof Error ? error.message : String(error);
}
