"use strict";

/** The unit tests of engine and client alone, as Stryker runs them on code that it has broken. */
const { projects } = require("../../jest.config.cjs");

const { displayName: _, testMatch: __, testPathIgnorePatterns: ___, ...unit } = projects[0];

module.exports = {
  ...unit,
  rootDir: "../..",
  testTimeout: 60_000,
  testMatch: ["<rootDir>/test/{engine,client}/**/*.test.ts"],
  // It plays thousands of runs, and would play them again for every mutant of the engine.
  testPathIgnorePatterns: ["/test/engine/model/"],
};
