/** Why the service did not do what a call asked: the second half of `call_failed`. */
import { define, type Message } from "../message";

/** Scopes or addresses that a message lists at most. */
const LISTED_MAX = 10;

const list = (values: readonly string[] | undefined, none: string): string => {
  if (values === undefined || values.length === 0) return none;
  const more = values.length > LISTED_MAX ? " and more" : "";
  return `${values.slice(0, LISTED_MAX).join(", ")}${more}`;
};

/** What the service itself said, made safe to show; left out where it said nothing. */
export interface Quoted {
  readonly quoted?: string | undefined;
}

/** The base address, where it is known. */
export interface Based {
  readonly base?: string | undefined;
}

/** An answer that is not the service's: from where, its status, and how its body looks. */
export interface Strange {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

const BASE = "https://erp.example/v1";

/** An answer as messages are shown with: a web page in its place. */
export const PAGE = {
  url: "https://erp.example/v1/servers",
  status: 200,
  body: "120 characters, text/html",
};

const strange = ({ url, status, body }: Strange): string =>
  `${url} answered ${status} with ${body}`;

const CHECK_ADDRESS = "Check the base address and the contract profile.";

export const callsMessages = {
  call_failed: define<{
    operation: string;
    error: string;
    why: Message;
    status?: number | undefined;
    attempts?: number | undefined;
    requestId?: string | undefined;
  }>({
    when: "A call of the service fails.",
    summary: "Call failed",
    text: ({ operation, error, why, status, attempts = 1 }, { say }) => {
      const code = status === undefined ? error : `${status} ${error}`;
      const after = attempts > 1 ? ` (after ${attempts} attempts)` : "";
      return `${operation} → ${code}: ${say(why)}${after}`;
    },
    remedy: ({ why, requestId }, { remedy }) =>
      [remedy(why), requestId === undefined ? "" : `(request ${requestId})`]
        .filter((part) => part !== "")
        .join(" "),
    examples: [
      {
        operation: "DELETE /servers/srv_1",
        status: 403,
        error: "insufficient_permissions",
        why: {
          code: "missing_scope",
          parts: { provided: ["servers:read"], needed: ["servers:delete"] },
        },
        requestId: "req_9",
      },
      {
        operation: "GET /servers",
        error: "network_error",
        attempts: 9,
        why: { code: "connection_failed", parts: { address: BASE, detail: "ECONNRESET" } },
      },
    ],
  }),
  failed_as_before: define<{ why: Message }>({
    when: "A call fails for the reason that an earlier one failed for a moment ago.",
    summary: "Failed as before",
    text: ({ why }, { say }) => `same failure as before: ${say(why)}`,
    examples: [{ why: { code: "key_refused", parts: {} } }],
  }),
  key_refused: define<Quoted & Based>({
    when: "The service does not accept the API key.",
    summary: "API key refused",
    text: ({ quoted }) => quoted ?? "the service does not accept the API key",
    remedy: ({ base = "this address" }, { setting, howToSet, afterKeyChange }) =>
      `Check that ${setting("apiKey")} belongs to ${base}. To change it, ${howToSet("apiKey")}. ${afterKeyChange}`.trim(),
    examples: [{}, { quoted: "Invalid token", base: BASE }],
  }),
  key_expired: define<{ at?: string | undefined }>({
    when: "The API key has expired.",
    summary: "API key expired",
    text: ({ at }) => `the API key expired${at === undefined ? "" : ` at ${at}`}`,
    remedy: () => "Use the key that replaced it, or create another in the dashboard.",
    examples: [{ at: "2026-01-31T00:00:00Z" }, {}],
  }),
  missing_scope: define<
    Quoted &
      Based & { provided?: readonly string[] | undefined; needed?: readonly string[] | undefined }
  >({
    when: "The API key lacks a scope.",
    summary: "Scope missing",
    text: ({ quoted, provided, needed }) => {
      if (provided !== undefined && needed !== undefined) {
        return `the key has ${list(provided, "no scope")}, this needs ${list(needed, "more")}`;
      }
      const needs = needed === undefined ? "" : `; this needs ${list(needed, "a scope")}`;
      return `${quoted ?? "the key may not do this"}${needs}`;
    },
    remedy: ({ needed, base }) =>
      `Use a key${base === undefined ? "" : ` of ${base}`} with ${needed === undefined ? "the scope" : needed.length > 1 ? "those scopes" : "that scope"}.`,
    examples: [
      { provided: ["servers:read"], needed: ["servers:delete"], base: BASE },
      { quoted: "Forbidden", needed: ["servers:write"] },
      {},
    ],
  }),
  address_not_allowed: define<
    Based & { yourIp?: string | undefined; allowedIps?: readonly string[] | undefined }
  >({
    when: "The API key may not be used from this address.",
    summary: "Address not allowed",
    text: ({ yourIp, allowedIps, base }) =>
      `the request${base === undefined ? "" : ` to ${base}`} came from ${yourIp ?? "an address"}, but the key allows only ${list(allowedIps, "others")}`,
    remedy: () => "Run it from an allowed address, or add this one to the key.",
    examples: [{ base: BASE, yourIp: "198.51.100.7", allowedIps: ["203.0.113.0/24"] }, {}],
  }),
  value_refused: define<Quoted & { field?: string | undefined }>({
    when: "The service refuses a value.",
    summary: "Value refused",
    text: ({ field, quoted }, words) =>
      `${field === undefined ? "" : `${words.field(field)}: `}${quoted ?? "the value is not valid"}`,
    remedy: () => "Change the value.",
    examples: [{ field: "server_id", quoted: "is too long" }, {}],
  }),
  no_such_object: define<Quoted>({
    when: "The service does not have the object.",
    summary: "Not found",
    text: ({ quoted }) => quoted ?? "the object does not exist",
    examples: [{}, { quoted: "Server not found" }],
  }),
  operation_unknown: define<{ url: string; status: number; quoted: string }>({
    when: "The service answers that it does not have the operation.",
    summary: "Operation not offered",
    text: ({ url, status, quoted }) => `${url} answered ${status}: ${quoted}`,
    remedy: (_, { setting }) =>
      `Check ${setting("baseUrl")}, or describe the service in a contract profile (${setting("profile")}).`,
    examples: [{ url: "https://erp.example/v1/servers", status: 404, quoted: "no route" }],
  }),
  nothing_at_address: define<Strange>({
    when: "The base address answers 404 in a format that is not the service's.",
    summary: "Not the address of the service",
    text: (parts) => `${strange(parts)}, so this is probably not the address of the service`,
    remedy: (_, { setting }) =>
      `Check ${setting("baseUrl")}: it is the address of the API, which ends in /v1.`,
    examples: [{ ...PAGE, status: 404 }],
  }),
  operation_not_offered: define<{ operation: string; plural: string }>({
    when: "The contract does not have the operation, and no profile adds it.",
    summary: "Operation not offered",
    text: ({ operation, plural }) => `the service does not offer to ${operation} ${plural}`,
    remedy: () => "If yours does, add the operation to a contract profile.",
    examples: [{ operation: "delete", plural: "teams" }],
  }),
  too_many_requests: define<Quoted>({
    when: "The service refuses a request because of its rate limit.",
    summary: "Rate limit exceeded",
    text: ({ quoted }) => quoted ?? "too many requests",
    remedy: (_, { setting }) =>
      `Wait, or set ${setting("limits")} or ${setting("share")} so that requests are paced.`,
    examples: [{}, { quoted: "Rate limit exceeded" }],
  }),
  object_in_use: define<Quoted>({
    when: "The service refuses a change because other objects depend on this one.",
    summary: "Object in use",
    text: ({ quoted }) => quoted ?? "other objects still use this one",
    remedy: () => "Remove what uses it first.",
    examples: [{}, { quoted: "The server has instances" }],
  }),
  idempotency_key_reused: define<Quoted>({
    when: "An idempotency key was used before, with another body.",
    summary: "Idempotency key reused",
    text: ({ quoted }) => quoted ?? "the idempotency key was already used with another body",
    remedy: () => "Use another idempotency key.",
  }),
  redirect_not_followed: define<{ location?: string | undefined }>({
    when: "The service answers with a redirect.",
    summary: "Redirected",
    text: ({ location }) =>
      `the service answered with a redirect${location === undefined ? "" : ` to ${location}`}, which is not followed`,
    remedy: (_, { setting }) =>
      `Set ${setting("baseUrl")} to the address of the API that this leads to.`,
    examples: [{ location: "https://erp.example/v1/servers" }, {}],
  }),
  failure_replayed: define<Quoted>({
    when: "The service repeats its earlier failure for an idempotency key.",
    summary: "Failure replayed",
    text: ({ quoted }) =>
      `the service repeats its earlier failure for this idempotency key${quoted === undefined ? "" : `: ${quoted}`}`,
    remedy: () => "List what was created, then try again with another idempotency key.",
    examples: [{}, { quoted: "internal error" }],
  }),
  service_failed: define<{ quoted: string; retryable: boolean }>({
    when: "The service reports an error that has no message of its own here.",
    summary: "Service error",
    text: ({ quoted }) => quoted,
    remedy: ({ retryable }) => (retryable ? "Try again later." : undefined),
    examples: [
      { quoted: "Something went wrong", retryable: true },
      { quoted: "Not now", retryable: false },
    ],
  }),
  unknown_response: define<Strange & { retryable: boolean }>({
    when: "The service answers with an error in an unknown format.",
    summary: "Unknown response",
    text: (parts) => `${strange(parts)}, which is not the service's format`,
    remedy: ({ retryable }, { setting }) =>
      `Check ${setting("baseUrl")}${retryable ? ", or try again later" : ""}.`,
    examples: [
      { ...PAGE, status: 502, retryable: true },
      { ...PAGE, status: 418, body: "0 characters, no content type", retryable: false },
    ],
  }),
  response_not_json: define<Strange>({
    when: "A response is not JSON.",
    summary: "Unknown response",
    text: (parts) => `${strange(parts)}, which is not JSON`,
    remedy: (_, { setting }) =>
      `Check ${setting("baseUrl")}, and any proxy between here and the service.`,
    examples: [PAGE],
  }),
  response_incomplete: define<{ missing: string }>({
    when: "A response lacks what the contract promises.",
    summary: "Unknown response",
    text: ({ missing }) => `the response is missing ${missing}`,
    remedy: () => CHECK_ADDRESS,
    examples: [{ missing: "old_key and new_key" }],
  }),
  response_unreadable: define<{ why: Message }>({
    when: "A write was answered with a record that cannot be read, and no id is known.",
    summary: "Unknown response",
    text: ({ why }, { say }) => `the response cannot be read: ${say(why)}`,
    remedy: () => "Look for the created object in the list.",
    examples: [{ why: { code: "record_without_id", parts: {} } }],
  }),
  response_too_large: define<{ detail: string }>({
    when: "A response is larger than the client reads.",
    summary: "Response too large",
    text: ({ detail }) => `the response has ${detail}`,
    remedy: () => "Check what answers at the base address.",
    examples: [{ detail: "more than 16777216 bytes" }],
  }),
};
