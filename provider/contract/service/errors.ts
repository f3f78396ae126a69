/** Error codes and their two envelope forms (contract, part 7). */
import * as z from "zod";
import type { Source } from "../definition/define";
import { answeredTime } from "./envelope";

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

/** Codes of one form: the status of each, when it is answered, and its members. */
const codes =
  (source: Source, form: ErrorFacts["form"]) =>
  (status: number, condition: string, extra?: z.ZodObject): ErrorFacts => ({
    ...{ status, source, form, condition },
    ...(extra && { extra }),
  });
const general = codes("documented", "a");
const authentication = codes("documented", "b");
const assumed = codes("assumed", "a");

const names = z.array(z.string());
const retryAfter = z.looseObject({ retry_after: z.int().min(0) });

export const errorCodes = {
  unauthorized: general(401, "invalid or missing API key"),
  forbidden: general(403, "insufficient permissions"),
  not_found: general(404, "resource absent"),
  validation_error: general(422, "invalid request data", details),
  rate_limit_exceeded: general(429, "too many requests", retryAfter),
  internal_error: general(500, "server fault"),
  authentication_required: authentication(401, "no token provided"),
  invalid_token: authentication(401, "key invalid"),
  token_expired: authentication(401, "key expired", z.looseObject({ expired_at: answeredTime })),
  insufficient_permissions: authentication(
    403,
    "key lacks scopes",
    z.looseObject({ required: names, provided: names }),
  ),
  ip_not_allowed: authentication(
    403,
    "source address not whitelisted",
    z.looseObject({ your_ip: z.string(), allowed_ips: names }),
  ),
  conflict: assumed(
    409,
    "the object is still used by others, or can no longer be rotated",
    details.partial(),
  ),
  idempotency_conflict: assumed(422, "an idempotency key was used again with another body"),
  idempotency_in_flight: assumed(
    409,
    "the first request with this idempotency key is still running",
    retryAfter,
  ),
  idempotency_foreign: assumed(409, "a replay under another key of the account"),
  method_not_allowed: assumed(405, "the path does not have this method"),
  payload_too_large: assumed(413, "the body is larger than the service takes"),
  insufficient_storage: assumed(507, "the service has no space left; nothing was changed"),
};

export type DocumentedErrorCode = keyof typeof errorCodes;

/** Null, or of another type, counts as absent: one odd member hides no other. */
const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);
const text = lenient(z.string());
const texts = lenient(names);

/** Both forms, read leniently: a `code` is all that must be there. */
export const errorEnvelopeSchema = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: text,
    details: lenient(z.looseObject({ field: text, reason: text })),
    retry_after: lenient(z.union([z.number(), z.string()])),
    expired_at: text,
    required: texts,
    provided: texts,
    your_ip: text,
    allowed_ips: texts,
  }),
  meta: lenient(z.looseObject({ request_id: text })),
});
