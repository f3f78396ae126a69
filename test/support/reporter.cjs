"use strict";

const { writeFileSync } = require("node:fs");
const path = require("node:path");
const { findProgram } = require("../../scripts/bootstrap/programs.cjs");
const { findPostgres } = require("../harness/postgres.cjs");
const { installedAs } = require("../harness/versions.cjs");

/**
 * The only tests that may be skipped where skips are refused, and the program that is missing then,
 * or "root".
 * @type {readonly { titles: string, without: string }[]}
 */
const ALLOWED = require("./allowed-skips.json");

/**
 * @param {string} title of a test, with its groups
 * @returns {string | undefined} what is missing, so that it may be skipped
 */
function missingFor(title) {
  return ALLOWED.find(({ titles, without }) => new RegExp(titles).test(title) && !isThere(without))
    ?.without;
}

/** @param {string} what a program, an engine that is the newest or the oldest, or "root" */
function isThere(what) {
  const searchPath = process.env.PATH ?? "";
  if (what === "root") return process.geteuid?.() === 0;
  // A browser of the system has nothing with it that drives it.
  if (what === "chromium") return findProgram("erphost-chromium", searchPath) !== undefined;
  if (what === "postgres") return findPostgres(searchPath) !== undefined;
  if (what.startsWith("terraform")) return installedAs(what) !== undefined;
  return findProgram(what, searchPath) !== undefined;
}

/**
 * The last word of a test run: which tests were skipped, by name, and one plain line that a
 * script or a person can read without knowing jest. Only that line goes to stdout.
 */
class SummaryReporter {
  #ranCount = 0;

  /**
   * By file, which may be in several projects.
   * @type {Map<string, { passed: number, skipped: string[] }>}
   */
  #files = new Map();

  /** @param {unknown} _test @param {import('@jest/test-result').TestResult} result */
  onTestResult(_test, result) {
    const file = this.#files.get(result.testFilePath) ?? { passed: 0, skipped: [] };
    this.#files.set(result.testFilePath, file);
    for (const { status, fullName } of result.testResults) {
      if (status === "passed" || status === "failed") this.#ranCount += 1;
      if (status === "passed") file.passed += 1;
      else if (status !== "failed") file.skipped.push(fullName);
    }
    if (result.skipped && result.testResults.length === 0) file.skipped.push(result.testFilePath);
  }

  get #skipped() {
    return [...this.#files.values()].flatMap(({ skipped }) => skipped);
  }

  /**
   * jest asks for this before it decides about its exit code: a run without a test has proved
   * nothing and must not look like a success, and neither must one that skipped a test where
   * everything that a test may need is there.
   */
  getLastError() {
    if (this.#ranCount === 0) return new Error("no test ran");
    if (process.env.ERPHOST_SKIPS !== "refused") return undefined;
    const refused = this.#skipped.filter((title) => missingFor(title) === undefined);
    if (refused.length === 0) return undefined;
    return new Error(`skipped, and not in allowed-skips.json: ${refused.join(", ")}`);
  }

  /** @param {unknown} _contexts @param {import('@jest/test-result').AggregatedResult} results */
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
    if (process.env.ERPHOST_SKIPPED_TO) this.#writeSkipped(process.env.ERPHOST_SKIPPED_TO);
    // jest writes its own summary after every reporter; this line must be the last.
    process.once("exit", () => process.stdout.write(line));
  }

  /**
   * A line for each file with a skipped test: its path, how many of its tests passed and were
   * skipped, and what was missing, "-" where the list of allowed skips does not say.
   * @param {string} to
   */
  #writeSkipped(to) {
    const lines = [...this.#files].flatMap(([file, { passed, skipped }]) => {
      if (skipped.length === 0) return [];
      const missing = new Set(skipped.map((title) => missingFor(title) ?? "-"));
      return [[path.relative("", file), passed, skipped.length, [...missing].join(" ")].join("\t")];
    });
    writeFileSync(to, lines.map((line) => `${line}\n`).join(""));
  }
}

module.exports = SummaryReporter;
