"use strict";

const { readdirSync } = require("node:fs");
const path = require("node:path");
const { findProgram } = require("../../scripts/bootstrap/programs.cjs");

/** Where Debian and its relatives install each version of PostgreSQL, which they leave off PATH. */
const VERSIONS = "/usr/lib/postgresql";

/** Links to some of them may be elsewhere on PATH. */
const PROGRAMS = ["initdb", "postgres", "pg_isready", "createdb", "pg_dump"];

/**
 * @param {string} searchPath folders, as in PATH
 * @returns {string | undefined} a folder with all that tests need; of several versions the newest
 */
function findPostgres(searchPath) {
  const installed = versions().map((version) => path.join(VERSIONS, version, "bin"));
  const folders = [...searchPath.split(path.delimiter).filter(Boolean), ...installed];
  return folders.find((folder) => PROGRAMS.every((name) => findProgram(name, folder)));
}

/** @returns {string[]} the newest first */
function versions() {
  try {
    return readdirSync(VERSIONS).sort((left, right) => Number(right) - Number(left));
  } catch {
    return [];
  }
}

module.exports = { findPostgres };
