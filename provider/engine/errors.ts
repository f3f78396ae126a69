/** Errors of the engine. Branch on `code`; the text is for people. */
import {
  hasCode,
  isAuthenticationError,
  isPermissionError,
  type ErpHostError,
} from "../client/errors";
import type { InputIssue } from "../contract";
import { plainVoice, say } from "../messages";
import type { State } from "./types";

export type EngineErrorCode =
  | "invalid_input"
  | "protected"
  | "wrong_account"
  | "mass_gone"
  | "not_offered"
  | "backup_failed"
  | "interrupted"
  | "not_found"
  | "not_created"
  | "ambiguous_name"
  | "same_name"
  | "own_create"
  | "answered_twice"
  | "two_rotators"
  | "self_rotation"
  | "orphan_suspected"
  | "handed_over"
  | "in_progress"
  | "not_deleted"
  | "rotated_elsewhere"
  | "retained_key";

export class EngineError extends Error {
  override readonly name: string = "EngineError";
  readonly code: EngineErrorCode;
  /** The field it is about, where it is about one. */
  readonly path: InputIssue["path"] | undefined;

  constructor(code: EngineErrorCode, message: string, path?: InputIssue["path"]) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** The object exists and is not as it should be: its state must be kept, and the failure told. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  readonly state: State;
  readonly warnings: readonly string[];

  constructor(state: State, reason: string, warnings: readonly string[], cause?: unknown) {
    super(reason, { cause });
    this.state = state;
    this.warnings = warnings;
  }
}

/** `server srv_1 (erp-production)` */
export const subject = (kind: string, id: string, name?: unknown): string =>
  typeof name === "string" ? `${kind} ${id} (${name})` : `${kind} ${id}`;

/** One sentence per issue. */
export const issueText = (issue: InputIssue): string => say(plainVoice, issue).clause;

/** Answers after which this request created nothing, and never will. */
export const isRefusal = (error: unknown): error is ErpHostError =>
  hasCode(error, "validation_error", "not_found", "conflict", "not_offered");

/** Refused for good, or never sent: there is nothing to find later. */
export const isUndone = (error: unknown): boolean =>
  (isRefusal(error) ||
    isAuthenticationError(error) ||
    isPermissionError(error) ||
    hasCode(error, "aborted")) &&
  !error.ambiguous;

/** What an unknown failure says. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
