"use strict";

/** `node scripts/publish/notes.cjs VERSION`: its part of CHANGELOG.md, with nothing installed. */

const fs = require("node:fs");
const path = require("node:path");

const CHANGELOG = path.join(__dirname, "..", "..", "CHANGELOG.md");

/**
 * @param {string} changelog @param {string} version
 * @returns {string | undefined} undefined where there is none
 */
function notes(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find((text) => text.startsWith(`${version}\n`));
  return part?.slice(version.length).trim();
}

function main() {
  const [version = ""] = process.argv.slice(2);
  const found = notes(fs.readFileSync(CHANGELOG, "utf8"), version);
  if (found === undefined) {
    process.stderr.write(`CHANGELOG.md has no part about "${version}".\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`${found}\n`);
}

module.exports = { notes };

if (require.main === module) main();
