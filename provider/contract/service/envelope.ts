/** Envelope and pagination of answers, and list parameters (contract, parts 2 and 4). */
import * as z from "zod";

/** A time that the service answers: ISO 8601 in UTC by the contract, read as any text. */
export const answeredTime = z.string().meta({ format: "date-time" });

/** `meta` of every answer. Unknown members are kept. */
export const metaSchema = z.looseObject({ timestamp: answeredTime, request_id: z.string() });
export type Meta = z.output<typeof metaSchema>;

export const paginationSchema = z.looseObject({
  current_page: z.int().min(1),
  per_page: z.int().min(1),
  total_pages: z.int().min(0),
  total_items: z.int().min(0),
  has_next: z.boolean(),
  has_previous: z.boolean(),
});
export type Pagination = z.output<typeof paginationSchema>;

/** A successful answer. Lenient: `meta` may be absent, so that a bare answer is still read. */
export const envelopeSchema = z.looseObject({
  success: z.literal(true),
  data: z.unknown(),
  meta: metaSchema.optional(),
  pagination: paginationSchema.optional(),
});

/** Characters of an `Idempotency-Key` at most. Assumption: Length of an idempotency key. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/** The last page that can be asked for. Assumption: Bounds of lists. */
export const PAGE_MAX = 999_999_999;

/** Items of a page at most, and when nothing is said. */
export const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 20;

const parameter = <S extends z.ZodType, const D>(schema: S, byDefault: D, doc: string) => ({
  ...{ source: "documented" as const, schema, doc },
  default: byDefault,
});

export const listParameters = {
  page: parameter(z.int().min(1).max(PAGE_MAX), 1, "Page number, from 1."),
  per_page: parameter(
    z.int().min(1).max(PER_PAGE_MAX),
    PER_PAGE_DEFAULT,
    "Items per page, 1 to 100.",
  ),
  sort: parameter(z.string().min(1), "created_at", "Field to sort by."),
  order: parameter(z.enum(["asc", "desc"]), "desc", "Direction of the sort."),
};

/** `GET /auth/test` (contract, part 4). */
export const authTestSchema = z.looseObject({
  authenticated: z.boolean(),
  key_id: z.string(),
  permissions: z.array(z.string()),
  // Null or a word is how some say unlimited.
  rate_limit: z
    .looseObject({ limit: z.int(), remaining: z.int(), reset: z.union([answeredTime, z.number()]) })
    .optional()
    .catch(undefined),
});
export type AuthTest = z.output<typeof authTestSchema>;

/** `POST /api-keys/{key_id}/rotate` (contract, part 4). */
const rotationOf = (time: z.ZodType<string>) =>
  z.looseObject({
    old_key: z.looseObject({ id: z.string(), expires_at: time }),
    new_key: z.looseObject({ id: z.string(), value: z.string(), created_at: time }),
  });
export const rotationSchema = rotationOf(answeredTime);
export type Rotation = z.output<typeof rotationSchema>;
/** The same with the answer's time for one that is missing or odd: the secret comes only once. */
export const rotationAnswered = (at: string) => rotationOf(answeredTime.catch(at));

/** Headers that a request with `X-Debug-Auth: true` is answered with (contract, part 4). */
export const debugHeaders = {
  "X-Auth-Key-ID": "Id of the key.",
  "X-Auth-Permissions": "Its scopes, separated by commas.",
  "X-Auth-IP-Check": "Outcome of the address check; `passed` is shown.",
  "X-Auth-Rate-Limit": "Requests remaining and limit, `remaining/limit`.",
} as const;

/** What a key is and may do, as programs see it: the one place where its names are changed. */
export interface AuthView {
  readonly authenticated: boolean;
  readonly keyId: string;
  readonly permissions: string[];
  /** What the service calls the account. Left out where it says nothing of it. */
  readonly accountId?: string;
  /** Left out where the service says nothing of it, or 0 or -1 for unlimited. */
  readonly rateLimit?: {
    readonly limit: number;
    readonly remaining: number;
    /** When the window ends, as the service says it. */
    readonly reset: string;
  };
}

/** Assumption: Name of the account. Undefined where the answer does not have one. */
export function accountIdOf({ account_id: id }: AuthTest): string | undefined {
  return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;
}

export function authView(answer: AuthTest): AuthView {
  const { authenticated, key_id, permissions, rate_limit: rate } = answer;
  const accountId = accountIdOf(answer);
  return {
    authenticated,
    keyId: key_id,
    permissions,
    ...(accountId !== undefined && { accountId }),
    ...(rate &&
      rate.limit > 0 && {
        rateLimit: { limit: rate.limit, remaining: rate.remaining, reset: String(rate.reset) },
      }),
  };
}
