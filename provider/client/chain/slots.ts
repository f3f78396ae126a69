/** A limited number of calls at a time, first come first served. */
import { cancelledError } from "../cancellation";
import type { Call, Send } from "./call";

interface Waiting {
  readonly start: () => void;
  over: boolean;
}

/** Calls that may wait for a slot; more is a program that has lost count. */
const WAITING_MAX = 1_000_000;

/**
 * Holds a slot for the whole call, backoff included: what has started finishes first, and an
 * outage is met by as many calls as there are slots and no more.
 */
export function withSlots(next: Send, slotCount: number): Send {
  let taken = 0;
  const queue: Waiting[] = [];
  let head = 0;

  const release = () => {
    taken -= 1;
    while (head < queue.length) {
      const first = queue[head++];
      if (head > 1024 && head * 2 > queue.length) {
        queue.splice(0, head);
        head = 0;
      }
      if (first && !first.over) {
        taken += 1;
        first.start();
        return;
      }
    }
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
    if (queue.length - head >= WAITING_MAX) {
      return Promise.reject(new RangeError(`more than ${WAITING_MAX} calls are waiting`));
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        over: false,
        start: () => {
          undo();
          run(call).then(resolve, reject);
        },
      };
      const undo = call.cancel.onCancel((reason) => {
        waiting.over = true;
        reject(cancelledError(reason, call));
      });
      queue.push(waiting);
    });
  };
}
