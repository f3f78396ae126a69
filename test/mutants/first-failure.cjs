"use strict";

/** One test that fails is enough: the rest of its file is skipped, lest each waits for its limit. */
const { TestEnvironment } = require("jest-environment-node");

module.exports = class FirstFailure extends TestEnvironment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === "test_start" && this.hasFailed) test.mode = "skip";
    if (name === "test_done") this.hasFailed ||= test.errors.length > 0;
  }
};
