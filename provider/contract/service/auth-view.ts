/** What a key is and may do, as programs see it: the one place where its names are changed. */
import type { AuthTest } from "./envelope";

export interface AuthView {
  readonly authenticated: boolean;
  readonly keyId: string;
  readonly permissions: string[];
  /** Left out where the service says nothing of it. */
  readonly rateLimit?: {
    readonly limit: number;
    readonly remaining: number;
    /** When the window ends, as the service says it. */
    readonly reset: string;
  };
}

/** The answer of `GET /auth/test` under the names of programs. */
export const authView = ({
  authenticated,
  key_id,
  permissions,
  rate_limit,
}: AuthTest): AuthView => ({
  authenticated,
  keyId: key_id,
  permissions,
  ...(rate_limit && {
    rateLimit: {
      limit: rate_limit.limit,
      remaining: rate_limit.remaining,
      reset: String(rate_limit.reset),
    },
  }),
});
