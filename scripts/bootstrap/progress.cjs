"use strict";

/** Progress goes to stderr: stdout is the task's, and `npm run -s erphost -- …` works in a pipe. */

/** How often the seconds are updated on a terminal. */
const TERMINAL_BEAT_MS = 1_000;

/** How often a log gets a line, so that a long build does not look dead. */
const LOG_BEAT_MS = 20_000;

/** @param {string} line */
function say(line) {
  process.stderr.write(`erphost: ${line}\n`);
}

/**
 * Runs one long step and reports when it begins, that it is running, and how long it took.
 * @template T
 * @param {string} label what is done, as a participle, with a remark in brackets that is printed
 *   once: `building OpenTofu 1.12.6 (about 4 minutes)`
 * @param {() => Promise<T>} work @returns {Promise<T>}
 */
async function step(label, work) {
  const startedAtMs = Date.now();
  const short = label.replace(/ \(.*\)$/, "");
  const elapsed = () => `${Math.round((Date.now() - startedAtMs) / 1_000)} s`;
  const terminal = process.stderr.isTTY === true && process.env.CI === undefined;
  say(`${label} …`);
  const beat = setInterval(
    () => {
      if (terminal) process.stderr.write(`\rerphost: … ${elapsed()}`);
      else say(`… still ${short}, ${elapsed()}`);
    },
    terminal ? TERMINAL_BEAT_MS : LOG_BEAT_MS,
  );
  const clearLine = terminal ? "\r\u001b[K" : "";
  try {
    const result = await work();
    process.stderr.write(`${clearLine}erphost: done ${short}, ${elapsed()}\n`);
    return result;
  } catch (error) {
    process.stderr.write(`${clearLine}erphost: failed ${short}, after ${elapsed()}\n`);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

module.exports = { say, step };
