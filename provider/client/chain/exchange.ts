/** One attempt: authorise, send, decode, and report to the gate, the budget and an observer. */
import type { Budget } from "../quota/budget";
import { headerOf, type Answer, type RawAnswer, type Send } from "./call";
import type { Clock } from "../clock";
import { decode } from "./decode";
import { ErpHostError } from "../errors";
import { attemptCountMax, faultError, type Endpoint } from "./fault";
import type { Report } from "./observe";
import type { Gate } from "./pace";
import { rateOfHeaders } from "../quota/rate-headers";
import { detailOf, TransportFault, type Transport } from "./transport";

interface Parts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly budget: Budget;
  readonly gate: Gate;
  readonly report: Report | undefined;
  readonly place: Endpoint;
  /** Headers of every request, the key among them. */
  readonly headers: () => Record<string, string>;
  readonly secrets: () => readonly string[];
}

export function exchange(parts: Parts): Send {
  const { clock, transport, budget, gate, report, place, secrets } = parts;
  const basePath = new URL(place.address).pathname.replace(/\/+$/, "");
  let hasAnswered = false;

  return async (call) => {
    const sentAt = clock.monotonicMs();
    const context = { call, place, secrets };
    call.cancel.underWay = call.method !== "GET"; // What changes nothing need not be finished.
    let raw: RawAnswer;
    try {
      const { method, body, idempotencyKey: key } = call;
      const headers = { ...parts.headers(), ...(key !== undefined && { "idempotency-key": key }) };
      const path = basePath + call.path;
      raw = await transport({ method, path, headers, body }, call.cancel);
    } catch (caught) {
      const now = clock.monotonicMs();
      budget.answered(now, undefined, undefined);
      gate.left(sentAt, "lost");
      const fault = caught instanceof TransportFault ? caught : unknownFault(caught);
      const error = faultError(fault, context);
      call.attemptCountMax = attemptCountMax(error, hasAnswered);
      report?.(call, now - sentAt, undefined, error);
      throw error;
    }
    const now = clock.monotonicMs();
    let answer: Answer | undefined;
    let error: unknown;
    try {
      answer = decode(raw, sentAt, context);
      hasAnswered = true;
    } catch (caught) {
      error = caught;
    }
    const rate = rateOfHeaders(raw.headers, answer?.meta?.timestamp, clock.wallMs());
    budget.answered(now, now - sentAt, rate);
    const known = error instanceof ErpHostError ? error : undefined;
    if (known) call.attemptCountMax = attemptCountMax(known, hasAnswered);
    gate.left(sentAt, raw.status === 429 && known ? { call, refusal: known } : "answered");
    const requestId = answer?.meta?.request_id ?? headerOf(raw.headers, "x-request-id");
    report?.(call, now - sentAt, { ...raw, requestId }, known);
    if (answer === undefined) throw error;
    return answer;
  };
}

/** A transport that was passed in may fail in its own way; what it sent is not known. */
const unknownFault = (caught: unknown): TransportFault =>
  new TransportFault("network", true, detailOf(caught));
