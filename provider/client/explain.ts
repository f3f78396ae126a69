/** Why a call failed, as a message, by the code of its error. */
import { message, type Message } from "../messages";
import type { ErrorFacts } from "./errors";

/** What is known of an answer besides the facts of its error. */
export interface Answered {
  /** What the service said, made safe; undefined where it said nothing. */
  readonly quoted: string | undefined;
  /** The base address, and the address that was called without its query. */
  readonly base: string;
  readonly url: string;
  /** How the body looks, for answers that are not an envelope. */
  readonly body: string;
  /** Where a redirect points to. */
  readonly location: string | undefined;
  /** The scope that the contract wants for this call. */
  readonly scope: string | undefined;
}

type Facts = Omit<ErrorFacts, "why">;

/** The message for what the service answered. */
export function explain(facts: Facts, answered: Answered): Message {
  const { quoted, base, location } = answered;
  switch (facts.code) {
    case "unauthorized":
    case "invalid_token":
    case "authentication_required":
      return message("key_refused", { quoted, base });
    case "token_expired":
      return message("key_expired", { at: facts.expiredAt });
    case "forbidden":
    case "insufficient_permissions":
      return permission(facts, answered);
    case "ip_not_allowed":
      return message("address_not_allowed", {
        base,
        yourIp: facts.yourIp,
        allowedIps: facts.allowedIps,
      });
    case "validation_error":
      return message("value_refused", { field: facts.field, quoted });
    case "not_found":
      return message("no_such_object", { quoted });
    case "not_offered":
      return notOffered(facts, answered);
    case "rate_limit_exceeded":
      return message("too_many_requests", { quoted });
    case "conflict":
      return message("object_in_use", { quoted });
    case "idempotency_conflict":
      return message("idempotency_key_reused", { quoted });
    case "redirected":
      return message("redirect_not_followed", { location });
    case "replayed_failure":
      return message("failure_replayed", { quoted });
    default:
      return other(facts, answered);
  }
}

function permission({ required, provided }: Facts, { quoted, scope, base }: Answered): Message {
  const needed = required ?? (scope === undefined ? undefined : [scope]);
  return message("missing_scope", { quoted, provided, needed, base });
}

/** Where the service itself says nothing, the address is more likely to be wrong. */
function notOffered({ status = 0 }: Facts, { quoted, url, body }: Answered): Message {
  return quoted === undefined
    ? message("nothing_at_address", { url, status, body })
    : message("operation_unknown", { url, status, quoted });
}

function other({ status = 0, retryable = false }: Facts, answered: Answered): Message {
  const { quoted, url, body } = answered;
  return quoted === undefined
    ? message("unknown_response", { url, status, body, retryable })
    : message("service_failed", { quoted, retryable });
}
