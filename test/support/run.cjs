"use strict";

const { randomUUID } = require("node:crypto");
const { chmodSync, mkdtempSync, rmSync, statfsSync } = require("node:fs");
const { freemem } = require("node:os");

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** As much as both workers need at a time, and then some. */
const MEMORY_MIN_BYTES = 4 * 1024 ** 3;

/**
 * Names the run for all processes that jest starts for it: test/harness/once.ts. Where there is memory
 * enough, temporary files are in it: intents and states are synced at every step, and a disk takes
 * longer for that than the tests for all else.
 */
module.exports = () => {
  process.env.ERPHOST_TEST_RUN = randomUUID();
  if (process.env.TMPDIR || !hasMemory()) return;
  const folder = mkdtempSync(`${MEMORY}/erphost-`);
  // Some tests have another user work in a folder of theirs, as in any folder for temporary files.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
};

function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}
