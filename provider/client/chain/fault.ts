/** Faults of the connection: what they are called, how often they are tried, and their errors. */
import { message, type Message } from "../../messages";
import { cancelledError } from "../cancellation";
import { ErpHostError } from "../errors";
import { redact } from "../redact";
import type { Call } from "./call";
import type { TransportFault } from "./transport";

/** Attempts that a call has, while the service may come back. */
export const ATTEMPT_COUNT_MAX = 9;
/** Attempts where more would hardly help; with the waits between them they take two seconds. */
const ATTEMPT_COUNT_FEW = 3;

/** Where requests go, as messages may show it. */
export interface Endpoint {
  /** The base address: `https://erp.example/v1`. */
  readonly address: string;
  /** Origin of the proxy, without credentials; undefined where there is none. */
  readonly proxy: string | undefined;
}

/** Codes of a certificate that is not trusted; another try sees the same one. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_\w+)$/;
/** Undici's codes for a pool that takes no more requests. */
const CLOSED = /^UND_ERR_(?:CLOSED|DESTROYED)$/;
const UNKNOWN_HOST = /^(?:ENOTFOUND|EAI_AGAIN)$/;
const NOT_TLS = /^(?:EPROTO|ERR_SSL_\w+)$/;
/** Nothing of the service is at the other end: it is down, or a wrong address, or a proxy refuses. */
const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_SSL_\w+|UND_ERR_(?:CONNECT_TIMEOUT|ABORTED))$/;

export const isUnreachable = ({ systemCode = "" }: ErpHostError): boolean =>
  UNREACHABLE.test(systemCode) || UNTRUSTED.test(systemCode);

/**
 * Attempts that a call has after this failure. A service that has answered this client is waited
 * for; one that never did is hardly there, and whoever wrote its address wants to know soon.
 */
export function attemptCountMax(error: ErpHostError, hasAnswered: boolean): number {
  const isElsewhere = isUnreachable(error) || error.code === "invalid_response";
  return isElsewhere && !hasAnswered ? ATTEMPT_COUNT_FEW : ATTEMPT_COUNT_MAX;
}

export const asksTooMuch = ({ retryAfterMs = 0 }: ErpHostError, waitMaxMs: number): boolean =>
  retryAfterMs > waitMaxMs;

/** Why a wait is not begun: what asks for it, how long it would be, and what is allowed. */
export const waitTooLong = (said: Message, waitMs: number, mostMs: number): Message =>
  message("wait_too_long", {
    said,
    seconds: Math.ceil(waitMs / 1000),
    mostSeconds: Math.floor(mostMs / 1000),
  });

/** What an error is made of, besides what failed. */
export interface Context {
  readonly call: Call;
  readonly place: Endpoint;
  /** Secrets of the client itself. */
  readonly secrets: () => readonly string[];
}

export function faultError(fault: TransportFault, { call, place, secrets }: Context): ErpHostError {
  const ambiguous = fault.sent && call.method !== "GET";
  if (typeof fault.fault === "object") {
    return cancelledError(fault.fault, call, { ambiguous, attempts: call.attempt });
  }
  const detail = redact(fault.message, secrets());
  const systemCode = /^([A-Z][A-Z0-9_]{2,63})(?::|$)/.exec(detail)?.[1];
  const common = {
    operation: call.operation,
    objectId: call.objectId,
    attempts: call.attempt,
    ambiguous,
  };
  if (fault.fault === "too-large") {
    const why = message("response_too_large", { detail });
    return new ErpHostError({ ...common, code: "response_too_large", why });
  }
  if (systemCode !== undefined && CLOSED.test(systemCode)) {
    return new ErpHostError({ ...common, code: "closed", why: message("client_closed", {}) });
  }
  const timedOut = fault.fault === "timeout";
  return new ErpHostError({
    ...common,
    code: timedOut ? "timeout" : "network_error",
    why: timedOut
      ? message("no_answer", { detail, address: place.address })
      : explainFault(systemCode, detail, place),
    retryable: systemCode === undefined || !UNTRUSTED.test(systemCode),
    systemCode,
    cause: Object.assign(new Error(detail), { name: "TransportFault" }),
  });
}

function explainFault(code = "", detail: string, place: Endpoint): Message {
  if (UNTRUSTED.test(code)) return message("certificate_untrusted", { ...place, code, detail });
  if (UNKNOWN_HOST.test(code)) return message("host_unknown", { ...place, code });
  if (code === "ECONNREFUSED") return message("connection_refused", { ...place, code });
  if (NOT_TLS.test(code)) return message("tls_failed", { ...place, code });
  return message("connection_failed", { ...place, detail });
}
