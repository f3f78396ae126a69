"use strict";

/**
 * What preparing says of itself. Everything goes to stderr: stdout belongs to the task, and
 * `npm run -s erphost -- …` must be usable in a pipe.
 */

/** How often a person at a terminal sees the seconds move. */
const TERMINAL_BEAT_MS = 1_000;

/** How often a log gets a line, so that a pipeline does not take a long build for a dead one. */
const LOG_BEAT_MS = 20_000;

/** @param {string} line */
function say(line) {
  process.stderr.write(`erphost: ${line}\n`);
}

/**
 * Runs one long step and tells when it begins, that it is alive, and how long it took.
 *
 * @template T
 * @param {string} label what is done, as a participle, with a remark in brackets that is said
 *   once: `building OpenTofu 1.12.6 (about 4 minutes)`
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
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
