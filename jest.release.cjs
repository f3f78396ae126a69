"use strict";

const { tmpdir } = require("node:os");
const { projects, ...others } = require("./jest.config.cjs");

const project = (name) => projects.find(({ displayName }) => displayName === name);

// What strangers install is too large to be kept in memory: test/support/run.cjs.
process.env.TMPDIR ??= tmpdir();

/**
 * What `npm run test:release` runs after the rehearsal: the packages in projects of strangers, with
 * every tool that these have, and on real engines what `npm test` shows at a lower level, or what
 * takes long. `npm test` keeps the constructs; the rest runs here only.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...others,
  projects: [
    {
      ...project("e2e"),
      displayName: "release",
      testMatch: ["<rootDir>/test/e2e/{browser,release}/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/"],
    },
    {
      ...project("cdktn"),
      testMatch: ["<rootDir>/test/cdktf/*.test.ts"],
      // Its pages are the same for both libraries.
      testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/cdktf/reference.test.ts"],
    },
  ],
};
