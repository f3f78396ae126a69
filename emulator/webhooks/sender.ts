/** Sends due messages at least once, with growing waits by the emulator's clock. */
import { isRecord } from "../../provider/contract";
import type { Random } from "../random";
import type { Clock, RealTime } from "../time/clock";
import type { Job } from "../time/scheduler";
import type { Delivery, Outbox, Target } from "./outbox";
import { signature } from "./sign";

/** Waits before each attempt: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
const RETRY_WAITS_MS: readonly number[] = [
  0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
];
/** A wait is longer by up to this share, so that many messages are not retried all at once. */
const JITTER = 0.1;
/** Real milliseconds within which an endpoint must answer. */
const ANSWER_MS_MAX = 10_000;
const CONCURRENT_MAX = 8;
/** The longest wait that an endpoint can ask for with `Retry-After`. */
const RETRY_AFTER_MS_MAX = 86_400_000;

interface Attempt {
  readonly status: number | null;
  readonly problem: string | null;
  /** Milliseconds that the endpoint asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Sends one message. The signed timestamp is real time, because the receiver's clock is real. */
export type Send = (target: Target, delivery: Delivery, signal: AbortSignal) => Promise<Attempt>;

export const sendWithFetch =
  (real: RealTime): Send =>
  async ({ url, secrets }, { id, body }, signal) => {
    const timestampS = Math.floor(real.wallMs() / 1_000);
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        body,
        signal,
        headers: {
          "Content-Type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(timestampS),
          "webhook-signature": secrets
            .map((secret) => signature(secret, id, timestampS, body))
            .join(" "),
        },
      });
      await response.body?.cancel();
      const retryAfterMs = retryAfterOf(response.headers.get("retry-after"), real.wallMs());
      return { status: response.status, problem: null, retryAfterMs };
    } catch (error) {
      return { status: null, problem: problemOf(error) };
    }
  };

/** `Retry-After` is a number of seconds or a date by the endpoint's clock. */
function retryAfterOf(header: string | null, wallMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - wallMs;
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MS_MAX) : undefined;
}

// `fetch` has the reason, such as ECONNREFUSED, in the cause.
function problemOf(error: unknown): string {
  const cause = isRecord(error) ? error["cause"] : undefined;
  if (isRecord(cause) && typeof cause["code"] === "string") return cause["code"];
  return isRecord(error) && error["name"] === "TimeoutError" ? "timeout" : "failed";
}

interface Parts {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly send: Send;
  /** Sets the timer of the scheduler again. */
  readonly plan: () => void;
  /** Reports what went wrong besides the delivery itself, and tries again later. */
  readonly failed: (error: unknown) => void;
}

/** Sends up to eight messages at a time and retries those that fail. */
export class Sender implements Job {
  private readonly sending = new Map<number, AbortController>();
  private stopped = false;

  constructor(private readonly parts: Parts) {}

  run(nowMs: number): void {
    const free = CONCURRENT_MAX - this.sending.size;
    if (this.stopped || free <= 0) return;
    const due = this.parts.outbox
      .due(nowMs, CONCURRENT_MAX + this.sending.size)
      .filter(({ seq }) => !this.sending.has(seq));
    for (const delivery of due.slice(0, free)) {
      this.attempt(delivery).catch((error: unknown) => this.parts.failed(error));
    }
  }

  nextDueMs(): number | undefined {
    const { outbox } = this.parts;
    // At the limit, whichever message ends first looks for what is due next.
    if (this.sending.size >= CONCURRENT_MAX) return undefined;
    const first = outbox.due(Number.MAX_SAFE_INTEGER, this.sending.size + 1);
    return first.find(({ seq }) => !this.sending.has(seq))?.due_ms;
  }

  /** Cancels what is being sent; it is sent again at the next start. */
  stop(): void {
    this.stopped = true;
    this.forget();
  }

  /** Cancels what is being sent: other messages may have its numbers next. */
  forget(): void {
    for (const abort of this.sending.values()) abort.abort();
    this.sending.clear();
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const { outbox, clock, send, plan } = this.parts;
    const target = outbox.target(delivery.endpoint_id, clock.nowMs());
    const abort = new AbortController();
    this.sending.set(delivery.seq, abort);
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
    const attempt = target
      ? await send(target, delivery, signal)
      : { status: 410, problem: "the endpoint no longer exists" };
    // It was forgotten, or the database is closed by now.
    if (this.sending.get(delivery.seq) !== abort) return;
    this.sending.delete(delivery.seq);
    this.record(delivery, attempt);
    this.run(clock.nowMs());
    plan();
  }

  private record(delivery: Delivery, { status, problem, retryAfterMs = 0 }: Attempt): void {
    const { outbox, clock, random } = this.parts;
    const attempts = delivery.attempts + 1;
    const last = { attempts, last_status: status, last_problem: problem };
    if (status !== null && status >= 200 && status < 300) {
      const { due_ms } = delivery;
      return outbox.recordAttempt(delivery.seq, { ...last, state: "delivered", due_ms });
    }
    const waitMs = RETRY_WAITS_MS[attempts];
    const state = waitMs === undefined ? "failed" : "pending";
    const ownWaitMs = Math.round((waitMs ?? 0) * (1 + JITTER * random()));
    const due_ms = clock.nowMs() + Math.max(ownWaitMs, retryAfterMs);
    outbox.recordAttempt(delivery.seq, { ...last, state, due_ms });
    if (status === 410) outbox.disable(delivery.endpoint_id);
  }
}
