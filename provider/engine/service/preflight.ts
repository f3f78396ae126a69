/** One call before the work, so that a run which cannot succeed says so before its first object. */
import {
  hasCode,
  isAuthenticationError,
  isErpHostError,
  isUnreachable,
  type CallOptions,
  type Core,
  type ErpHostError,
} from "../../client";

/** A person waits for it, and a slow service does not stop a run. */
const TIMEOUT_MS = 2_500;

/**
 * Asks the service who the key is, and what it may do.
 * @returns undefined where the service does not say, and other calls may succeed
 * @throws ErpHostError where every other call would fail as well: the key, the address, the way there
 */
export async function preflight(
  core: Core,
  options: CallOptions = {},
): Promise<Awaited<ReturnType<Core["authTest"]>> | undefined> {
  try {
    return await core.authTest({ ...options, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (isOfEveryCall(error)) throw error;
    return undefined;
  }
}

/** All that the client remembers for the calls that follow: what is not reported here is not in full anywhere. */
const isOfEveryCall = (error: unknown): error is ErpHostError =>
  isErpHostError(error) &&
  (isUnreachable(error) ||
    error.why.code === "wait_too_long" ||
    isAuthenticationError(error) ||
    hasCode(error, "ip_not_allowed", "redirected", "invalid_response", "not_offered"));
