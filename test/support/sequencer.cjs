"use strict";

const { default: Sequencer } = require("@jest/test-sequencer");

/**
 * Tests of real engines first. Without times of an earlier run, as in a fresh clone, jest begins with
 * the longest files, and the shortest ones drive engines for a minute: one worker would wait for the
 * other at the end.
 */
class EnginesFirst extends Sequencer {
  /**
   * @param {readonly import('@jest/test-result').Test[]} tests
   * @returns {import('@jest/test-result').Test[]}
   */
  sort(tests) {
    const sorted = super.sort([...tests]);
    return [...sorted.filter(drivesEngines), ...sorted.filter((test) => !drivesEngines(test))];
  }
}

/** @param {import('@jest/test-result').Test} test */
function drivesEngines({ path }) {
  return /[\\/]test[\\/](?:e2e|cli[\\/]pipeline)[\\/]/.test(path);
}

module.exports = EnginesFirst;
