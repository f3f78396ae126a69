"use strict";

const { spawnSync } = require("node:child_process");
const path = require("node:path");
const { findProgram } = require("../../scripts/bootstrap/programs.cjs");
const { versionIsIn } = require("../../scripts/bootstrap/version.cjs");
const { readManifest } = require("../../scripts/engines/cache.cjs");

/**
 * A program on PATH and what it calls itself: `1.15.0-dev` is built from its module, in which every
 * remote backend is stood in for.
 * @typedef {{ readonly folder: string, readonly version: string }} Installed
 */

/** Named by a run of the tests, since each of its files would ask the engines again. */
const VARIABLE = "ERPHOST_TEST_ENGINES";

/**
 * Every program of this name on PATH, in its order: the newest engine first, the oldest last.
 * @param {"terraform" | "tofu"} program @returns {readonly Installed[]}
 */
function installed(program) {
  const known = JSON.parse(process.env[VARIABLE] ?? "{}")[program];
  if (known !== undefined) return known;
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  return [...new Set(folders)].flatMap((folder) => {
    const file = findProgram(program, folder);
    if (file === undefined) return [];
    const env = { ...process.env, CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: "/dev/null" };
    const { stdout } = spawnSync(file, ["version"], { encoding: "utf8", env });
    const version = /v(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
    return version === undefined ? [] : [{ folder, version }];
  });
}

/**
 * @param {string} engine of the manifest, which is Terraform's newest or its oldest
 * @returns {Installed | undefined} the one on PATH that is as new, or as old
 */
function installedAs(engine) {
  const { gets, accepted = "" } = readManifest()[engine] ?? {};
  return installed("terraform").find(({ version }) => versionIsIn(version, gets ?? accepted));
}

/** Has every file of a run know what is on PATH. */
function noteInstalled() {
  const known = { terraform: installed("terraform"), tofu: installed("tofu") };
  process.env[VARIABLE] = JSON.stringify(known);
}

module.exports = { installed, installedAs, noteInstalled };
