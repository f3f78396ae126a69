/** Waiting, on the clock that the entry point passed in. */
import type { Clock } from "../client/clock";

/** Ends early, with the signal's reason, when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason instanceof Error ? signal.reason : new Error("the wait was given up"));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
