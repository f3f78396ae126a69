/** Opens the envelope of a response, or makes a typed error of it (contract, parts 2 and 7). */
import { errorCodes, errorEnvelopeSchema, exactNumber, isRecord, jsonOf } from "../../contract";
import type { Meta, Values } from "../../contract";
import { type Answer, type Call, headerOf, type Headers, type RawAnswer } from "./call";
import { ErpHostError, type ErrorFacts } from "../errors";
import { message, type Message } from "../../messages";
import { redact, redactPath } from "../redact";
import type { Context } from "./fault";

/** The answer of a successful response. @throws ErpHostError for every other. */
export function decode(raw: RawAnswer, sentAt: number, context: Context): Answer {
  const { status, headers } = raw;
  // Without V8's message about what is not JSON, which quotes the text.
  const text = raw.body.replace(/^\uFEFF/, "");
  const body = jsonOf(text, /\d{16}/.test(text) ? exactNumber : undefined);
  const isWrite = context.call.method !== "GET";
  const failed = isRecord(body) && saysFailed(body);
  if (status < 200 || status >= 300 || failed) throw errorOf(raw, body, context);
  // No write is answered with a text or a list; null is no more than an empty body.
  const strange = body === undefined || (isWrite && body !== null && !isRecord(body));
  if (strange && raw.body !== "") {
    const shown = { ...shownOf(raw, context), status };
    throw new ErpHostError({
      ...factsOf(raw, undefined, context),
      code: "invalid_response",
      why:
        body === undefined
          ? message("response_not_json", shown)
          : message("unknown_response", { ...shown, retryable: true }),
      retryable: true,
      ambiguous: isWrite,
    });
  }
  const succeeded = isRecord(body) && body["success"] === true;
  const enveloped = succeeded && "data" in body;
  return {
    succeeded,
    status,
    headers,
    // Assumption: Envelopes of `/auth/test` and rotate.
    data: enveloped ? body["data"] : body,
    meta: enveloped ? metaOf(body["meta"]) : undefined,
    pagination: enveloped ? (body["pagination"] ?? undefined) : undefined,
    replayed: headerOf(headers, "idempotent-replayed")?.toLowerCase() === "true",
    sentAt,
  };
}

/** A bare record may have a field of that name, and a success one that says nothing. */
function saysFailed({ success, error, data, id }: Values): boolean {
  if (success !== undefined && success !== true) return true;
  const isCode = isRecord(error) && typeof error["code"] === "string";
  return (success === true ? isCode : Boolean(error)) && !(data ?? id);
}

/** `meta` of an answer, with empty texts for what is missing or odd; absent, it is left out. */
function metaOf(value: unknown): Meta | undefined {
  if (!isRecord(value)) return undefined;
  const { timestamp: at, request_id: id } = value;
  const timestamp = typeof at === "string" ? at : "";
  return { ...value, timestamp, request_id: typeof id === "string" ? id : "" };
}

const SHOWN_TYPES = ["application/json", "text/html", "text/plain", "application/xml", "text/xml"];

/** How a body looks, without any of it; a content type is shown only if it is a usual one. */
function describe(raw: RawAnswer): string {
  const type = headerOf(raw.headers, "content-type")?.split(";")[0]?.trim().toLowerCase();
  const shown =
    type === undefined ? "no content type" : SHOWN_TYPES.find((known) => known === type);
  return `${raw.body.length} characters, ${shown ?? "another content type"}`;
}

const shownOf = (raw: RawAnswer, { call, place }: Context) => ({
  base: place.address,
  url: `${place.address}${redactPath(call.path.split("?", 1)[0] ?? "")}`,
  body: describe(raw),
});

/** Where a redirect points to, without query and credentials; undefined where it can't be shown. */
function redirect(headers: Headers, hide: (text: string) => string): string | undefined {
  const location = headerOf(headers, "location") ?? "";
  if (!URL.canParse(location)) return undefined;
  const { origin, pathname } = new URL(location);
  return hide(`${origin}${pathname}`);
}

function factsOf(raw: RawAnswer, requestId: string | undefined, { call, secrets }: Context) {
  const id = requestId ?? headerOf(raw.headers, "x-request-id");
  return {
    operation: call.operation,
    objectId: call.objectId,
    status: raw.status,
    requestId: id === undefined ? undefined : redact(id, secrets()),
    attempts: call.attempt,
  };
}

/** Scopes or addresses that an error holds at most. */
const LIST_LENGTH_MAX = 100;

function errorOf(raw: RawAnswer, body: unknown, context: Context): ErpHostError {
  const { status, headers } = raw;
  const { call } = context;
  const read = errorEnvelopeSchema.safeParse(body).data;
  const given = read?.error;
  const hide = (text: string) => redact(text, [...context.secrets(), ...call.secrets()]);
  const code = codeOf(given?.code, status, call);
  const replayed = headerOf(headers, "idempotent-replayed")?.toLowerCase() === "true";
  // What a success holds is meant as if it had come with the status of its code.
  const isSuccess = status < 300;
  const meant = isSuccess ? (statusOfCode.get(code) ?? status) : status;
  const facts: Omit<ErrorFacts, "why"> = {
    ...factsOf(raw, read?.meta?.request_id, context),
    code: replayed && status >= 500 ? "replayed_failure" : code,
    retryable: isRetryable(meant, code) && !(replayed && status >= 500),
    ambiguous:
      (meant >= 500 || (isSuccess && code === "invalid_response")) && call.method !== "GET",
    field: given?.details?.field === undefined ? undefined : hide(given.details.field),
    retryAfterMs: retryAfterMs(headers, given?.retry_after),
    expiredAt: given?.expired_at && hide(given.expired_at),
    required: given?.required?.slice(0, LIST_LENGTH_MAX).map(hide),
    provided: given?.provided?.slice(0, LIST_LENGTH_MAX).map(hide),
    yourIp: given?.your_ip && hide(given.your_ip),
    allowedIps: given?.allowed_ips?.slice(0, LIST_LENGTH_MAX).map(hide),
  };
  const said = given?.details?.reason ?? given?.message;
  const quoted = said === undefined ? undefined : hide(said);
  const location = redirect(headers, hide);
  const answered = { quoted, ...shownOf(raw, context), scope: call.scope, location };
  return new ErpHostError({ ...facts, why: explain(facts, answered) });
}

/** A code is an identifier; anything else is not repeated. */
const CODE = /^[a-z][a-z0-9_.-]{0,63}$/i;

function codeOf(said: string | undefined, status: number, call: Call): string {
  // Absence is believed where the status says it as well.
  const given = said === "not_found" && status !== 404 && status !== 410 ? undefined : said;
  if (status >= 300 && status < 400) return "redirected";
  // An absent collection does not mean that an object is absent.
  const collection = call.objectId === undefined;
  if ((status === 404 && collection) || ((status === 405 || status === 501) && !given)) {
    return "not_offered";
  }
  if (given !== undefined && CODE.test(given)) return given;
  if (status === 429) return "rate_limit_exceeded";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status >= 500) return "internal_error";
  // A 404 without the service's word may come from anything in between: it proves nothing.
  return "invalid_response";
}

const statusOfCode = new Map(
  Object.entries(errorCodes).map(([code, { status }]) => [code, status]),
);

const isRetryable = (status: number, code: string): boolean =>
  (status >= 500 && status !== 501 && status !== 505) ||
  status === 429 ||
  status === 408 ||
  status === 425 ||
  code === "idempotency_in_flight";

/** Seconds asked for in the body or the header, or a date in the header, as milliseconds. */
function retryAfterMs(headers: Headers, inBody?: number | string): number | undefined {
  const inHeader = headerOf(headers, "retry-after") ?? "";
  const said = [inBody, inHeader].map((each) => String(each).trim());
  const seconds = said.find((each) => /^\d+(\.\d+)?$/.test(each));
  if (seconds !== undefined) return Number(seconds) * 1000;
  const until = Date.parse(inHeader);
  const now = Date.parse(headerOf(headers, "date") ?? "");
  return Number.isNaN(until) || Number.isNaN(now) ? undefined : Math.max(0, until - now);
}

interface Answered {
  /** What the service said, made safe; undefined where it said nothing. */
  readonly quoted: string | undefined;
  /** The base address, and the address that was called without its query. */
  readonly base: string;
  readonly url: string;
  /** How the body looks, for answers that are not an envelope. */
  readonly body: string;
  readonly location: string | undefined;
  readonly scope: string | undefined;
}

type Facts = Omit<ErrorFacts, "why">;
type Explain = (facts: Facts, answered: Answered) => Message;
const keyRefused: Explain = (_, { quoted, base }) => message("key_refused", { quoted, base });

const permission: Explain = ({ required, provided }, { quoted, scope, base }) => {
  const needed = required ?? (scope === undefined ? undefined : [scope]);
  return message("missing_scope", { quoted, provided, needed, base });
};

/** Where the service itself says nothing, the address is more likely to be wrong. */
const notOffered: Explain = ({ status = 0 }, { quoted, url, body }) =>
  quoted === undefined
    ? message("nothing_at_address", { url, status, body })
    : message("operation_unknown", { url, status, quoted });

const other: Explain = ({ status = 0, retryable = false }, { quoted, url, body }) =>
  quoted === undefined
    ? message("unknown_response", { url, status, body, retryable })
    : message("service_failed", { quoted, retryable });

const EXPLANATIONS = new Map<string, Explain>([
  ["unauthorized", keyRefused],
  ["invalid_token", keyRefused],
  ["authentication_required", keyRefused],
  ["token_expired", ({ expiredAt: at }) => message("key_expired", { at })],
  ["forbidden", permission],
  ["insufficient_permissions", permission],
  [
    "ip_not_allowed",
    ({ yourIp, allowedIps }, { base }) =>
      message("address_not_allowed", { base, yourIp, allowedIps }),
  ],
  ["validation_error", ({ field }, { quoted }) => message("value_refused", { field, quoted })],
  ["not_found", (_, { quoted }) => message("no_such_object", { quoted })],
  ["not_offered", notOffered],
  ["rate_limit_exceeded", (_, { quoted }) => message("too_many_requests", { quoted })],
  ["conflict", (_, { quoted }) => message("object_in_use", { quoted })],
  ["idempotency_conflict", (_, { quoted }) => message("idempotency_key_reused", { quoted })],
  ["redirected", (_, { location }) => message("redirect_not_followed", { location })],
  ["replayed_failure", (_, { quoted }) => message("failure_replayed", { quoted })],
]);

const explain: Explain = (facts, answered) =>
  (EXPLANATIONS.get(facts.code) ?? other)(facts, answered);
