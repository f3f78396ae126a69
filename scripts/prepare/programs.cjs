"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { onInterrupt } = require("./interrupt.cjs");

/** How much of a program's output is kept for a message about its failure. */
const OUTPUT_CHARS_MAX = 200_000;

/**
 * @typedef {object} Finished
 * @property {number | null} code the exit code; null after a signal, a timeout or no start at all
 * @property {string} output stdout and stderr as they came, the end of it where it was long
 * @property {string} stdout
 */

/**
 * Finds an executable file as a shell would.
 *
 * @param {string} program
 * @param {string} searchPath folders, as in PATH
 * @returns {string | undefined} its full path
 */
function findProgram(program, searchPath) {
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ".bat", ""] : [""];
  for (const folder of searchPath.split(path.delimiter).filter(Boolean)) {
    for (const suffix of suffixes) {
      const file = path.resolve(folder, program + suffix);
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs a program to its end and keeps what it wrote. Never throws: a program that does not start
 * is a failure like any other, and the caller has a sentence for it.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<Finished>}
 */
function runProgram(program, args, { cwd, env, timeoutMs }) {
  return new Promise((resolve) => {
    let output = "";
    let stdout = "";
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const stop = () => child.kill("SIGTERM");
    const forget = onInterrupt(stop);
    const timer = setTimeout(() => {
      output += `\nstopped after ${timeoutMs / 1_000} s`;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout.on("data", (chunk) => {
      stdout = (stdout + chunk).slice(-OUTPUT_CHARS_MAX);
      output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
    });
    child.stderr.on("data", (chunk) => {
      output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
    });
    /** @param {number | null} code */
    const finish = (code) => {
      clearTimeout(timer);
      forget();
      resolve({ code, output, stdout });
    };
    child.on("error", (error) => {
      output += error.message;
      finish(null);
    });
    child.on("close", finish);
  });
}

/**
 * The part of a failure that a person reads first.
 *
 * @param {string} output
 * @param {number} [linesMax]
 */
function lastLines(output, linesMax = 5) {
  const lines = output.split("\n").map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== "" && !line.startsWith("go: downloading "))
    .slice(-linesMax)
    .join("\n");
}

module.exports = { findProgram, isExecutable, runProgram, lastLines };
