"use strict";

const globals = require("@jest/globals");

// Engines need seconds for what a unit does in microseconds. jest reads `testTimeout` from the top
// of its configuration only, so the end-to-end project sets its own here.
globals.jest.setTimeout(180_000);
