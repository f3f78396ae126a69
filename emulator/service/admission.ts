/** Everything that may refuse a request before it does anything, in order. */
import type { Effect } from "../faults/effects";
import { parseBody } from "../http/body";
import { invalid, ServiceError } from "../http/errors";
import type { Caller } from "../keys/callers";
import { callerOf, checkAddress, checkExpiry, checkScope } from "./authenticate";
import type { Call } from "./collection";
import type { Standing } from "./limits";
import { unitOf } from "./replays";
import type { Match, Router } from "./routes";
import type { Service } from "./service";

/** A request below the base address, with its body read. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  /** Set where the body could not be read: it was too large. */
  readonly refusal?: ServiceError | undefined;
  readonly remoteAddress: string;
}

/** What is known of a request so far; the answer to a refusal shows it as well. */
export interface Progress {
  readonly effects: readonly Effect[];
  match: Match | undefined;
  caller: Caller | undefined;
  standing: Standing | undefined;
}

export interface Admitted {
  readonly call: Omit<Call, "nowMs">;
  /** Of an idempotent request. */
  readonly unit: string | undefined;
  /** Lets the next request with the same idempotency key in. */
  readonly release: () => void;
}

/** Assumption: the contract states no length of an idempotency key. */
const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/**
 * Token, expiry, address, quota, path, scope, body, idempotency key: a request that may not ask
 * learns nothing of what is there, and one over its quota costs nothing more.
 */
export function admit(
  service: Service,
  router: Router,
  request: ApiRequest,
  progress: Progress,
): Admitted {
  const caller = callerOf(service.identify, request.header("authorization"));
  progress.caller = caller;
  checkExpiry(caller, service.clock.nowMs());
  checkAddress(caller, request.remoteAddress);
  takeQuota(service, caller, progress);
  const match = matchOf(router, request);
  progress.match = match;
  checkScope(caller, match.operation.scope);
  const call = {
    match,
    caller,
    query: request.query,
    body: bodyOf(match, request),
    effects: progress.effects,
  };
  const key = idempotencyKeyOf(request);
  if (key === undefined) return { call, unit: undefined, release: () => undefined };
  if (key.length < 1 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw invalid("Idempotency-Key", `must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`);
  }
  const unit = unitOf(request.method, request.path, key);
  return { call, unit, release: service.replays.claim(unit) };
}

/** Only POST has one (contract, part 4, rule 5). */
export const idempotencyKeyOf = (request: ApiRequest): string | undefined =>
  request.method === "POST" ? request.header("idempotency-key") : undefined;

function takeQuota(service: Service, caller: Caller, progress: Progress): void {
  const { allowed, standing, retryAfterS } = service.limits.take(caller.keyId, caller.keyClass);
  progress.standing = standing;
  if (allowed) return;
  throw new ServiceError(
    "rate_limit_exceeded",
    `too many requests; ask again in ${retryAfterS} s`,
    { retry_after: retryAfterS },
    { "Retry-After": String(retryAfterS) },
  );
}

function matchOf(router: Router, { method, path }: ApiRequest): Match {
  const found = router.match(method, path);
  if (!found) throw new ServiceError("not_found", `there is nothing at ${path}`);
  if (!("allow" in found)) return found;
  const message = `${method} is not offered at ${path}; these are: ${found.allow}`;
  throw new ServiceError("method_not_allowed", message, {}, { Allow: found.allow });
}

function bodyOf({ operation }: Match, request: ApiRequest): Record<string, unknown> {
  if (request.refusal) throw request.refusal;
  const { action } = operation;
  if (action !== "create" && action !== "update" && action !== "rotate") return {};
  return parseBody(request.body, request.header("content-type"), action === "rotate");
}
