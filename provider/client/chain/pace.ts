/** The gate of one key: nothing is sent before the quota has room, and a 429 closes it for all. */
import type { Budget } from "../quota/budget";
import type { Call, Send } from "./call";
import { noticeOf } from "../api";
import { ErpHostError } from "../errors";
import { waitTooLong } from "./fault";
import { cancelledError } from "../cancellation";
import { TIMER_MAX_MS, type CancelTimer, type Clock } from "../clock";
import { message } from "../../messages";
import { NOTICE_FROM_MS, notify } from "./observe";

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 60_000;
/** Added to a wait that the service asked for, so that many clients do not come back at once. */
const JITTER_MIN_MS = 20;
const JITTER_SHARE = 0.1;
const JITTER_MAX_MS = 1_000;
/** A wait is asked for in whole seconds, so that it may end after its window. */
const ROUNDING_MS = 5_000;

interface Parts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: Budget;
  /** Longest wait that the service may ask for, in milliseconds. */
  readonly waitMaxMs: number;
  /** Longest wait for a window of the quota, in milliseconds. */
  readonly windowMaxMs: number;
}

interface Waiting {
  readonly call: Call;
  readonly start: () => void;
  readonly fail: (error: ErpHostError) => void;
}

/** What became of a request: refused for all of this key, answered, or lost. */
export type Outcome = "answered" | "lost" | Refused;

/** A 429, and the call that was answered with it. */
interface Refused {
  readonly call: Call;
  readonly refusal: ErpHostError;
}

export class Gate {
  // What has started finishes first: attempts after the first wait in a queue of their own.
  private readonly again = new Set<Waiting>();
  private readonly fresh = new Set<Waiting>();
  private closedUntil = Number.NEGATIVE_INFINITY;
  private closedAt = Number.NEGATIVE_INFINITY;
  private refusals = 0;
  /** When the first of them came. */
  private refusedSince = 0;
  private refused: Refused | undefined;
  private jitterMs = 0;
  /** After a 429 one request goes ahead, to see whether the others may follow. */
  private probing = false;
  private stopTimer: CancelTimer | undefined;

  constructor(private readonly parts: Parts) {}

  /** Undefined: the request may be sent now. Else a wait; it rejects when the call ends first. */
  enter(call: Call): Promise<void> | undefined {
    const { clock, budget } = this.parts;
    const now = clock.monotonicMs();
    const wait = this.waitMs(now);
    const isNext = this.again.size === 0 && (this.fresh.size === 0 || call.attempt > 1);
    const vain = wait > 0 && this.inVain(call, wait, now);
    if (vain) return Promise.reject(vain);
    if (isNext && wait <= 0) {
      // Nobody waits any more for what was refused before.
      if (this.refusals > 0 && call.attempt === 1 && budget.inFlight() === 0) this.refusals = 0;
      budget.grant();
      return undefined;
    }
    return this.queued(call, wait, now);
  }

  /** A request that was let in is over. */
  left(sentAt: number, outcome: Outcome): void {
    if (typeof outcome === "object") {
      this.close(sentAt, outcome);
    } else if (outcome === "answered" && sentAt > this.closedAt) {
      this.refusals = 0;
      this.probing = false;
    }
    this.admit();
  }

  private queued(call: Call, wait: number, now: number): Promise<void> {
    const queue = call.attempt > 1 ? this.again : this.fresh;
    return new Promise((resolve, reject) => {
      const leave = () => {
        undo();
        queue.delete(waiting);
        // A timer for nobody would keep the process alive.
        if (this.again.size + this.fresh.size === 0) this.stopTimer?.();
      };
      const waiting: Waiting = {
        call,
        start: () => (leave(), resolve()),
        fail: (error) => (leave(), reject(error)),
      };
      const undo = call.cancel.onCancel((reason) => {
        waiting.fail(cancelledError(reason, call, { attempts: call.attempt }));
      });
      queue.add(waiting);
      this.report(call, wait, now);
      this.wake(wait);
    });
  }

  /** Why a call is not to wait so long; undefined: it may. */
  private inVain(call: Call, wait: number, now: number): ErpHostError | undefined {
    // The deadline comes second: a wait that is not begun is reported with its reason.
    return this.tooLong(call, wait, now) ?? this.tooLate(call, wait, now);
  }

  private tooLate(call: Call, wait: number, now: number): ErpHostError | undefined {
    const isRefused = now < this.closedUntil;
    // A first attempt may be later than that: the service does not know its key yet.
    if (!isRefused && call.attempt === 1) return undefined;
    if (wait === Number.POSITIVE_INFINITY || now + wait <= call.cancel.deadlineAt) return undefined;
    const why = isRefused
      ? message("pause_too_long", { seconds: Math.ceil(wait / 1000) })
      : message("retry_too_late", { waitMs: Math.round(wait) });
    const reason = { code: "deadline_exceeded", why } as const;
    return cancelledError(reason, call, { attempts: call.attempt });
  }

  private tooLong(call: Call, wait: number, now: number): ErpHostError | undefined {
    const { operation, objectId, attempt } = call;
    const about = { operation, objectId, attempts: attempt - 1 };
    const isRefused = now < this.closedUntil;
    // The jitter is ours; the service did not ask for it.
    let asked = isRefused ? wait - this.jitterMs : wait;
    let most = this.mostMs(now);
    if (isRefused && asked <= most) {
      // Short pauses that follow each other may be without end. A window that is waited for in
      // between counts as well, so that it is two of them.
      asked = this.closedUntil - this.jitterMs - this.refusedSince;
      most = 2 * this.parts.windowMaxMs;
    }
    if (asked === Number.POSITIVE_INFINITY || asked <= most) return undefined;
    if (isRefused && this.refused) {
      const { refusal } = this.refused;
      const repeated = call !== this.refused.call;
      const why = waitTooLong(refusal.why, asked, most);
      const as = repeated ? message("failed_as_before", { why }) : why;
      return refusal.with({ ...about, repeated, why: as });
    }
    const window = this.parts.budget.blocking(now);
    const said = message("quota_used_up", {
      requests: window?.requests,
      windowSeconds: window && window.windowMs / 1000,
    });
    const why = waitTooLong(said, asked, most);
    return new ErpHostError({ ...about, code: "rate_limit_exceeded", why });
  }

  /** A window that this client has used up itself is waited for, whoever says that it is full. */
  private mostMs(now: number): number {
    const { budget, waitMaxMs, windowMaxMs } = this.parts;
    if (now >= this.closedUntil) return windowMaxMs;
    const own = budget.ownWindowMs(now);
    return own === 0 ? waitMaxMs : Math.max(waitMaxMs, Math.min(windowMaxMs, own + ROUNDING_MS));
  }

  private close(sentAt: number, refused: Refused): void {
    const { clock, random } = this.parts;
    const now = clock.monotonicMs();
    if (this.refusals === 0) this.refusedSince = now;
    // Those that were under way when the gate closed say nothing new about how bad it is.
    if (sentAt > this.closedAt) this.refusals += 1;
    const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.refusals - 1));
    const wait = Math.max(refused.refusal.retryAfterMs ?? 0, backoff);
    const jitter =
      JITTER_MIN_MS + random() * Math.min(JITTER_MAX_MS, Math.max(50, wait * JITTER_SHARE));
    this.jitterMs = jitter;
    this.closedAt = now;
    this.closedUntil = Math.max(this.closedUntil, now + wait + jitter);
    this.probing = true;
    this.refused = refused;
  }

  private waitMs(now: number): number {
    const { budget } = this.parts;
    if (now < this.closedUntil) return this.closedUntil - now;
    if (this.probing && budget.inFlight() > 0) return Number.POSITIVE_INFINITY;
    return budget.waitMs(now);
  }

  private admit(): void {
    const { clock, budget } = this.parts;
    for (;;) {
      const [next] = this.again.size > 0 ? this.again : this.fresh;
      if (!next) return;
      const now = clock.monotonicMs();
      const wait = this.waitMs(now);
      // A queue may take longer than it seemed when the call joined it.
      const vain = this.inVain(next.call, wait, now);
      if (vain) {
        next.fail(vain);
        continue;
      }
      if (wait > 0) return this.wake(wait);
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
    const { budget } = this.parts;
    if (ms === Number.POSITIVE_INFINITY || ms < NOTICE_FROM_MS) return;
    const isRefused = now < this.closedUntil;
    const seconds = Math.ceil(ms / 1000);
    const window = budget.blocking(now);
    const data = isRefused
      ? message("pause_requested", { seconds })
      : message("quota_wait", {
          seconds,
          requests: window?.requests,
          windowSeconds: window && window.windowMs / 1000,
        });
    notify(call, noticeOf("rate-limit", data, ms));
  }
}

/** Sends through the gate; `exchange` reports to it what came back. */
export function withPace(next: Send, gate: Gate): Send {
  return async (call) => {
    const wait = gate.enter(call);
    if (wait) {
      // Another page of the same walk may have been; this one waits.
      if (call.attempt === 1) call.cancel.underWay = false;
      await wait;
    }
    return next(call);
  };
}
