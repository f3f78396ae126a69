/** Everything that may refuse a request before it has any effect, one step after the other. */
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../provider/contract";
import type { Effect } from "../faults/effects";
import type { FaultTarget } from "../faults/faults";
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
export interface ApiRequest extends FaultTarget {
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  /** Set where the body could not be read because it is too large. */
  readonly refusal?: ServiceError | undefined;
  readonly remoteAddress: string;
}

export interface Admitted {
  readonly call: Omit<Call, "nowMs">;
  /** Set for an idempotent request. */
  readonly unit: string | undefined;
}

/** Only POST has one (contract, part 4, rule 5). */
export const idempotencyKeyOf = (request: ApiRequest): string | undefined =>
  request.method === "POST" ? request.header("idempotency-key") : undefined;

/** One request on its way in. What is known of it by then also shows in the answer to a refusal. */
export class Admission {
  match: Match | undefined;
  caller: Caller | undefined;
  standing: Standing | undefined;
  /** Lets the next request with the same idempotency key in; to be called once the answer may leave. */
  release = (): void => undefined;

  constructor(
    private readonly service: Service,
    private readonly router: Router,
    readonly request: ApiRequest,
    readonly effects: readonly Effect[],
  ) {}

  /**
   * Token, expiry, address, quota, path, scope, body, idempotency key: a request without permission
   * learns nothing about what exists, and one over its quota costs nothing more.
   */
  admit(): Admitted {
    const { service, request, effects } = this;
    const caller = callerOf(service.identify, request.header("authorization"));
    this.caller = caller;
    checkExpiry(caller, service.clock.nowMs());
    checkAddress(caller, request.remoteAddress);
    this.takeQuota(caller);
    const match = this.findOperation();
    this.match = match;
    checkScope(caller, match.operation.scope);
    const { query, remoteAddress } = request;
    const call = { match, caller, query, body: bodyOf(match, request), effects, remoteAddress };
    const key = idempotencyKeyOf(request);
    if (key === undefined) return { call, unit: undefined };
    if (key.length < 1 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
      throw invalid("Idempotency-Key", `must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`);
    }
    const unit = unitOf(request.method, request.path, key);
    this.release = service.replays.claim(unit);
    return { call, unit };
  }

  private takeQuota({ keyId, keyClass }: Caller): void {
    const { allowed, standing, retryAfterS } = this.service.limits.take(keyId, keyClass);
    this.standing = standing;
    if (allowed) return;
    throw new ServiceError(
      "rate_limit_exceeded",
      `too many requests; try again in ${retryAfterS} s`,
      { retry_after: retryAfterS },
      { "Retry-After": String(retryAfterS) },
    );
  }

  private findOperation(): Match {
    const { method, path } = this.request;
    const result = this.router.match(method, path);
    if (!result) throw new ServiceError("not_found", `there is nothing at ${path}`);
    if (!("allow" in result)) return result;
    const message = `${path} does not support ${method}, only ${result.allow}`;
    throw new ServiceError("method_not_allowed", message, {}, { Allow: result.allow });
  }
}

function bodyOf({ operation }: Match, request: ApiRequest): Record<string, unknown> {
  if (request.refusal) throw request.refusal;
  const { action } = operation;
  if (action !== "create" && action !== "update" && action !== "rotate") return {};
  return parseBody(request.body, request.header("content-type"), action === "rotate");
}
