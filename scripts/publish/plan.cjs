"use strict";

/**
 * `node scripts/publish/plan.cjs`: what comes next for this commit, for people on stdout and for a
 * workflow in GITHUB_OUTPUT. Changesets ask for a new version first; a version without a tag is
 * published. Nothing has to be installed for it.
 */

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");

/**
 * @param {string} root a checkout with its tags
 * @returns {{ version: string, changesets: string[], next: "version" | "publish" | "nothing" }}
 */
function plan(root) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const changesets = fs
    .readdirSync(path.join(root, ".changeset"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort();
  const tag = execFileSync("git", ["tag", "--list", `v${version}`], { cwd: root }).toString();
  const next = changesets.length > 0 ? "version" : tag.trim() !== "" ? "nothing" : "publish";
  return { version, changesets, next };
}

/** @param {{ version: string, changesets: readonly string[], next: string }} planned */
function sentence({ version, changesets, next }) {
  if (next === "nothing")
    return `${version} is published, and no changeset asks for another version.`;
  if (next === "publish")
    return `${version} is published next: it has no tag, and no changeset waits.`;
  return `A new version comes first: ${changesets.length} changesets wait (${changesets.join(", ")}).`;
}

function main() {
  const planned = plan(ROOT);
  process.stdout.write(`${sentence(planned)}\n`);
  const { GITHUB_OUTPUT } = process.env;
  if (GITHUB_OUTPUT) {
    fs.appendFileSync(GITHUB_OUTPUT, `version=${planned.version}\nnext=${planned.next}\n`);
  }
}

module.exports = { plan, sentence };

if (require.main === module) main();
