/** Error codes and their two envelope forms (contract, part 7). */
import * as z from "zod";
import type { Source } from "../definition/define";
import { answeredTime } from "./envelope";

/** What is known of one code. */
export interface ErrorFacts {
  readonly status: number;
  readonly source: Source;
  readonly condition: string;
  /** `a`: general; `b`: authentication, with `status` and extra fields inside `error`. */
  readonly form: "a" | "b";
  /** Members of `error` besides `code` and `message`. */
  readonly extra?: z.ZodObject;
}

const details = z.looseObject({
  details: z.looseObject({ field: z.string(), reason: z.string() }).partial(),
});

/** Every code, with its HTTP status and extra members. */
export const errorCodes = {
  unauthorized: {
    status: 401,
    source: "documented",
    form: "a",
    condition: "invalid or missing API key",
  },
  forbidden: {
    status: 403,
    source: "documented",
    form: "a",
    condition: "insufficient permissions",
  },
  not_found: { status: 404, source: "documented", form: "a", condition: "resource absent" },
  validation_error: {
    status: 422,
    source: "documented",
    form: "a",
    condition: "invalid request data",
    extra: details,
  },
  rate_limit_exceeded: {
    status: 429,
    source: "documented",
    form: "a",
    condition: "too many requests",
    extra: z.looseObject({ retry_after: z.int().min(0) }),
  },
  internal_error: { status: 500, source: "documented", form: "a", condition: "server fault" },
  authentication_required: {
    status: 401,
    source: "documented",
    form: "b",
    condition: "no token provided",
  },
  invalid_token: { status: 401, source: "documented", form: "b", condition: "key invalid" },
  token_expired: {
    status: 401,
    source: "documented",
    form: "b",
    condition: "key expired",
    extra: z.looseObject({ expired_at: answeredTime }),
  },
  insufficient_permissions: {
    status: 403,
    source: "documented",
    form: "b",
    condition: "key lacks scopes",
    extra: z.looseObject({ required: z.array(z.string()), provided: z.array(z.string()) }),
  },
  ip_not_allowed: {
    status: 403,
    source: "documented",
    form: "b",
    condition: "source address not whitelisted",
    extra: z.looseObject({ your_ip: z.string(), allowed_ips: z.array(z.string()) }),
  },
  conflict: {
    status: 409,
    source: "assumed",
    form: "a",
    condition: "the object is still used by others, or can no longer be rotated",
    extra: details.partial(),
  },
  idempotency_conflict: {
    status: 422,
    source: "assumed",
    form: "a",
    condition: "an idempotency key was used again with another body",
  },
  idempotency_in_flight: {
    status: 409,
    source: "assumed",
    form: "a",
    condition: "the first request with this idempotency key is still running",
    extra: z.looseObject({ retry_after: z.int().min(0) }),
  },
  idempotency_foreign: {
    status: 409,
    source: "assumed",
    form: "a",
    condition: "a replay under another key of the account",
  },
  method_not_allowed: {
    status: 405,
    source: "assumed",
    form: "a",
    condition: "the path does not have this method",
  },
  payload_too_large: {
    status: 413,
    source: "assumed",
    form: "a",
    condition: "the body is larger than the service takes",
  },
  insufficient_storage: {
    status: 507,
    source: "assumed",
    form: "a",
    condition: "the service has no space left; nothing was changed",
  },
} as const satisfies Record<string, ErrorFacts>;

export type DocumentedErrorCode = keyof typeof errorCodes;

/** Both forms, read leniently: a `code` is all that must be there. */
export const errorEnvelopeSchema = z.looseObject({
  success: z.literal(false).optional(),
  error: z.looseObject({
    code: z.string(),
    message: z.string().optional(),
    status: z.int().optional(),
    details: z.looseObject({ field: z.string(), reason: z.string() }).partial().optional(),
    retry_after: z.number().optional(),
    expired_at: z.string().optional(),
    required: z.array(z.string()).optional(),
    provided: z.array(z.string()).optional(),
    your_ip: z.string().optional(),
    allowed_ips: z.array(z.string()).optional(),
  }),
  meta: z.looseObject({ request_id: z.string().optional() }).optional(),
});
