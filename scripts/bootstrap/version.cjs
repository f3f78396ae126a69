"use strict";

/**
 * @param {string} text such as `OpenTofu v1.12.6\non linux_amd64`
 * @returns {string | undefined} the first version in it, without a pre-release
 */
function versionIn(text) {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** @param {string} text holds a version somewhere @param {string} range such as `>=1.11.0 <2.0.0` */
function versionIsIn(text, range) {
  // Only here: this file is loaded before anything is installed.
  const { Range } = require("semver");
  return new Range(range).test(versionIn(text) ?? "");
}

module.exports = { versionIn, versionIsIn };
