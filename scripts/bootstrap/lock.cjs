"use strict";

const { randomUUID } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { readIfThere } = require("./files.cjs");
const { onInterrupt } = require("./interrupt.cjs");
const { say } = require("./progress.cjs");

/** How often a holder shows that it is alive. */
const BEAT_MS = 5_000;

/** A lock without a sign of life for this long has lost its holder, perhaps with its machine. */
const STALE_AFTER_MS = 60_000;

/** How often a waiting process checks again. */
const POLL_MS = 500;

/** Longer than anything that is done under a lock. */
const WAIT_MS_MAX = 60 * 60_000;

/**
 * Lets one process at a time do some work, among all processes that name the same file.
 * @template T @param {string} file exists while the lock is held
 * @param {string} what is being prepared, for the person who waits: `dependencies`
 * @param {() => Promise<T>} work @returns {Promise<T>}
 */
async function withLock(file, what, work) {
  const token = JSON.stringify({ pid: process.pid, host: os.hostname(), id: randomUUID() });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await acquire(file, token, what);
  const release = () => {
    if (readIfThere(file) === token) fs.rmSync(file, { force: true });
  };
  const forget = onInterrupt(release);
  const beat = setInterval(() => touch(file), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    forget();
    release();
  }
}

async function acquire(file, token, what) {
  const giveUpAtMs = Date.now() + WAIT_MS_MAX;
  let announced = false;
  while (!create(file, token)) {
    const holder = readIfThere(file);
    if (holder !== undefined && isStale(file, holder)) {
      takeAway(file, holder);
      continue;
    }
    if (Date.now() > giveUpAtMs) {
      throw new Error(
        `another process has been preparing ${what} for over an hour. ` +
          `If there is no such process, delete ${file} and run the command again.`,
      );
    }
    if (!announced) say(`waiting for another process that is preparing ${what} …`);
    announced = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * @param {string} file @param {string} token
 * @returns {boolean} false when another process holds the lock
 */
function create(file, token) {
  try {
    fs.writeFileSync(file, token, { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * A holder killed before it wrote its token leaves an empty file; then only its age decides.
 * @param {string} file @param {string} holder
 */
function isStale(file, holder) {
  const { pid, host } = parse(holder);
  if (host === os.hostname() && pid !== undefined && !isAlive(pid)) return true;
  const touchedAtMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touchedAtMs !== undefined && Date.now() - touchedAtMs > STALE_AFTER_MS;
}

/**
 * Two processes may find the same lock stale. Each moves the file away before it looks at what it
 * moved: one that got a newer lock that way puts it back.
 * @param {string} file @param {string} stale
 */
function takeAway(file, stale) {
  const aside = `${file}.stale.${randomUUID()}`;
  try {
    fs.renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (readIfThere(aside) !== stale) fs.linkSync(aside, file);
  } catch {
    // A third process holds the lock by now, so what was moved away no longer matters.
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

function touch(file) {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // Another process took a lock that looked abandoned; all work under a lock survives that.
  }
}

/** @param {string} token @returns {{ pid?: number, host?: string }} */
function parse(token) {
  try {
    return JSON.parse(token);
  } catch {
    return {};
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

module.exports = { withLock };
