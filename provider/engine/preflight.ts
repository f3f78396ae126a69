/** One call before the work, so that a run which cannot succeed says so before its first object. */
import {
  hasCode,
  isAuthenticationError,
  type CallOptions,
  type Core,
  type ErpHostError,
} from "../client";

/** A person waits for it, and a slow service does not stop a run. */
const TIMEOUT_MS = 2_500;

/**
 * Asks the service who the key is.
 * @returns the time by the service, where it said one
 * @throws ErpHostError where every other call would fail as well: the key, the address, the way there
 */
export async function preflight(
  core: Core,
  options: CallOptions = {},
): Promise<string | undefined> {
  try {
    return (await core.authTest({ ...options, timeoutMs: TIMEOUT_MS })).meta?.timestamp;
  } catch (error) {
    if (isOfEveryCall(error)) throw error;
    return undefined;
  }
}

const isOfEveryCall = (error: unknown): error is ErpHostError =>
  isAuthenticationError(error) ||
  hasCode(error, "ip_not_allowed", "redirected", "invalid_response", "not_offered") ||
  (hasCode(error, "network_error") && (!error.retryable || LASTING.has(error.systemCode)));

/** Faults of the network that another try would meet again. */
const LASTING: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
