"use strict";

/** The tests that run engine, client and kinds in their own process: Stryker breaks the code in it. */
const { join } = require("node:path");
const { projects } = require("../../jest.config.cjs");

const { displayName: _, testMatch: __, testPathIgnorePatterns: ___, ...unit } = projects[0];

module.exports = {
  ...unit,
  rootDir: "../..",
  testEnvironment: join(__dirname, "first-failure.cjs"),
  testTimeout: 10_000,
  testMatch: ["<rootDir>/test/{engine,client,resources,faces,terraform,pulumi}/**/*.test.ts"],
  // It plays thousands of runs, and would play them again for every mutant of the engine.
  testPathIgnorePatterns: ["/test/engine/model/"],
};
