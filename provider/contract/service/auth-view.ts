/** What a key is and may do, as programs see it: the one place where its names are changed. */
import type { AuthTest } from "./envelope";

export interface AuthView {
  readonly authenticated: boolean;
  readonly keyId: string;
  readonly permissions: string[];
  /** What the service calls the account. Left out where it says nothing of it. */
  readonly accountId?: string;
  /** Left out where the service says nothing of it. */
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

/** The answer of `GET /auth/test` under the names of programs. */
export function authView(answer: AuthTest): AuthView {
  const { authenticated, key_id, permissions, rate_limit } = answer;
  const accountId = accountIdOf(answer);
  return {
    authenticated,
    keyId: key_id,
    permissions,
    ...(accountId !== undefined && { accountId }),
    ...(rate_limit && {
      rateLimit: {
        limit: rate_limit.limit,
        remaining: rate_limit.remaining,
        reset: String(rate_limit.reset),
      },
    }),
  };
}
