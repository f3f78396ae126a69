/** Sends due messages, at least once, with growing waits by the emulator's clock. */
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
/** A wait is longer by up to this share, so that many messages do not return at once. */
const JITTER = 0.1;
/** Real milliseconds that an endpoint has to answer. */
const ANSWER_MS_MAX = 10_000;
const CONCURRENT_MAX = 8;

interface Attempt {
  readonly status: number | null;
  readonly problem: string | null;
}

/** Sends one message; the reader's clock is real, so the signed timestamp is as well. */
export type Send = (target: Target, delivery: Delivery, signal: AbortSignal) => Promise<Attempt>;

export const sendWithFetch =
  (real: RealTime): Send =>
  async ({ url, secret }, { id, body }, signal) => {
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
          "webhook-signature": signature(secret, id, timestampS, body),
        },
      });
      await response.body?.cancel();
      return { status: response.status, problem: null };
    } catch (error) {
      return { status: null, problem: problemOf(error) };
    }
  };

// `fetch` hides the reason, such as ECONNREFUSED, in the cause.
function problemOf(error: unknown): string {
  const cause = isRecord(error) ? error["cause"] : undefined;
  if (isRecord(cause) && typeof cause["code"] === "string") return cause["code"];
  return isRecord(error) && error["name"] === "TimeoutError" ? "timeout" : "failed";
}

export interface Sender extends Job {
  stop(): void;
}

interface Parts {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly send: Send;
  /** Sets the scheduler's timer anew. */
  readonly plan: () => void;
}

export function createSender({ outbox, clock, random, send, plan }: Parts): Sender {
  const sending = new Map<number, AbortController>();
  let stopped = false;

  const settled = (delivery: Delivery, { status, problem }: Attempt) => {
    const attempts = delivery.attempts + 1;
    const last = { attempts, last_status: status, last_problem: problem };
    if (status !== null && status >= 200 && status < 300) {
      outbox.settle(delivery.seq, { ...last, state: "delivered", due_ms: delivery.due_ms });
      return;
    }
    const wait = RETRY_WAITS_MS[attempts];
    const state = wait === undefined ? "failed" : "pending";
    const due_ms = clock.nowMs() + Math.round((wait ?? 0) * (1 + JITTER * random()));
    outbox.settle(delivery.seq, { ...last, state, due_ms });
    if (status === 410) outbox.disable(delivery.endpoint_id);
  };

  const start = async (delivery: Delivery) => {
    const target = outbox.target(delivery.endpoint_id);
    const abort = new AbortController();
    sending.set(delivery.seq, abort);
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
    const attempt = target
      ? await send(target, delivery, signal)
      : { status: 410, problem: "the endpoint is gone" };
    sending.delete(delivery.seq);
    // After the end the database is closed; the message is sent again at the next start.
    if (stopped) return;
    settled(delivery, attempt);
    run(clock.nowMs());
    plan();
  };

  const run = (nowMs: number) => {
    const free = CONCURRENT_MAX - sending.size;
    if (stopped || free <= 0) return;
    const due = outbox
      .due(nowMs, CONCURRENT_MAX + sending.size)
      .filter(({ seq }) => !sending.has(seq));
    for (const delivery of due.slice(0, free)) void start(delivery);
  };

  return {
    run,
    nextDueMs: () => {
      // At the limit, the end of one that is under way looks for what is due next.
      if (sending.size >= CONCURRENT_MAX || !outbox.waiting()) return undefined;
      const first = outbox.due(Number.MAX_SAFE_INTEGER, sending.size + 1);
      return first.find(({ seq }) => !sending.has(seq))?.due_ms;
    },
    stop: () => {
      stopped = true;
      for (const abort of sending.values()) abort.abort();
    },
  };
}
