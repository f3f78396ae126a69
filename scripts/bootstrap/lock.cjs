"use strict";

const { randomUUID } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { onInterrupt } = require("./interrupt.cjs");
const { say } = require("./progress.cjs");

/** A holder shows that it lives this often. */
const BEAT_MS = 5_000;

/** A lock without a sign of life for this long has lost its holder (its machine may be gone). */
const STALE_AFTER_MS = 60_000;

/** How often a waiting process looks again. */
const POLL_MS = 500;

/** Longer than everything that is ever done under a lock. */
const WAIT_MS_MAX = 60 * 60_000;

/**
 * Lets one process at a time do some work, over every process that names the same file.
 *
 * @template T
 * @param {string} file is there while the lock is held
 * @param {string} what for the person who waits: `dependencies`
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(file, what, work) {
  const token = JSON.stringify({ pid: process.pid, host: os.hostname(), id: randomUUID() });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await acquire(file, token, what);
  const release = () => {
    if (read(file) === token) fs.rmSync(file, { force: true });
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

/**
 * @param {string} file
 * @param {string} token
 * @param {string} what
 */
async function acquire(file, token, what) {
  const giveUpAtMs = Date.now() + WAIT_MS_MAX;
  let told = false;
  while (!create(file, token)) {
    const holder = read(file);
    if (holder !== undefined && isStale(file, holder)) {
      takeAway(file, holder);
      continue;
    }
    if (Date.now() > giveUpAtMs) {
      throw new Error(
        `another process has been preparing ${what} for over an hour. ` +
          `If none is, delete ${file} and run the command again.`,
      );
    }
    if (!told) say(`waiting for another process that is preparing ${what} …`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * @param {string} file
 * @param {string} token
 * @returns {boolean} false when somebody else holds the lock
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
 * A holder that was killed between making the file and writing its token left it empty: then only
 * the age tells.
 *
 * @param {string} file
 * @param {string} holder
 */
function isStale(file, holder) {
  const { pid, host } = parse(holder);
  if (host === os.hostname() && pid !== undefined && !isAlive(pid)) return true;
  const touchedAtMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touchedAtMs !== undefined && Date.now() - touchedAtMs > STALE_AFTER_MS;
}

/**
 * Two processes may find the same lock stale. Each moves it away before it judges what it moved:
 * whoever got a newer lock by that puts it back.
 *
 * @param {string} file
 * @param {string} stale
 */
function takeAway(file, stale) {
  const aside = `${file}.stale.${randomUUID()}`;
  try {
    fs.renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (read(aside) !== stale) fs.linkSync(aside, file);
  } catch {
    // A third process holds the lock by now; what was moved away is then nobody's.
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** @param {string} file */
function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function touch(file) {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // Somebody took a lock that looked abandoned; all work under a lock survives that.
  }
}

/**
 * @param {string} token
 * @returns {{ pid?: number, host?: string }}
 */
function parse(token) {
  try {
    return JSON.parse(token);
  } catch {
    return {};
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

module.exports = { withLock };
