"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const { constants } = require("node:os");
const path = require("node:path");
const { onInterrupt } = require("./interrupt.cjs");

/** Read at once: a moment later it may have ended. */
const PARENT = process.ppid;
/** How often to check whether the shell that npm started has ended. */
const ORPHAN_CHECK_MS = 250;

/** How much of a program's output is kept, unless the caller reads all of it. */
const OUTPUT_CHARS_MAX = 200_000;

/**
 * @typedef {object} Finished
 * @property {number | null} code the exit code; null after a signal, a timeout or a failed start
 * @property {string} output stdout and stderr in the order they came; only the end of long output
 * @property {string} stdout
 */

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} env
 * @property {number} timeoutMs after which the program is killed
 * @property {boolean} [group] in its own process group, so that signals reach everything it started
 * @property {number} [outputCharsMax]
 * @property {((text: string) => void) | undefined} [onOutput] called with each piece of output as it comes
 */

/**
 * @typedef {object} Running
 * @property {number | undefined} pid
 * @property {Promise<Finished>} finished never rejects
 * @property {() => string} output what came so far
 * @property {(signal: NodeJS.Signals) => void} signal
 */

/**
 * Finds an executable file as a shell would.
 * @param {string} program @param {string} searchPath folders, as in PATH
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
 * Starts a program and keeps what it writes; one that cannot be started ends with the code null.
 * @param {string} program @param {readonly string[]} args @param {RunOptions} options
 * @returns {Running}
 */
function startProgram(program, args, options) {
  const { cwd, env, timeoutMs, group = false } = options;
  const child = spawn(program, args, {
    cwd,
    env,
    detached: group,
    stdio: ["ignore", "pipe", "pipe"],
  });
  /** @param {NodeJS.Signals} name */
  const signal = (name) => sendSignal(child, name, group);
  const kept = keepOutput(child, options);
  const finished = new Promise((resolve) => {
    const forget = onInterrupt(() => signal("SIGTERM"));
    const timer = setTimeout(() => {
      kept.add(`\nstopped after ${timeoutMs / 1_000} s`);
      signal("SIGKILL");
    }, timeoutMs);
    /** @param {number | null} code */
    const finish = (code) => {
      clearTimeout(timer);
      forget();
      resolve({ code, output: kept.output(), stdout: kept.stdout() });
    };
    child.on("error", (error) => {
      kept.add(error.message);
      finish(null);
    });
    child.on("close", finish);
  });
  return { pid: child.pid, finished, output: kept.output, signal };
}

/**
 * Runs a program to its end; see startProgram.
 * @param {string} program @param {readonly string[]} args @param {RunOptions} options
 * @returns {Promise<Finished>}
 */
function runProgram(program, args, options) {
  return startProgram(program, args, options).finished;
}

function keepOutput(child, { outputCharsMax = OUTPUT_CHARS_MAX, onOutput }) {
  let output = "";
  let stdout = "";
  /** @param {string} text */
  const end = (text) => (text.length > outputCharsMax ? text.slice(-outputCharsMax) : text);
  /** @param {string} text */
  const add = (text) => {
    output = end(output + text);
    onOutput?.(text);
  };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout = end(stdout + text);
    add(text);
  });
  child.stderr.setEncoding("utf8").on("data", add);
  return { add, output: () => output, stdout: () => stdout };
}

function sendSignal(child, signal, group) {
  if (!group || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

/**
 * Becomes another program: it has this process's input, output and signals.
 * @param {string} program @param {readonly string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} its exit code; after a signal the one that shells report
 */
function becomeProgram(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: "inherit" });
    /** @type {NodeJS.Signals[]} */
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) {
      process.on(signal, () => {
        // A terminal sends Ctrl-C to the child as well; a second one would cut its cleanup short.
        if (signal !== "SIGINT" || process.stdin.isTTY !== true) child.kill(signal);
      });
    }
    const stopWatching = whenOrphaned(env, () => child.kill("SIGTERM"));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      stopWatching();
      resolve(code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)]);
    });
  });
}

/**
 * npm passes a signal to the shell that it runs a script in, and a shell such as dash ends without
 * passing it on. Anywhere else a program may outlive its parent on purpose.
 * @param {NodeJS.ProcessEnv} env @param {() => void} then @returns {() => void} stops looking
 */
function whenOrphaned(env, then) {
  if (!env.npm_lifecycle_script?.startsWith("node scripts/run.cjs")) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    then();
  }, ORPHAN_CHECK_MS);
  return () => clearInterval(timer);
}

/**
 * The part of a failure that a person reads first: its last lines.
 * @param {string} output @param {number} [linesMax]
 */
function lastLines(output, linesMax = 5) {
  const lines = output.split("\n").map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== "" && !line.startsWith("go: downloading "))
    .slice(-linesMax)
    .join("\n");
}

module.exports = { becomeProgram, findProgram, isExecutable, lastLines, runProgram, startProgram };
