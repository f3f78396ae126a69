/** A limited number of calls at a time, first come first served. */
import { cancelledError } from "../cancellation";
import type { Call, Send } from "./call";

/** Calls that may wait for a slot; more is a program that has lost count. */
const WAITING_MAX = 1_000_000;

/**
 * Holds a slot for the whole call, backoff included: what has started finishes first, and an
 * outage is met by as many calls as there are slots and no more.
 */
export function withSlots(next: Send, slotCount: number): Send {
  let taken = 0;
  const waiting = new Set<() => void>();
  // One for all: a new one steps over every place that was left since the set last shrank.
  const inOrder = waiting.values();

  const release = () => {
    taken -= 1;
    if (waiting.size === 0) return;
    const { value: next } = inOrder.next();
    if (!next) return;
    waiting.delete(next);
    taken += 1;
    next();
  };
  const run = async (call: Call) => {
    try {
      return await next(call);
    } finally {
      release();
    }
  };
  return (call) => {
    if (call.cancel.reason) return Promise.reject(cancelledError(call.cancel.reason, call));
    if (taken < slotCount) {
      taken += 1;
      return run(call);
    }
    if (waiting.size >= WAITING_MAX) {
      return Promise.reject(new RangeError(`more than ${WAITING_MAX} calls are waiting`));
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        undo();
        run(call).then(resolve, reject);
      };
      const undo = call.cancel.onCancel((reason) => {
        waiting.delete(start);
        reject(cancelledError(reason, call));
      });
      waiting.add(start);
    });
  };
}
