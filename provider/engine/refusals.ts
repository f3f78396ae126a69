/** Failures after which it is known that nothing was done. */
import {
  hasCode,
  isAuthenticationError,
  isPermissionError,
  type ErpHostError,
} from "../client/errors";

/** Answers after which nothing was made by this request, and nothing will be. */
export const isRefusal = (error: unknown): error is ErpHostError =>
  hasCode(error, "validation_error", "not_found", "conflict", "not_offered");

/** Refused for good, or never sent: there is nothing to find later. */
export const isUndone = (error: unknown): boolean =>
  (isRefusal(error) ||
    isAuthenticationError(error) ||
    isPermissionError(error) ||
    hasCode(error, "aborted")) &&
  !error.ambiguous;
