/** One call's end before its time: the caller's signal, a deadline, or the client's end. */
import { TIMER_MAX_MS, type CancelTimer, type Clock } from "./clock";
import { message, type Message } from "../messages";
import { ErpHostError, type ClientErrorCode, type ErrorFacts } from "./errors";

/** Why a call ends early; the operation is added by whoever throws. */
export interface CancelReason {
  readonly code: Extract<ClientErrorCode, "aborted" | "deadline_exceeded" | "closed">;
  readonly why: Message;
  readonly cause?: unknown;
}

export const CLOSED: CancelReason = { code: "closed", why: message("client_closed", {}) };
/** Nobody waits for it any more. */
export const ABANDONED: CancelReason = { code: "aborted", why: message("walk_abandoned", {}) };

type Listener = (reason: CancelReason) => void;

/** A class, because there is one for each call and its methods are made once. */
export class Cancellation {
  /** Set once it is over. */
  reason: CancelReason | undefined;
  private listeners: Set<Listener> | undefined;
  private undo: CancelTimer[] | undefined;
  private begun = false;
  private stopped: CancelReason | undefined;

  /** @param deadlineAt monotonic milliseconds; Infinity where there is none */
  constructor(readonly deadlineAt: number) {}

  /** Calls back when it is over; returns how to take that back. */
  onCancel(listener: Listener): CancelTimer {
    (this.listeners ??= new Set()).add(listener);
    return () => this.listeners?.delete(listener);
  }

  /** Something may have been done: a call that is asked to stop is then finished first. */
  get underWay(): boolean {
    return this.begun;
  }

  set underWay(begun: boolean) {
    this.begun = begun;
    if (!begun && this.stopped) this.cancel(this.stopped);
  }

  /** Ends it as soon as nothing of it is under way. */
  stop(reason: CancelReason): void {
    this.stopped = reason;
    if (!this.begun) this.cancel(reason);
  }

  cancel(reason: CancelReason): void {
    if (this.reason) return;
    this.reason = reason;
    const listeners = this.listeners;
    this.listeners = undefined;
    for (const listener of listeners ?? []) listener(reason);
  }

  onDispose(undo: CancelTimer): void {
    (this.undo ??= []).push(undo);
  }

  /** Releases signals and timers. */
  dispose(): void {
    this.listeners = undefined;
    for (const each of this.undo ?? []) each();
    this.undo = undefined;
  }
}

export const manualCancellation = (): Cancellation => new Cancellation(Number.POSITIVE_INFINITY);

/**
 * A call's cancellation from its signals and its time in milliseconds. `deadlineMs` is the end of
 * every call; it is only looked at when waiting, so that the usual call needs no timer.
 */
export function cancellationOf(
  clock: Clock,
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs: number | undefined,
  { deadlineMs, stop }: { deadlineMs: number; stop?: AbortSignal | undefined },
): Cancellation {
  const ending = new Cancellation(
    clock.monotonicMs() + Math.min(timeoutMs ?? deadlineMs, deadlineMs),
  );
  const on = (signal: AbortSignal, abort: () => void) => {
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    ending.onDispose(() => signal.removeEventListener("abort", abort));
  };
  for (const signal of signals) {
    if (!signal) continue;
    on(signal, () =>
      ending.cancel({ code: "aborted", why: message("call_aborted", {}), cause: signal.reason }),
    );
  }
  if (stop) {
    on(stop, () =>
      ending.stop({ code: "aborted", why: message("run_interrupted", {}), cause: stop.reason }),
    );
  }
  if (timeoutMs !== undefined && timeoutMs < TIMER_MAX_MS) {
    const why = message("time_is_up", { timeoutMs });
    const expire = () => ending.cancel({ code: "deadline_exceeded", why });
    ending.onDispose(clock.after(timeoutMs, expire));
  }
  return ending;
}

type Of = Pick<ErrorFacts, "operation" | "objectId">;

export const cancelledError = (
  reason: CancelReason,
  call: Of,
  more: { ambiguous?: boolean; attempts?: number; cause?: unknown } = {},
): ErpHostError =>
  new ErpHostError({
    code: reason.code,
    operation: call.operation,
    objectId: call.objectId,
    why: reason.why,
    retryable: reason.code === "deadline_exceeded",
    cause: more.cause ?? reason.cause,
    ...more,
  });

/** Waits for a promise, but no longer than the cancellation allows. */
export function unlessCancelled<T>(
  promise: Promise<T>,
  cancel: Cancellation,
  call: Of,
): Promise<T> {
  if (cancel.reason) return Promise.reject(cancelledError(cancel.reason, call));
  return new Promise((resolve, reject) => {
    const undo = cancel.onCancel((reason) => reject(cancelledError(reason, call)));
    promise.then(resolve, reject).finally(undo);
  });
}

/** Sleeps; rejects when the cancellation comes first. */
export function sleep(clock: Clock, ms: number, cancel: Cancellation, of: Of): Promise<void> {
  let stop: CancelTimer = () => undefined;
  const over = new Promise<void>((resolve) => {
    stop = clock.after(Math.min(ms, TIMER_MAX_MS), resolve);
  });
  return unlessCancelled(over, cancel, of).finally(stop);
}

/** Sleeps without a call around it; rejects when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const cancel = cancellationOf(clock, [signal], undefined, { deadlineMs: Number.MAX_VALUE });
  return sleep(clock, ms, cancel, { operation: "waiting" }).finally(() => cancel.dispose());
}
