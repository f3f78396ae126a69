/** Sends one request through undici's dispatcher and gathers the response, within limits. */
import type { Dispatcher } from "undici";
import { isRecord } from "../../contract";
import type { Method, RawAnswer } from "./call";
import type { Cancellation, CancelReason } from "../cancellation";
import type { CancelTimer, Clock } from "../clock";

export interface WireRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Sends a request once. Rejects with a `TransportFault`. */
export type Transport = (request: WireRequest, cancel: Cancellation) => Promise<RawAnswer>;

/** Why there is no response. `ErpHostError` is made of it where the call is known. */
export class TransportFault extends Error {
  override readonly name = "TransportFault";

  /** @param detail code and text of the system or of undici; never any of the response. */
  constructor(
    readonly fault: "network" | "timeout" | "too-large" | CancelReason,
    /** Whether the service may have seen the request. */
    readonly sent: boolean,
    detail: string,
  ) {
    super(detail);
  }
}

/** Bytes of a response that are read at most: a page of 100 records of 160 KiB. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

interface Way {
  readonly dispatcher: () => Dispatcher;
  readonly origin: string;
  readonly attemptTimeoutMs: number;
  readonly clock: Clock;
}

/**
 * A transport over undici. Dispatching with a handler, and not `request()`, spares a stream per
 * response and makes the time for one attempt cover connecting, headers and body alike.
 */
export const undiciTransport =
  (way: Way): Transport =>
  (request, cancel) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const exchange = new Exchange({ resolve, reject }, way, cancel);
      try {
        way
          .dispatcher()
          .dispatch(
            {
              origin: way.origin,
              path: request.path,
              method: request.method,
              headers: request.headers,
              body: request.body ?? null,
              headersTimeout: 0,
              bodyTimeout: 0,
            },
            exchange,
          );
      } catch (error) {
        exchange.fail("network", detailOf(error));
      }
    });

interface Promised {
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (fault: TransportFault) => void;
}

/** One request on its way; undici calls it as the response comes in. */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: RawAnswer["headers"] = {};
  private first: Buffer | undefined;
  private more: Buffer[] | undefined;
  private length = 0;
  private over = false;
  private readonly stopTimer: CancelTimer;
  private readonly stopListening: CancelTimer;

  constructor(
    private readonly promise: Promised,
    { clock, attemptTimeoutMs }: Way,
    cancel: Cancellation,
  ) {
    this.stopTimer = clock.after(attemptTimeoutMs, () =>
      this.fail("timeout", `no complete answer within ${attemptTimeoutMs} ms`),
    );
    this.stopListening = cancel.onCancel((reason) => this.fail(reason, reason.code));
  }

  fail(fault: TransportFault["fault"], detail: string): void {
    if (this.over) return;
    this.end();
    this.promise.reject(new TransportFault(fault, this.controller !== undefined, detail));
    this.controller?.abort(new Error(detail));
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.controller = started;
    // Given up while it waited for a connection: it must not be sent any more.
    if (this.over) started.abort(new Error("given up"));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: RawAnswer["headers"],
  ): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length > RESPONSE_BYTES_MAX) {
      this.fail("too-large", `more than ${RESPONSE_BYTES_MAX} bytes`);
    } else if (this.first === undefined) this.first = chunk;
    else (this.more ??= []).push(chunk);
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.end();
    const { status, headers, first, more, length } = this;
    const bytes = first && more ? Buffer.concat([first, ...more], length) : first;
    this.promise.resolve({ status, headers, body: bytes?.toString("utf8") ?? "" });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail("network", detailOf(error));
  }

  private end(): void {
    this.over = true;
    this.stopTimer();
    this.stopListening();
  }
}

/**
 * Only codes and undici's own texts: an HTTP parser's error holds the response itself. What Node
 * throws may be of another realm, so that `instanceof Error` would not know it.
 */
export function detailOf(error: unknown): string {
  const { code, name, message } = isRecord(error) ? error : {};
  const short = [code, name].find((text) => typeof text === "string") ?? "unknown fault";
  const says = typeof message === "string" && message !== "" && !short.startsWith("HPE_");
  return says ? `${short}: ${message}` : short;
}
