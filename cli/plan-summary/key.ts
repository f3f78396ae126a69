/** Whether the key that will apply the plans may do it, and whether its quota is enough: one call. */
import { allows, type AuthView } from "../../provider/contract";
import { resetMs } from "../account/limits";
import { isoSeconds } from "../text";
import type { Summary } from "./schema";

/** The summary with what the key can do of it. */
export function withKey(summary: Summary, { keyId, permissions, rateLimit }: AuthView): Summary {
  const { scopes, calls } = summary;
  const missingScopes = scopes
    .map(({ scope }) => scope)
    .filter((scope) => !allows(permissions, scope));
  return {
    ...summary,
    key: {
      id: keyId,
      missingScopes,
      remaining: rateLimit?.remaining ?? null,
      limit: rateLimit?.limit ?? null,
      resetsAt: rateLimit ? isoSeconds(resetMs(rateLimit.reset)) : null,
      enough: rateLimit ? rateLimit.remaining >= calls.writes + calls.reads : null,
    },
  };
}
