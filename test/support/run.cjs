"use strict";

const { execFileSync } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } = require("node:fs");
const { freemem } = require("node:os");
const { noteInstalled } = require("../harness/versions.cjs");

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** Many times what both workers need at a time. */
const MEMORY_MIN_BYTES = 4 * 1024 ** 3;

/**
 * Names the run for all processes that jest starts for it: test/harness/once.ts. Where there is
 * enough memory, temporary files are in it: intents and states are synced at every step, and a disk
 * takes longer for that than the tests for all else.
 */
module.exports = () => {
  process.env.ERPHOST_TEST_RUN = randomUUID();
  noteInstalled();
  if (!process.env.TMPDIR && hasMemory()) process.env.TMPDIR = inMemory();
};

/** A folder that is removed when the run is over; the disk's where no program could be run in it. */
function inMemory() {
  const folder = mkdtempSync(`${MEMORY}/erphost-`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // As any folder for temporary files: some tests have another user work in a folder of theirs.
  chmodSync(folder, 0o1777);
  const program = `${folder}/program`;
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    return "/tmp";
  }
}

function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}
