/** Hooks for observers. What they receive is built here, field by field: never a secret. */
import { message } from "../../messages";
import { noticeOf, type Notice } from "../api";
import { headerOf, type Call, type Headers, type Method } from "./call";
import type { ErpHostError, ErrorCode } from "../errors";
import { redact } from "../redact";

/** What the service says of the key in debug headers (contract, part 4). */
export interface DebugAuth {
  readonly keyId: string | undefined;
  readonly permissions: readonly string[];
  /** `passed` is shown. */
  readonly ipCheck: string | undefined;
  readonly rateLimit: { readonly remaining: number; readonly limit: number } | undefined;
}

/** One attempt, and what came of it. */
export interface ResponseEvent {
  readonly method: Method;
  /** Method and path without query. */
  readonly operation: string;
  readonly objectId: string | undefined;
  /** 1 for the first. */
  readonly attempt: number;
  /** Below the base address, with query: `/servers?page=1`. */
  readonly path: string;
  /** Attempts that the call has at most; waits for quota are not counted. */
  readonly attemptCountMax: number;
  /** Undefined where there was no response. */
  readonly status: number | undefined;
  /** Undefined on success. */
  readonly code: ErrorCode | undefined;
  /** What the system calls the fault of a connection: `ECONNREFUSED`. */
  readonly systemCode: string | undefined;
  readonly requestId: string | undefined;
  readonly durationMs: number;
  /** With `debugAuth` only. */
  readonly debug: DebugAuth | undefined;
}

/** Called as things happen; what they throw is ignored. */
export interface Hooks {
  readonly onResponse?: (event: ResponseEvent) => void;
}

export interface Observers {
  readonly hooks?: Hooks | undefined;
  /** Takes one line per attempt. */
  readonly logCall?: ((line: string) => void) | undefined;
}

export type Report = (
  call: Call,
  durationMs: number,
  answer: { status: number; headers: Headers; requestId: string | undefined } | undefined,
  error: ErpHostError | undefined,
) => void;

/** A path that is longer is cut; its filters say nothing that a log needs. */
const PATH_LENGTH_MAX = 240;
const ID_LENGTH_MAX = 80;

/** As one line of a log: `GET /servers?page=1 -> 502 in 31 ms, attempt 3/9, req_9`. */
export function callLine(event: ResponseEvent): string {
  const { status, attempt, attemptCountMax, requestId } = event;
  const fault = faultName(event);
  const count = attempt > attemptCountMax ? String(attempt) : `${attempt}/${attemptCountMax}`;
  const parts = [
    `${event.method} ${cut(event.path, PATH_LENGTH_MAX)} -> ${status ?? fault} in ${Math.round(event.durationMs)} ms`,
    `attempt ${count}`,
    ...(requestId === undefined ? [] : [cut(requestId, ID_LENGTH_MAX)]),
  ];
  return redact(parts.join(", "), []);
}

/** `network_error (ECONNREFUSED)` */
const faultName = ({ code = "no response", systemCode }: Partial<ResponseEvent>): string =>
  systemCode === undefined ? code : `${code} (${systemCode})`;

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** Undefined without observers, so that nothing is built for them. `secrets`: the client's own. */
export function reporterOf(
  { hooks: { onResponse } = {}, logCall }: Observers,
  secrets: () => readonly string[],
): Report | undefined {
  if (!onResponse && !logCall) return undefined;
  return (call, durationMs, answer, error) => {
    const { method, attempt, attemptCountMax } = call;
    const requestId = answer?.requestId ?? error?.requestId;
    const event = {
      ...{ method, attempt, attemptCountMax, durationMs },
      operation: redact(call.operation, secrets()),
      objectId: call.objectId && redact(call.objectId, secrets()),
      path: redact(call.path, [...secrets(), ...call.secrets()]),
      status: answer?.status ?? error?.status,
      code: error?.code,
      systemCode: error?.systemCode,
      requestId: requestId && redact(requestId, secrets()),
      debug: answer && debugOf(answer.headers),
    };
    try {
      onResponse?.(event);
      logCall?.(callLine(event));
    } catch {
      // A fault of an observer does not fail the call.
    }
  };
}

/** Shows whoever waits for a call that its next attempt is a while off. */
export function noticeRetry(call: Call, error: ErpHostError, waitMs: number): void {
  if (waitMs < NOTICE_FROM_MS) return;
  const seconds = Math.ceil(waitMs / 1000);
  const parts = { operation: error.operation, error: faultName(error), seconds };
  notify(call, noticeOf("retry", message("retry_wait", parts), waitMs));
}

export function notify(call: Call, notice: Notice): void {
  try {
    call.onNotice?.(notice);
  } catch {
    // A fault of whoever listens does not fail the call.
  }
}

/** Shorter waits are not worth a sentence. */
export const NOTICE_FROM_MS = 1_000;

export function debugOf(headers: Headers): DebugAuth | undefined {
  const keyId = headerOf(headers, "x-auth-key-id");
  const permissions = headerOf(headers, "x-auth-permissions");
  const ipCheck = headerOf(headers, "x-auth-ip-check");
  const rate = /^(\d+)\/(\d+)$/.exec(headerOf(headers, "x-auth-rate-limit") ?? "");
  if (keyId === undefined && permissions === undefined && ipCheck === undefined && !rate) {
    return undefined;
  }
  return {
    keyId,
    permissions:
      permissions
        ?.split(",")
        .map((scope) => scope.trim())
        .filter(Boolean) ?? [],
    ipCheck,
    rateLimit: rate ? { remaining: Number(rate[1]), limit: Number(rate[2]) } : undefined,
  };
}
