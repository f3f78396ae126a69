/** The gate of one key: nothing is sent before the quota has room, and a 429 closes it for all. */
import type { Budget } from "../quota/budget";
import type { Call, Send } from "./call";
import { cancelledError } from "../cancellation";
import { TIMER_MAX_MS, type CancelTimer, type Clock } from "../clock";
import { NOTICE_FROM_MS, type Observer } from "./observe";

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 60_000;
/** Added to a wait that the service asked for, so that many clients do not come back at once. */
const JITTER_MIN_MS = 20;
const JITTER_SHARE = 0.1;
const JITTER_MAX_MS = 1_000;

interface Parts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: Budget;
  readonly observer: Observer;
}

interface Waiting {
  readonly call: Call;
  readonly start: () => void;
  over: boolean;
}

export interface Gate {
  /** Undefined: go on at once. Else a wait; it rejects when the call ends first. */
  enter(call: Call): Promise<void> | undefined;
  /** Something has changed: lets in who may go. */
  pump(): void;
  /** A request that was let in is over: `refused` with the wait asked for, answered, or lost. */
  left(sentAt: number, outcome: "answered" | "lost" | { refusedForMs: number | undefined }): void;
}

export function createGate({ clock, random, budget, observer }: Parts): Gate {
  // What has started finishes first: tries after the first wait in a queue of their own.
  const again: Waiting[] = [];
  const fresh: Waiting[] = [];
  let closedUntil = Number.NEGATIVE_INFINITY;
  let closedAt = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  /** After a 429 one request goes ahead, to see whether the others may follow. */
  let probing = false;
  let stopTimer: CancelTimer | undefined;

  const waitMs = (now: number) => {
    if (now < closedUntil) return closedUntil - now;
    if (probing && budget.inFlight() > 0) return Number.POSITIVE_INFINITY;
    return budget.waitMs(now);
  };

  const pump = () => {
    for (;;) {
      while (again[0]?.over) again.shift();
      while (fresh[0]?.over) fresh.shift();
      const queue = again.length > 0 ? again : fresh;
      const next = queue[0];
      if (!next) return;
      const wait = waitMs(clock.monotonicMs());
      if (wait > 0) {
        wake(wait);
        return;
      }
      queue.shift();
      budget.grant();
      next.start();
    }
  };

  const wake = (ms: number) => {
    stopTimer?.();
    stopTimer = undefined;
    if (ms === Number.POSITIVE_INFINITY) return;
    stopTimer = clock.after(Math.min(TIMER_MAX_MS, Math.ceil(ms)), () => {
      stopTimer = undefined;
      pump();
    });
  };

  const tell = (call: Call, ms: number, now: number) => {
    const refused = now < closedUntil;
    if (again.length + fresh.length === 1 && ms !== Number.POSITIVE_INFINITY) {
      observer.wait({ reason: refused ? "429" : "quota", waitMs: ms });
    }
    if (ms < NOTICE_FROM_MS || ms === Number.POSITIVE_INFINITY) return;
    const seconds = Math.ceil(ms / 1000);
    const window = budget.blocking(now);
    const quota =
      window === undefined ? "" : ` of ${window.requests} requests per ${window.windowMs / 1000} s`;
    call.onNotice?.({
      kind: "rate-limit",
      message: refused
        ? `The service asked for a pause (429); going on in about ${seconds} s.`
        : `The key's quota${quota} is used up; going on in about ${seconds} s.`,
      waitMs: ms,
    });
  };

  return {
    pump,
    enter(call) {
      const now = clock.monotonicMs();
      if (again.length === 0 && (fresh.length === 0 || call.attempt > 1)) {
        if (waitMs(now) <= 0) {
          budget.grant();
          return undefined;
        }
      }
      const wait = waitMs(now);
      if (now < closedUntil && closedUntil > call.cancel.deadlineAt) {
        const text = `the service asked for a pause of ${Math.ceil(wait / 1000)} s, past the call's time`;
        return Promise.reject(
          cancelledError({ code: "deadline_exceeded", text }, call, { attempts: call.attempt }),
        );
      }
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          call,
          over: false,
          start: () => {
            undo();
            resolve();
          },
        };
        const undo = call.cancel.onCancel((reason) => {
          waiting.over = true;
          reject(cancelledError(reason, call, { attempts: call.attempt }));
        });
        (call.attempt > 1 ? again : fresh).push(waiting);
        tell(call, wait, now);
        wake(wait);
      });
    },
    left(sentAt, outcome) {
      if (typeof outcome === "object") {
        const now = clock.monotonicMs();
        // Those that were under way when the gate closed tell nothing new of how bad it is.
        if (sentAt > closedAt) refusals += 1;
        const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (refusals - 1));
        const wait = Math.max(outcome.refusedForMs ?? 0, backoff);
        const jitter =
          JITTER_MIN_MS + random() * Math.min(JITTER_MAX_MS, Math.max(50, wait * JITTER_SHARE));
        closedAt = now;
        closedUntil = Math.max(closedUntil, now + wait + jitter);
        probing = true;
      } else if (outcome === "answered" && sentAt > closedAt) {
        refusals = 0;
        probing = false;
      }
      if (again.length > 0 || fresh.length > 0) pump();
    },
  };
}

/** Sends through the gate; `exchange` reports to it what came back. */
export function withPace(next: Send, gate: Gate): Send {
  return async (call) => {
    const wait = gate.enter(call);
    if (wait) await wait;
    return next(call);
  };
}
