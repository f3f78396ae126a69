/** Sends one request through undici's dispatcher and gathers the response, within limits. */
import type { Dispatcher } from "undici";
import { isRecord } from "../../contract";
import type { Method, RawAnswer } from "./call";
import type { CancelReason, Cancellation } from "../cancellation";
import type { Clock } from "../clock";

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
  readonly fault: "network" | "timeout" | "too-large" | CancelReason;
  /** Whether the service may have seen the request. */
  readonly sent: boolean;

  /** @param detail code and text of the system or of undici; never any of the response. */
  constructor(fault: TransportFault["fault"], sent: boolean, detail: string) {
    super(detail);
    this.fault = fault;
    this.sent = sent;
  }
}

/** Bytes of a response that are read at most: a page of 100 records of 160 KiB. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A transport over undici. Dispatching with a handler, and not `request()`, spares a stream per
 * response and makes the time for one attempt cover connecting, headers and body alike.
 */
export function undiciTransport(
  dispatcher: () => Dispatcher,
  origin: string,
  attemptTimeoutMs: number,
  clock: Clock,
): Transport {
  return (request, cancel) =>
    new Promise<RawAnswer>((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let status = 0;
      let headers: RawAnswer["headers"] = {};
      let first: Buffer | undefined;
      let more: Buffer[] | undefined;
      let length = 0;
      let over = false;

      const end = () => {
        over = true;
        stopTimer();
        stopListening();
      };
      const fail = (fault: TransportFault["fault"], detail: string) => {
        if (over) return;
        end();
        reject(new TransportFault(fault, controller !== undefined, detail));
        controller?.abort(new Error(detail));
      };
      const stopTimer = clock.after(attemptTimeoutMs, () =>
        fail("timeout", `no complete answer within ${attemptTimeoutMs} ms`),
      );
      const stopListening = cancel.onCancel((reason) => fail(reason, reason.code));

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          controller = started;
          // Given up while it waited for a connection: it must not be sent any more.
          if (over) started.abort(new Error("given up"));
        },
        onResponseStart(_, code, received) {
          status = code;
          headers = received;
        },
        onResponseData(_, chunk) {
          length += chunk.length;
          if (length > RESPONSE_BYTES_MAX) {
            fail("too-large", `more than ${RESPONSE_BYTES_MAX} bytes`);
          } else if (first === undefined) first = chunk;
          else (more ??= []).push(chunk);
        },
        onResponseEnd() {
          if (over) return;
          end();
          const bytes = first && more ? Buffer.concat([first, ...more], length) : first;
          resolve({ status, headers, body: bytes?.toString("utf8") ?? "" });
        },
        onResponseError(_, error) {
          fail("network", detailOf(error));
        },
      };
      try {
        dispatcher().dispatch(
          {
            origin,
            path: request.path,
            method: request.method,
            headers: request.headers,
            body: request.body ?? null,
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          handler,
        );
      } catch (error) {
        fail("network", detailOf(error));
      }
    });
}

/**
 * Only codes and undici's own texts: an HTTP parser's error holds the response itself. What Node
 * throws may be of another realm, so that `instanceof Error` would not know it.
 */
export function detailOf(error: unknown): string {
  const { code, name, message } = isRecord(error) ? error : {};
  const short = [code, name].find((text) => typeof text === "string") ?? "unknown fault";
  return short.startsWith("HPE_") || typeof message !== "string" ? short : `${short}: ${message}`;
}
