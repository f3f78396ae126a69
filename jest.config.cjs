"use strict";

const { join } = require("node:path");

// The engines start Node.js some thousand times, which compiles the same modules each time.
process.env.NODE_COMPILE_CACHE ??= join(__dirname, "node_modules", ".cache", "compiled");

/** Published as ES modules only, which jest cannot load: they are compiled like our own files. */
const ES_MODULES_ONLY = ["age-encryption", "@noble", "@scure"];

const compile = [
  "@swc/jest",
  {
    jsc: { parser: { syntax: "typescript" }, target: "es2023" },
    module: { type: "commonjs" },
    // Without this a syntax error in a test would be looked for in .swcrc files of the whole disk.
    swcrc: false,
  },
];

/** Examples import what is published, and their tests are about the sources. */
const sources = { "^erphost/cdktf$": "<rootDir>/cdktf-bindings" };

const shared = {
  cacheDirectory: join(__dirname, "node_modules", ".cache", "jest"),
  testEnvironment: "node",
  transform: { "^.+\\.[cm]?ts$": compile, "^.+\\.js$": compile },
  transformIgnorePatterns: [`/node_modules/(?!(?:${ES_MODULES_ONLY.join("|")})/)`],
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  globalSetup: "<rootDir>/test/support/run.cjs",
};

/** @type {import('jest').Config} */
module.exports = {
  maxWorkers: 2,
  testTimeout: 30_000,
  testSequencer: "<rootDir>/test/support/sequencer.cjs",
  reporters: ["default", "<rootDir>/test/support/reporter.cjs"],
  projects: [
    {
      ...shared,
      displayName: "unit",
      moduleNameMapper: sources,
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: [
        "/node_modules/",
        "<rootDir>/test/e2e/",
        "<rootDir>/test/cdktf/cdktn.test.ts",
      ],
    },
    {
      // The same claims about the same constructs on cdktf's successor: its library, its generated
      // L1, and the newest constructs that it allows. jest.release.cjs has all of them.
      ...shared,
      displayName: "cdktn",
      globals: { LIBRARY: "cdktn" },
      globalSetup: "<rootDir>/test/cdktf/support/cdktn-sources.cjs",
      testMatch: ["<rootDir>/test/cdktf/{cdktn,constructs,documented,synthesis}.test.ts"],
      moduleNameMapper: {
        ...sources,
        "^cdktf$": "cdktn",
        "^constructs$": "constructs-10-7",
        "^\\.{1,2}/generated(.*)$": "<rootDir>/dist/sources/cdktf-bindings/cdktn/generated$1",
      },
    },
    {
      ...shared,
      displayName: "e2e",
      testMatch: ["<rootDir>/test/e2e/**/*.test.ts"],
      // `npm run test:release` and `test:browser` run these, by jest.release.cjs.
      testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/e2e/(?:browser|release)/"],
      setupFilesAfterEnv: ["<rootDir>/test/support/e2e-timeout.cjs"],
    },
  ],
};
