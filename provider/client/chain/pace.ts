/** The gate of one key: nothing is sent before the quota has room, and a 429 closes it for all. */
import type { Budget } from "../quota/budget";
import type { Call, Send } from "./call";
import { noticeOf } from "../api";
import { cancelledError } from "../cancellation";
import { TIMER_MAX_MS, type CancelTimer, type Clock } from "../clock";
import { message } from "../../messages";
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

/** What became of a request: refused with the wait that was asked for, answered, or lost. */
export type Outcome = "answered" | "lost" | { readonly refusedForMs: number | undefined };

export class Gate {
  // What has started finishes first: attempts after the first wait in a queue of their own.
  private readonly again: Waiting[] = [];
  private readonly fresh: Waiting[] = [];
  private closedUntil = Number.NEGATIVE_INFINITY;
  private closedAt = Number.NEGATIVE_INFINITY;
  private refusals = 0;
  /** After a 429 one request goes ahead, to see whether the others may follow. */
  private probing = false;
  private stopTimer: CancelTimer | undefined;

  constructor(private readonly parts: Parts) {}

  /** Undefined: the request may be sent now. Else a wait; it rejects when the call ends first. */
  enter(call: Call): Promise<void> | undefined {
    const { clock, budget } = this.parts;
    const now = clock.monotonicMs();
    const wait = this.waitMs(now);
    const isNext = this.again.length === 0 && (this.fresh.length === 0 || call.attempt > 1);
    if (isNext && wait <= 0) {
      budget.grant();
      return undefined;
    }
    if (now < this.closedUntil && this.closedUntil > call.cancel.deadlineAt) {
      const why = message("pause_too_long", { seconds: Math.ceil(wait / 1000) });
      const reason = { code: "deadline_exceeded", why } as const;
      return Promise.reject(cancelledError(reason, call, { attempts: call.attempt }));
    }
    return this.queued(call, wait, now);
  }

  /** A request that was let in is over. */
  left(sentAt: number, outcome: Outcome): void {
    if (typeof outcome === "object") {
      this.close(sentAt, outcome.refusedForMs);
    } else if (outcome === "answered" && sentAt > this.closedAt) {
      this.refusals = 0;
      this.probing = false;
    }
    if (this.again.length > 0 || this.fresh.length > 0) this.admit();
  }

  private queued(call: Call, wait: number, now: number): Promise<void> {
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
      (call.attempt > 1 ? this.again : this.fresh).push(waiting);
      this.report(call, wait, now);
      this.wake(wait);
    });
  }

  private close(sentAt: number, refusedForMs = 0): void {
    const { clock, random } = this.parts;
    const now = clock.monotonicMs();
    // Those that were under way when the gate closed say nothing new about how bad it is.
    if (sentAt > this.closedAt) this.refusals += 1;
    const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.refusals - 1));
    const wait = Math.max(refusedForMs, backoff);
    const jitter =
      JITTER_MIN_MS + random() * Math.min(JITTER_MAX_MS, Math.max(50, wait * JITTER_SHARE));
    this.closedAt = now;
    this.closedUntil = Math.max(this.closedUntil, now + wait + jitter);
    this.probing = true;
  }

  private waitMs(now: number): number {
    const { budget } = this.parts;
    if (now < this.closedUntil) return this.closedUntil - now;
    if (this.probing && budget.inFlight() > 0) return Number.POSITIVE_INFINITY;
    return budget.waitMs(now);
  }

  /** Lets in those who may be sent. */
  private admit(): void {
    const { clock, budget } = this.parts;
    for (;;) {
      while (this.again[0]?.over) this.again.shift();
      while (this.fresh[0]?.over) this.fresh.shift();
      const queue = this.again.length > 0 ? this.again : this.fresh;
      const next = queue[0];
      if (!next) return;
      const wait = this.waitMs(clock.monotonicMs());
      if (wait > 0) {
        this.wake(wait);
        return;
      }
      queue.shift();
      budget.grant();
      next.start();
    }
  }

  private wake(ms: number): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
    if (ms === Number.POSITIVE_INFINITY) return;
    this.stopTimer = this.parts.clock.after(Math.min(TIMER_MAX_MS, Math.ceil(ms)), () => {
      this.stopTimer = undefined;
      this.admit();
    });
  }

  private report(call: Call, ms: number, now: number): void {
    const { budget, observer } = this.parts;
    if (ms === Number.POSITIVE_INFINITY) return;
    const isRefused = now < this.closedUntil;
    if (this.again.length + this.fresh.length === 1) {
      observer.wait({ reason: isRefused ? "429" : "quota", waitMs: ms });
    }
    if (ms < NOTICE_FROM_MS) return;
    const seconds = Math.ceil(ms / 1000);
    const window = budget.blocking(now);
    const data = isRefused
      ? message("pause_requested", { seconds })
      : message("quota_wait", {
          seconds,
          requests: window?.requests,
          windowSeconds: window && window.windowMs / 1000,
        });
    call.onNotice?.(noticeOf("rate-limit", data, ms));
  }
}

/** Sends through the gate; `exchange` reports to it what came back. */
export function withPace(next: Send, gate: Gate): Send {
  return async (call) => {
    const wait = gate.enter(call);
    if (wait) await wait;
    return next(call);
  };
}
