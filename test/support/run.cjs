"use strict";

const { execFileSync } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } = require("node:fs");
const { freemem, tmpdir } = require("node:os");
const { join } = require("node:path");
const { noteInstalled } = require("../harness/versions.cjs");

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** Many times what both workers need at a time. */
const MEMORY_MIN_BYTES = 4 * 1024 ** 3;

/**
 * Names the run for all processes that jest starts for it: test/harness/terraform-workspace.ts.
 * Temporary files are in a folder of the run, because libraries and engines leave some thousand
 * behind, and in memory where there is enough: intents and states are synced at every step, and a
 * disk takes longer for that than the tests for all else.
 */
module.exports = () => {
  process.env.ERPHOST_TEST_RUN = randomUUID();
  noteInstalled();
  const { TMPDIR, ERPHOST_TEST_FOLDER } = process.env;
  // Every project of jest's calls this.
  if (TMPDIR !== undefined && TMPDIR === ERPHOST_TEST_FOLDER) return;
  const folder = (!TMPDIR && hasMemory() && folderIn(MEMORY)) || folderIn(tmpdir()) || tmpdir();
  for (const name of ["TMPDIR", "TEMP", "TMP", "ERPHOST_TEST_FOLDER"]) process.env[name] = folder;
};

/**
 * A folder that is removed when the run is over; undefined where no program could be run in it.
 * @param {string} parent
 */
function folderIn(parent) {
  const folder = mkdtempSync(join(parent, "erphost-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // As any folder for temporary files: some tests have another user work in a folder of theirs.
  chmodSync(folder, 0o1777);
  if (process.platform === "win32") return folder;
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    return undefined;
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
