/** The reason and the remedy in an error's message, per code. */
import type { ErrorFacts } from "./errors";

interface Explained {
  readonly reason: string;
  readonly remedy: string | undefined;
}

const list = (values: readonly string[] | undefined, none: string) =>
  values === undefined || values.length === 0 ? none : values.join(", ");

/**
 * @param said what the service said, made safe; undefined where it said nothing.
 * @param body how the body looks, for answers that are no envelope.
 * @param scope the scope that the contract wants for this call.
 */
export function explain(
  facts: Omit<ErrorFacts, "reason">,
  said: string | undefined,
  body: string,
  scope: string | undefined,
): Explained {
  switch (facts.code) {
    case "unauthorized":
    case "invalid_token":
    case "authentication_required":
      return {
        reason: said ?? "the service does not accept the key",
        remedy: "Check the API key (ERPHOST_API_KEY) and that it belongs to this address.",
      };
    case "token_expired":
      return {
        reason: `the key expired${facts.expiredAt === undefined ? "" : ` at ${facts.expiredAt}`}`,
        remedy: "Use the key that followed it, or create another in the dashboard.",
      };
    case "forbidden":
    case "insufficient_permissions":
      return permission(facts, said, scope);
    case "ip_not_allowed":
      return address(facts);
    case "validation_error":
      return {
        reason: `${facts.field === undefined ? "" : `${facts.field}: `}${said ?? "the data is not valid"}`,
        remedy: "Change the value.",
      };
    case "not_found":
      return { reason: said ?? "there is no such object", remedy: undefined };
    case "not_offered":
      return {
        reason: `the service does not offer ${facts.operation}${said === undefined ? "" : ` (${said})`}`,
        remedy: "Check the base address, or name what the service offers in a contract profile.",
      };
    case "rate_limit_exceeded":
      return {
        reason: said ?? "too many requests",
        remedy: "Wait, or give `limits` and `share` so that requests are paced.",
      };
    case "conflict":
      return {
        reason: said ?? "the object is still used by others",
        remedy: "Remove what uses it first.",
      };
    case "idempotency_conflict":
      return {
        reason: said ?? "the idempotency key was used with another body",
        remedy: "Use another idempotency key.",
      };
    case "redirected":
      return {
        reason: "the service answered with a redirect, which is not followed",
        remedy: "Use the address that it leads to as the base address.",
      };
    case "replayed_failure":
      return {
        reason: `the service keeps a failure of its own for this idempotency key${said === undefined ? "" : `: ${said}`}`,
        remedy: "List what was created, then try again with another idempotency key.",
      };
    default:
      return {
        reason: said ?? `the answer is no error the contract knows: ${body}`,
        remedy: facts.retryable === true ? "Try again later." : undefined,
      };
  }
}

function permission(
  facts: Omit<ErrorFacts, "reason">,
  said: string | undefined,
  scope: string | undefined,
): Explained {
  const needed = facts.required ?? (scope === undefined ? undefined : [scope]);
  const reason =
    facts.provided === undefined || needed === undefined
      ? `${said ?? "the key may not do this"}${needed === undefined ? "" : `; this needs ${list(needed, "a scope")}`}`
      : `the key has ${list(facts.provided, "no scope")}, this needs ${list(needed, "more")}`;
  const what = needed !== undefined && needed.length > 1 ? "those scopes" : "that scope";
  return { reason, remedy: `Use a key with ${needed === undefined ? "the scope" : what}.` };
}

const address = ({ yourIp, allowedIps }: Omit<ErrorFacts, "reason">): Explained => ({
  reason: `the request came from ${yourIp ?? "an address"} and the key allows only ${list(allowedIps, "others")}`,
  remedy: "Run it from an allowed address, or add this one to the key.",
});
