/** One call on its way through the chain, and what comes back. */
import type { Meta } from "../../contract";
import type { Notice } from "../api";
import type { Cancellation } from "../cancellation";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Who waits for a call, or for something that several share. */
export interface Waiter {
  readonly cancel: Cancellation;
  readonly onNotice: ((notice: Notice) => void) | undefined;
}

export interface Call extends Waiter {
  readonly method: Method;
  /** Below the base address, with query. */
  readonly path: string;
  /** Method and path without query, for messages. */
  readonly operation: string;
  readonly objectId: string | undefined;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Scope that the contract wants for it, for messages. */
  readonly scope: string | undefined;
  /** Texts of the body that no message may repeat. */
  readonly secrets: () => readonly string[];
  /** Requests sent for it so far, counted by the retry step. */
  attempt: number;
  /** Failed attempts that end it, by its last failure; waits for quota do not count. */
  attemptCountMax: number;
  /** Whether one of them may have been done although no answer says so; set by the retry step. */
  leftOpen: boolean;
}

/** Response headers, names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A successful answer, its envelope opened. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** It says `success: true` itself. */
  readonly succeeded: boolean;
  /** `data`, or the whole body of a bare answer; undefined where there was no body. */
  readonly data: unknown;
  readonly meta: Meta | undefined;
  /** As it came; `checkPagination` reads it. */
  readonly pagination: unknown;
  readonly replayed: boolean;
  /** Monotonic milliseconds at which the request of this answer was sent. */
  readonly sentAt: number;
}

/** A step of the chain. */
export type Send = (call: Call) => Promise<Answer>;

/** One header as text; the first where it came more than once. */
export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};
