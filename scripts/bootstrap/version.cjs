"use strict";

/**
 * @param {string} text such as `OpenTofu v1.12.6\non linux_amd64`
 * @returns {[number, number, number] | undefined} the first version in it, without a pre-release
 */
function parseVersion(text) {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

/**
 * @param {string} text holds a version somewhere
 * @param {string} range comparisons that must all hold, such as `>=1.11.0 <2.0.0`
 */
function versionIsIn(text, range) {
  const version = parseVersion(text);
  if (version === undefined) return false;
  return range.split(" ").every((comparison) => {
    const bound = parseVersion(comparison);
    if (bound === undefined) throw new Error(`"${range}" is not a range of versions`);
    const order = compare(version, bound);
    if (comparison.startsWith(">=")) return order >= 0;
    if (comparison.startsWith("<")) return order < 0;
    throw new Error(`"${comparison}" is not ">=" or "<" with a version`);
  });
}

function compare(left, right) {
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

module.exports = { parseVersion, versionIsIn };
