"use strict";

const { randomUUID } = require("node:crypto");

/** Names the run for all processes that jest starts for it: test/harness/once.ts. */
module.exports = () => {
  process.env.ERPHOST_TEST_RUN = randomUUID();
};
