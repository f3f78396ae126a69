/** The error family of the client. Branch on `code`, never on text (contract, part 7). */
import { camel, type DocumentedErrorCode } from "../contract";
import { message, pathText, plainVoice, say, type Message, type Voice } from "../messages";
import { redact, redactPath } from "./redact";

/** Programs have fields in camelCase, and free ones as the service names them. */
const clientVoice: Voice = {
  ...plainVoice,
  field: (path) =>
    pathText(
      path[0] === "properties"
        ? path
        : path.map((part) => (typeof part === "string" ? camel(part) : part)),
    ),
};

/** Codes that the client itself gives, where the service said nothing usable. */
export const clientErrorCodes = {
  network_error: "the connection failed",
  timeout: "no answer came in time",
  deadline_exceeded: "the time for the whole call is over",
  aborted: "the caller gave up",
  closed: "the client was closed",
  invalid_response: "the answer is not what the contract says",
  invalid_pagination: "a page contradicts itself",
  response_too_large: "the answer is larger than the client reads",
  list_too_long: "a list has more pages than the client reads",
  redirected: "the service answered with a redirect",
  replayed_failure: "the service replays a failure of its own for this idempotency key",
  not_offered: "the service does not offer this",
  list_changed: "a list changed both times that all of it was read",
  odd_record: "the record is there and can't be read",
  unproved_absence: "it could not be proved that the object is gone",
} as const;

export type ClientErrorCode = keyof typeof clientErrorCodes;
/** Any other string is a code that this release does not know. */
export type ErrorCode = DocumentedErrorCode | ClientErrorCode | (string & Record<never, never>);

/** What an error holds. None of it is secret. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  /** Method and path without query: `DELETE /servers/srv_1`. */
  readonly operation: string;
  readonly status?: number | undefined;
  /** Why it failed, and what to do, as data: without the operation and the code. */
  readonly why: Message;
  readonly requestId?: string | undefined;
  /** The same call may succeed later. Default false, as of the other two. */
  readonly retryable?: boolean;
  /** An earlier call failed in the same way a moment ago; its error says what to do. */
  readonly repeated?: boolean;
  /** A write that may have been done although no answer says so. */
  readonly ambiguous?: boolean;
  readonly objectId?: string | undefined;
  /** Wire name of the field at fault. */
  readonly field?: string | undefined;
  /** `network_error`: what the system calls the fault, such as `ECONNREFUSED`. */
  readonly systemCode?: string | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Requests that were sent for this call; 0 where an earlier failure ended it before. Default 1. */
  readonly attempts?: number;
  /** `token_expired`: when the key ended. */
  readonly expiredAt?: string | undefined;
  /** `insufficient_permissions`: scopes that were needed, and those the key has. */
  readonly required?: readonly string[] | undefined;
  readonly provided?: readonly string[] | undefined;
  /** `ip_not_allowed`: the address the request came from, and those allowed. */
  readonly yourIp?: string | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly cause?: unknown;
}

const DEFAULTS = { retryable: false, repeated: false, ambiguous: false, attempts: 1 };

/** An error that has its facts as members, which no class can say that it takes from a type. */
const FactualError = Error as unknown as new (
  message: string,
  options: { readonly cause?: unknown },
) => Error & Omit<ErrorFacts, "cause"> & Readonly<typeof DEFAULTS> & { toString(): string };

/** Every failure of a call. Bad input is `InvalidInput` instead, thrown before any call. */
export class ErpHostError extends FactualError {
  override readonly name = "ErpHostError";

  constructor({ cause, operation: path, objectId: id, ...given }: ErrorFacts) {
    const facts = { ...given, operation: redactPath(path), objectId: id && redact(id, []) };
    super(said(facts), cause === undefined ? {} : { cause });
    Object.assign(this, DEFAULTS, facts);
  }

  /** Why, without the operation, the code and the remedy. */
  get reason(): string {
    return say(clientVoice, this.why).clause;
  }

  /** What to do; undefined where there is nothing to do. */
  get remedy(): string | undefined {
    return say(clientVoice, this.why).remedy || undefined;
  }

  /** The whole error as data, for those who show it in names of their own. */
  get data(): Message {
    return dataOf(this);
  }

  with(change: Partial<ErrorFacts>): ErpHostError {
    return new ErpHostError({ ...this, cause: this.cause, ...change });
  }
}

const dataOf = (facts: ErrorFacts): Message =>
  message("call_failed", {
    operation: facts.operation,
    error: facts.code,
    why: facts.why,
    status: facts.status,
    attempts: facts.attempts,
    requestId: facts.requestId,
  });

const said = (facts: ErrorFacts): string => say(clientVoice, dataOf(facts)).sentence;

/** Whether a caught value is an error of a call. */
export const isErpHostError = (error: unknown): error is ErpHostError =>
  error instanceof ErpHostError;

/** Whether a caught value is an error of a call with one of these codes. */
export const hasCode = <const C extends ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is ErpHostError & { readonly code: C } =>
  // Widened so that `includes` takes any code.
  isErpHostError(error) && (codes as readonly string[]).includes(error.code);

/** The key is missing, wrong or expired: the generic code and the specific ones alike. */
export const isAuthenticationError = (error: unknown): error is ErpHostError =>
  hasCode(error, "unauthorized", "authentication_required", "invalid_token", "token_expired");

/** The key may not do it, or not from here: the generic code and the specific ones alike. */
export const isPermissionError = (error: unknown): error is ErpHostError =>
  hasCode(error, "forbidden", "insufficient_permissions", "ip_not_allowed");
