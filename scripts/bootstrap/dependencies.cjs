"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { INSTALL_MS_MAX, installWithNpm, withoutOwnPrograms } = require("./install-with-npm.cjs");
const { withLock } = require("./lock.cjs");
const { findProgram, isExecutable, lastLines, runProgram } = require("./programs.cjs");
const { say, step } = require("./progress.cjs");
const { versionIsIn } = require("./version.cjs");

/**
 * Brings `node_modules`, and the Node.js of every task, to what the lock file says; silent if done.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env @returns {Promise<string>} the Node.js to run tasks with
 */
async function ensureDependencies(root, env) {
  if (isPrepared(root)) return nodeOf(root);
  return withLock(path.join(root, ".prepare.lock"), "dependencies", async () => {
    if (isPrepared(root)) return nodeOf(root);
    fs.rmSync(stampOf(root), { force: true });
    if (!agreesWithLockFile(root)) await installWithNpm(root, env);
    await ensureNode(root, env);
    fs.writeFileSync(stampOf(root), stampFor(root));
    return nodeOf(root);
  });
}

function stampOf(root) {
  return path.join(root, "node_modules", ".erphost-prepared");
}

/**
 * Two kinds of machine may use a checkout on a shared disk, and their native packages differ.
 * @param {string} root
 */
function stampFor(root) {
  const lockFile = fs.readFileSync(path.join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lockFile).digest("hex");
  return `${hash} ${process.platform}-${process.arch}\n`;
}

function isPrepared(root) {
  try {
    return fs.readFileSync(stampOf(root), "utf8") === stampFor(root) && isExecutable(nodeOf(root));
  } catch {
    return false;
  }
}

function nodeOf(root) {
  const program = process.platform === "win32" ? "node/bin/node.exe" : ".bin/node";
  return path.join(root, "node_modules", program);
}

/**
 * Whether npm itself has already installed what the lock file says. npm writes its record last, so
 * an interrupted installation has none.
 * @param {string} root
 */
function agreesWithLockFile(root) {
  const wanted = readPackages(path.join(root, "package-lock.json"));
  const present = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([folder, entry]) => {
    if (folder === "") return true;
    const found = present[folder];
    // Packages for other platforms are in the lock file but never on this disk.
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 */

/** @param {string} file @returns {Record<string, LockedPackage> | undefined} */
function readPackages(file) {
  try {
    return readJson(file).packages;
  } catch {
    return undefined;
  }
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

/**
 * Runs the install script that fetches the `node` package's binary where npm may not run scripts.
 * @param {string} root @param {NodeJS.ProcessEnv} env
 */
async function ensureNode(root, env) {
  if (await nodeWorks(root, env)) return;
  const outside = withoutOwnPrograms(root, env);
  const folder = path.join(root, "node_modules", "node");
  const node = findProgram("node", outside.PATH ?? "") ?? process.execPath;
  const options = { cwd: folder, env: outside, timeoutMs: INSTALL_MS_MAX };
  const result = await step("fetching the Node.js that the tasks run on", () =>
    runProgram(node, ["installArchSpecificPackage.js"], options),
  );
  if (await nodeWorks(root, env)) return;
  say(lastLines(result.output, 10));
  throw new Error(
    `the npm package "node" did not install a working Node.js at ${nodeOf(root)}. ` +
      "Delete node_modules and run the command again; npm must be able to reach its registry.",
  );
}

async function nodeWorks(root, env) {
  if (!isExecutable(nodeOf(root))) return false;
  const options = { env, timeoutMs: 30_000 };
  const { code, stdout } = await runProgram(nodeOf(root), ["--version"], options);
  const { engines } = readJson(path.join(root, "package.json"));
  return code === 0 && versionIsIn(stdout, engines.node);
}

module.exports = { ensureDependencies };
