/**
 * StrykerJS over engine, client and kinds: every mutation its instrumenter knows, where the committed
 * mutants are chosen by hand. A part of `npm run soak`.
 */

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
const options = {
  mutate: ["provider/{engine,client}/**/*.ts", "provider/resources/*.ts", "!**/*.gen.ts"],
  testRunner: "jest",
  plugins: ["@stryker-mutator/jest-runner", "./test/mutants/no-messages.mjs"],
  ignorers: ["messages"],
  jest: { configFile: "test/mutants/jest.config.cjs", enableFindRelatedTests: false },
  coverageAnalysis: "perTest",
  disableTypeChecks: false,
  ignoreStatic: true,
  concurrency: 2,
  // Slow tests of a loaded machine would count as a mutant that hangs, and so as noticed.
  timeoutMS: 30_000,
  timeoutFactor: 3,
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: "dist/stryker.json" },
  ignorePatterns: ["dist", "docs/*", "!docs/decisions", "**/*.patch", "cdktf-bindings"],
  tempDirName: "dist/stryker",
  allowEmpty: false,
};

export default options;
