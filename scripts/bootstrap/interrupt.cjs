"use strict";

/**
 * Undoing what is half done when a person presses Ctrl-C or a pipeline is cancelled. Node runs no
 * `finally` on a signal, so whoever holds something that outlives the process registers it here.
 */

/** @type {Set<() => void>} */
const cleanups = new Set();

/** @type {ReadonlyArray<readonly [NodeJS.Signals, number]>} */
const SIGNALS = [
  ["SIGHUP", 1],
  ["SIGINT", 2],
  ["SIGTERM", 15],
];

/**
 * @param {() => void} cleanup runs at once and must not wait: the process ends right after
 * @returns {() => void} takes the cleanup back
 */
function onInterrupt(cleanup) {
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}

/**
 * @returns {() => void} stops listening, so that the task itself can decide about signals
 */
function listenForInterrupts() {
  const listeners = SIGNALS.map(([signal, number]) => {
    const listener = () => {
      // The newest first: a child is stopped before the folder it writes to is removed.
      for (const cleanup of [...cleanups].reverse()) {
        try {
          cleanup();
        } catch {
          // The process is ending; the next cleanup matters more than this one's reason.
        }
      }
      process.exit(128 + number);
    };
    process.on(signal, listener);
    return /** @type {const} */ ([signal, listener]);
  });
  return () => {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}

module.exports = { onInterrupt, listenForInterrupts };
