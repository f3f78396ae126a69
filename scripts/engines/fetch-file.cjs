"use strict";

/**
 * `node fetch-file.cjs ADDRESS FILE BYTES_MAX`: one download, in a separate process, so that it
 * runs on a Node.js that reads the proxy variables (NODE_USE_ENV_PROXY), and can be stopped.
 * `node fetch-file.cjs --ask ADDRESS` only asks whether the host answers, whatever it answers.
 */

const { createWriteStream } = require("node:fs");
const { Readable, Transform } = require("node:stream");
const { pipeline } = require("node:stream/promises");

/** After this long without a byte the connection counts as lost. */
const STALL_MS_MAX = 60_000;

/** A host that has not answered by then counts as out of reach. */
const ANSWER_MS_MAX = 3_000;

async function fetchFile(address, file, bytesMax) {
  const stalled = new AbortController();
  const giveUp = () => stalled.abort(new Error(`no data for ${STALL_MS_MAX / 1_000} s`));
  const timer = setTimeout(giveUp, STALL_MS_MAX);
  try {
    const response = await fetch(address, { signal: stalled.signal });
    if (!response.url.startsWith("https:")) throw new Error(`${response.url} is not https`);
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    let bytes = 0;
    const watch = new Transform({
      transform(chunk, _encoding, done) {
        timer.refresh();
        bytes += chunk.length;
        done(bytes > bytesMax ? new Error(`longer than ${bytesMax} bytes`) : null, chunk);
      },
    });
    const body = Readable.fromWeb(/** @type {any} */ (response.body));
    await pipeline(body, watch, createWriteStream(file, { flags: "wx" }));
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch failed` says nothing; its cause says what did, and where. @param {unknown} error */
function reasonOf(error) {
  const reasons = [];
  for (let at = error; at instanceof Error && reasons.length < 5; at = at.cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (at);
    reasons.push(at.message || code || at.name);
  }
  return reasons.join(": ") || String(error);
}

async function ask(address) {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  await fetch(address, { method: "HEAD", redirect: "manual", signal });
}

function main([first = "", second = "", bytesMax = "0"]) {
  return first === "--ask" ? ask(second) : fetchFile(first, second, Number(bytesMax));
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  // At once: a look-up of a name that nobody answers would keep the process for a minute.
  process.exit(1);
});
