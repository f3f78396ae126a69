/** Sends a call again while that is safe and may help. */
import type { Call, Send } from "./call";
import { cancelledError, sleep } from "../cancellation";
import type { Clock } from "../clock";
import { ErpHostError } from "../errors";
import { asksTooMuch, waitTooLong } from "./fault";
import { message } from "../../messages";
import { noticeRetry } from "./observe";

const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 20_000;
/** Waits for a first request that is still running; each is at least a second. */
const IN_FLIGHT_WAITS_MAX = 300;
const IN_FLIGHT_WAIT_MS = 1_000;
/** Retries that the whole client may have open, and what an answer gives back. */
const BUDGET_MAX = 200;
const BUDGET_PER_ANSWER = 0.5;

interface Parts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly waitMaxMs: number;
}

/**
 * Every write is safe to repeat: a POST carries its idempotency key and the same bytes, a PATCH
 * absolute values, and a DELETE ends in the same state. A 429 is waited for at the gate, bounded
 * by the call's deadline and not by a count.
 */
export function withRetry(next: Send, { clock, random, waitMaxMs }: Parts): Send {
  let budget = BUDGET_MAX;

  const waitMs = (error: ErpHostError, failures: number) => {
    const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
    return Math.max(error.retryAfterMs ?? 0, random() * ceiling);
  };

  return async (call) => {
    let failures = 0;
    let inFlightWaits = 0;
    let ambiguous = false;
    let last: ErpHostError | undefined;
    for (;;) {
      call.attempt += 1;
      try {
        const answer = await next(call);
        if (budget < BUDGET_MAX) budget = Math.min(BUDGET_MAX, budget + BUDGET_PER_ANSWER);
        return answer;
      } catch (caught) {
        if (!(caught instanceof ErpHostError)) throw caught;
        ambiguous ||= caught.ambiguous;
        call.leftOpen = ambiguous;
        // What an earlier attempt left open stays open, whatever this one was answered.
        const error = ambiguous && !caught.ambiguous ? leftOpen(caught) : caught;
        if (error.code === "deadline_exceeded") throw last ? endedAfter(error, last) : error;
        if (!error.retryable || error.why.code === "wait_too_long" || error.repeated) throw error;
        last = error;
        // What may be done already is not stopped, except in the wait after a 429: it may be long.
        call.cancel.underWay =
          error.status !== 429 && (ambiguous || error.code === "idempotency_in_flight");
        if (call.cancel.reason) throw givenUp(call, error);
        if (error.status === 429) continue;
        if (asksTooMuch(error, waitMaxMs)) throw unwaited(error, waitMaxMs);
        let ms: number;
        if (error.code === "idempotency_in_flight") {
          if (++inFlightWaits > IN_FLIGHT_WAITS_MAX) throw error;
          ms = Math.max(IN_FLIGHT_WAIT_MS, error.retryAfterMs ?? 0) + random() * 250;
        } else {
          if (++failures >= call.attemptCountMax || budget < 1) throw error;
          budget -= 1;
          ms = waitMs(error, failures);
        }
        await pause(call, error, ms);
      }
    }
  };

  async function pause(call: Call, error: ErpHostError, ms: number) {
    if (clock.monotonicMs() + ms > call.cancel.deadlineAt) {
      const why = message("retry_too_late", { waitMs: Math.round(ms) });
      const { attempt: attempts } = call;
      throw endedAfter(
        cancelledError({ code: "deadline_exceeded", why }, call, { attempts }),
        error,
      );
    }
    noticeRetry(call, error, ms);
    await sleep(clock, ms, call.cancel, call).catch((caught: unknown) => {
      throw call.cancel.reason ? givenUp(call, error) : caught;
    });
  }
}

/** It was given up between two attempts; what the last one left open stays open. */
function givenUp(call: Call, last: ErpHostError): ErpHostError {
  const { attempt: attempts, cancel } = call;
  if (!cancel.reason) return last;
  const error = cancelledError(cancel.reason, call, { attempts });
  if (error.code === "deadline_exceeded") return endedAfter(error, last);
  return last.ambiguous ? leftOpen(error) : error;
}

/** The service's own error, with how long it asks to wait. */
const unwaited = (error: ErpHostError, waitMaxMs: number): ErpHostError =>
  error.with({ why: waitTooLong(error.why, error.retryAfterMs ?? 0, waitMaxMs) });

/** Its time was over; what the last attempt was answered is why it took so long. */
function endedAfter(error: ErpHostError, last: ErpHostError): ErpHostError {
  const code = last.status === undefined ? last.code : `${last.status} ${last.code}`;
  const why = message("ended_after", { end: error.why, error: code, why: last.why });
  return error.with({ why, cause: last, ambiguous: error.ambiguous || last.ambiguous });
}

const leftOpen = (error: ErpHostError): ErpHostError =>
  error.with({
    ambiguous: true,
    ...(error.code === "aborted" && { why: message("call_aborted_open", {}) }),
  });
