"use strict";

const { constants } = require("node:os");

/** Node.js runs no `finally` on a signal: what outlives the process registers its cleanup here. */

/** @type {Set<() => void>} */
const cleanups = new Set();

/** @type {NodeJS.Signals[]} */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"];

/**
 * @param {() => void} cleanup must not wait: the process exits right after it
 * @returns {() => void} unregisters the cleanup
 */
function onInterrupt(cleanup) {
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}

/** @returns {() => void} stops listening, so that the task itself can handle signals */
function listenForInterrupts() {
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      // Newest first: a child is stopped before the folder that it writes to is removed.
      for (const cleanup of [...cleanups].reverse()) {
        try {
          cleanup();
        } catch {
          // The process is exiting; the next cleanup matters more than why this one failed.
        }
      }
      process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, listener);
    return /** @type {const} */ ([signal, listener]);
  });
  return () => {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}

module.exports = { onInterrupt, listenForInterrupts };
