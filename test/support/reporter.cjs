"use strict";

const { findProgram } = require("../../scripts/bootstrap/programs.cjs");
const { findPostgres } = require("../harness/postgres.cjs");

/**
 * The only tests that may be skipped where skips are refused, and the program that is missing then,
 * or "root".
 *
 * @type {readonly { titles: string, without: string }[]}
 */
const ALLOWED = require("./allowed-skips.json");

/** @param {string} title of a test, with its groups */
function mayBeSkipped(title) {
  return ALLOWED.some(({ titles, without }) => new RegExp(titles).test(title) && !isThere(without));
}

/** @param {string} what a program, or "root" */
function isThere(what) {
  const searchPath = process.env.PATH ?? "";
  if (what === "root") return process.geteuid?.() === 0;
  if (what === "postgres") return findPostgres(searchPath) !== undefined;
  return findProgram(what, searchPath) !== undefined;
}

/**
 * The last word of a test run: which tests were skipped, by name, and one plain line that a
 * script or a person can read without knowing jest. Only that line goes to stdout.
 */
class SummaryReporter {
  /** @type {string[]} */
  #skipped = [];
  #ranCount = 0;

  /**
   * @param {unknown} _test
   * @param {import('@jest/test-result').TestResult} result
   */
  onTestResult(_test, result) {
    for (const { status, fullName } of result.testResults) {
      if (status === "passed" || status === "failed") this.#ranCount += 1;
      else this.#skipped.push(fullName);
    }
    if (result.skipped && result.testResults.length === 0) this.#skipped.push(result.testFilePath);
  }

  /**
   * jest asks for this before it decides about its exit code: a run without a test has proved
   * nothing and must not look like a success, and neither must one that skipped a test where
   * everything that a test may need is there.
   */
  getLastError() {
    if (this.#ranCount === 0) return new Error("no test ran");
    if (process.env.ERPHOST_SKIPS !== "refused") return undefined;
    const refused = this.#skipped.filter((title) => !mayBeSkipped(title));
    if (refused.length === 0) return undefined;
    return new Error(`skipped, and not in allowed-skips.json: ${refused.join(", ")}`);
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/test-result').AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    if (this.#skipped.length > 0) {
      process.stderr.write("\nSkipped:\n");
      for (const name of this.#skipped) process.stderr.write(`  ${name}\n`);
    }
    if (this.#ranCount === 0) process.stderr.write("\nNo test ran, which counts as a failure.\n");
    // A file that does not even load has no tests to count and is a failure all the same.
    const failedCount = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skippedCount = results.numPendingTests + results.numTodoTests;
    const skipped = skippedCount > 0 ? `, ${skippedCount} skipped` : "";
    const line = `${results.numPassedTests} passed, ${failedCount} failed${skipped}\n`;
    // jest writes its own summary after every reporter; this line must be the last.
    process.once("exit", () => process.stdout.write(line));
  }
}

module.exports = SummaryReporter;
