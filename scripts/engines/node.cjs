"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { cacheFolder, makeEntry } = require("./cache.cjs");
const { npm, withoutOwnPrograms } = require("../bootstrap/install-with-npm.cjs");
const { withLock } = require("../bootstrap/lock.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { step } = require("../bootstrap/progress.cjs");

/**
 * What is downloaded, with its checksum. On any other platform the release is taken from PATH.
 *
 * @type {Readonly<Record<string, string>>}
 */
const PINS = require("./node.json");

const UNPACK_MS_MAX = 5 * 60_000;

/**
 * A release of Node.js for tests: the one on PATH if it is that release, else from npm's package
 * for this platform, kept in the cache.
 *
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env
 * @param {string} version such as `22.19.0`
 * @returns {Promise<string>} the program
 */
async function ensureNodeRelease(root, env, version) {
  const onPath = findProgram("node", withoutOwnPrograms(root, env).PATH ?? "");
  if (onPath !== undefined && (await isRelease(onPath, version, env))) return onPath;
  const name = `node-${process.platform}-${process.arch}@${version}`;
  const integrity = PINS[name];
  if (integrity === undefined) {
    throw new Error(
      `there is no checksum of ${name} in scripts/engines/node.json. ` +
        `Put Node.js ${version} on PATH, and run the command again.`,
    );
  }
  const folder = path.join(cacheFolder(env), name.replace("@", "-"));
  const node = path.join(folder, "node");
  if (await isRelease(node, version, env)) return node;
  await withLock(`${folder}.lock`, `Node.js ${version}`, async () => {
    if (await isRelease(node, version, env)) return;
    await step(`fetching Node.js ${version}`, () =>
      makeEntry(folder, (draft) => fetchNode(root, env, { name, integrity, draft }), name),
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

/**
 * @param {string} node
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 */
async function isRelease(node, version, env) {
  if (!fs.existsSync(node)) return false;
  const { stdout } = await runProgram(node, ["--version"], { env, timeoutMs: 30_000 });
  return stdout.trim() === `v${version}`;
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {{ name: string, integrity: string, draft: string }} wanted
 */
async function fetchNode(root, env, { name, integrity, draft }) {
  const packed = await npm(root, env, ["pack", name, "--silent", "--pack-destination", draft]);
  const archive = fs.readdirSync(draft).find((file) => file.endsWith(".tgz"));
  if (packed.code !== 0 || archive === undefined) {
    throw new Error(`npm could not fetch ${name}: ${lastLines(packed.output)}`);
  }
  const file = path.join(draft, archive);
  const actual = `sha512-${createHash("sha512").update(fs.readFileSync(file)).digest("base64")}`;
  if (actual !== integrity) {
    throw new Error(`refused: ${name} has the checksum ${actual}, and ${integrity} is pinned`);
  }
  const args = ["-xzf", file, "-C", draft, "--strip-components=2", "package/bin/node"];
  const unpacked = await runProgram("tar", args, { env, timeoutMs: UNPACK_MS_MAX });
  if (unpacked.code !== 0) throw new Error(`tar cannot unpack it: ${lastLines(unpacked.output)}`);
  fs.rmSync(file);
  return ["node"];
}

module.exports = { ensureNodeRelease, minimumNode };
