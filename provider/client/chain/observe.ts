/** Hooks for observers. What they receive is built here, field by field: never a secret. */
import { message } from "../../messages";
import { noticeOf, type Notice } from "../api";
import { headerOf, type Call, type Headers, type Method } from "./call";
import type { ErpHostError, ErrorCode } from "../errors";
import { redact } from "../redact";

export interface RequestEvent {
  readonly method: Method;
  /** Method and path without query. */
  readonly operation: string;
  readonly objectId: string | undefined;
  /** 1 for the first. */
  readonly attempt: number;
}

/** What the service says of the key in debug headers (contract, part 4). */
export interface DebugAuth {
  readonly keyId: string | undefined;
  readonly permissions: readonly string[];
  /** `passed` is shown. */
  readonly ipCheck: string | undefined;
  readonly rateLimit: { readonly remaining: number; readonly limit: number } | undefined;
}

export interface ResponseEvent extends RequestEvent {
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

export interface RetryEvent extends RequestEvent {
  readonly code: ErrorCode;
  readonly status: number | undefined;
  /** Milliseconds until the next try; 0 where the quota gate decides. */
  readonly waitMs: number;
}

export interface WaitEvent {
  readonly reason: "quota" | "429";
  readonly waitMs: number;
}

/** Called as things happen; what they throw is ignored. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
  readonly onWait?: (event: WaitEvent) => void;
  /** Odd records, long waits and the like; one sentence each. */
  readonly onWarning?: (notice: Notice) => void;
}

export interface Observer {
  readonly active: boolean;
  request(call: Call): void;
  response(
    call: Call,
    durationMs: number,
    answer: { status: number; headers: Headers; requestId: string | undefined } | undefined,
    error: ErpHostError | undefined,
  ): void;
  retry(call: Call, error: ErpHostError, waitMs: number): void;
  wait(event: WaitEvent): void;
  warning(notice: Notice): void;
}

const quietly = <E>(hook: ((event: E) => void) | undefined, event: E) => {
  try {
    hook?.(event);
  } catch {
    // A fault of an observer does not fail the call.
  }
};

const requestEvent = (call: Call): RequestEvent => ({
  method: call.method,
  operation: call.operation,
  objectId: call.objectId,
  attempt: call.attempt,
});

/** A path that is longer is cut; its filters say nothing that a log needs. */
const PATH_LENGTH_MAX = 240;
const ID_LENGTH_MAX = 80;

/**
 * One attempt as one line of a log:
 * `GET /servers?page=1 -> 502 in 31 ms, attempt 3/9, req_9`.
 */
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

/** Hooks as the chain calls them. `secrets` are the client's own. */
export function observerOf(hooks: Hooks | undefined, secrets: () => readonly string[]): Observer {
  return {
    active: hooks?.onRequest !== undefined || hooks?.onResponse !== undefined,
    request: (call) => quietly(hooks?.onRequest, requestEvent(call)),
    response: (call, durationMs, answer, error) =>
      quietly(hooks?.onResponse, {
        ...requestEvent(call),
        path: redact(call.path, [...secrets(), ...call.secrets()]),
        attemptCountMax: call.attemptCountMax,
        status: answer?.status ?? error?.status,
        code: error?.code,
        systemCode: error?.systemCode,
        requestId: idOf(answer?.requestId ?? error?.requestId, secrets()),
        durationMs,
        debug: answer && debugOf(answer.headers),
      }),
    retry: (call, error, waitMs) => {
      quietly(hooks?.onRetry, {
        ...requestEvent(call),
        code: error.code,
        status: error.status,
        waitMs,
      });
      if (waitMs < NOTICE_FROM_MS) return;
      const seconds = Math.ceil(waitMs / 1000);
      const parts = { operation: call.operation, error: faultName(error), seconds };
      call.onNotice?.(noticeOf("retry", message("retry_wait", parts), waitMs));
    },
    wait: (event) => quietly(hooks?.onWait, event),
    warning: (notice) => quietly(hooks?.onWarning, notice),
  };
}

const idOf = (requestId: string | undefined, secrets: readonly string[]): string | undefined =>
  requestId === undefined ? undefined : redact(requestId, secrets);

/** Shorter waits are not worth a sentence. */
export const NOTICE_FROM_MS = 1_000;

/** Debug headers, where the service sent them. */
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
