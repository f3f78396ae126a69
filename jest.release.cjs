"use strict";

const { tmpdir } = require("node:os");
const { projects, ...others } = require("./jest.config.cjs");

const e2e = projects.find(({ displayName }) => displayName === "e2e");

// What strangers install is too large to be kept in memory: test/support/run.cjs.
process.env.TMPDIR ??= tmpdir();

/**
 * What `npm run test:release` runs after the rehearsal: the packages in projects of strangers, with
 * every tool that these have. `npm test` keeps the constructs; the rest runs here only, the install
 * and the plugin's archive with its SDKs among it.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...others,
  projects: [
    {
      ...e2e,
      displayName: "release",
      testMatch: ["<rootDir>/test/e2e/{browser,release}/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/"],
    },
  ],
};
