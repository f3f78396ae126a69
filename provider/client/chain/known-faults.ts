/** Failures that hold for other calls too: these fail at once for a moment, and refer to the first. */
import type { Clock } from "../clock";
import { ErpHostError, hasCode, isAuthenticationError } from "../errors";
import { message } from "../../messages";
import type { Call, Send } from "./call";
import { isUnreachable } from "./fault";

/** So long a failure is taken for that of the next call; a service or a key may be back after it. */
const KNOWN_MS = 5_000;

interface Known {
  readonly error: ErpHostError;
  readonly untilMs: number;
  /** The key that was in use. Another one may do what it could not. */
  readonly apiKey: string;
}

/**
 * A run with a thousand objects and a wrong key reports it once: calls that follow a failure of the
 * connection or of the key are not sent, and those under way refer to it as well. Nor are reads that
 * follow one which the service did not answer in all its attempts. This ends with a call that
 * succeeds, with another key, and after five seconds.
 */
export function withKnownFaults(
  next: Send,
  { clock, apiKey }: { readonly clock: Clock; readonly apiKey: () => string },
): Send {
  const known = new Map<string, Known>();

  const find = (call: Call): ErpHostError | undefined => {
    const now = clock.monotonicMs();
    const valid = (place: string) => {
      const entry = known.get(place);
      return entry && entry.untilMs > now && entry.apiKey === apiKey() ? entry.error : undefined;
    };
    return reachesOf(call)
      .map(valid)
      .find((error) => error !== undefined);
  };

  return async (call) => {
    // The usual case first: nothing has failed.
    const before = known.size > 0 ? find(call) : undefined;
    if (before) throw repeated(before, { call, attempts: 0, ambiguous: false });
    const keyOfCall = apiKey();
    try {
      const answer = await next(call);
      if (known.size > 0) for (const place of reachesOf(call)) known.delete(place);
      return answer;
    } catch (caught) {
      const place = caught instanceof ErpHostError ? reachOf(caught, call) : undefined;
      if (!(caught instanceof ErpHostError) || place === undefined) throw caught;
      const first = find(call);
      if (first?.code === caught.code && first.systemCode === caught.systemCode) {
        throw repeated(caught, { call, attempts: caught.attempts, ambiguous: caught.ambiguous });
      }
      const untilMs = clock.monotonicMs() + KNOWN_MS;
      known.set(place, { error: caught, untilMs, apiKey: keyOfCall });
      throw caught;
    }
  };
}

const FOR_ALL = "";
const forScope = ({ scope }: Call): string => scope ?? "no scope";
/** Writes differ in what they send, and one that fails says nothing of the next. */
const forReads = (call: Call): readonly string[] =>
  call.method === "GET" ? [`GET ${forScope(call)}`] : [];

const reachesOf = (call: Call): readonly string[] => [FOR_ALL, forScope(call), ...forReads(call)];

/** For which calls the failure holds; undefined where it says nothing of others. */
function reachOf(error: ErpHostError, call: Call): string | undefined {
  if ((error.status ?? 0) >= 500) return forReads(call)[0];
  if (isUnreachable(error) || isAuthenticationError(error) || hasCode(error, "ip_not_allowed")) {
    return FOR_ALL;
  }
  return hasCode(error, "insufficient_permissions") ? forScope(call) : undefined;
}

const repeated = (
  first: ErpHostError,
  { call, ...change }: { call: Call; attempts: number; ambiguous: boolean },
): ErpHostError =>
  first.with({
    ...change,
    operation: call.operation,
    objectId: call.objectId,
    repeated: true,
    requestId: undefined,
    why: message("failed_as_before", { why: first.why }),
  });
