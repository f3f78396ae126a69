"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { withLock } = require("./lock.cjs");
const { findProgram, isExecutable, lastLines, runProgram } = require("./programs.cjs");
const { say, step } = require("./progress.cjs");
const { versionIsIn } = require("./version.cjs");

/** What undici and Pulumi's SDK need; `engines` of package.json says the same. */
const NODE_ACCEPTED = ">=22.19.0 <100.0.0";

const INSTALL_MS_MAX = 30 * 60_000;

/**
 * Brings `node_modules` to what the lock file says, and with it the Node.js that runs every task.
 * Says and does nothing where that is so already.
 *
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} the Node.js to run tasks with
 */
async function ensureDependencies(root, env) {
  if (isPrepared(root)) return nodeOf(root);
  return withLock(path.join(root, ".prepare.lock"), "dependencies", async () => {
    if (isPrepared(root)) return nodeOf(root);
    fs.rmSync(stampOf(root), { force: true });
    if (!agreesWithLockFile(root)) await install(root, env);
    await ensureNode(root, env);
    fs.writeFileSync(stampOf(root), stampFor(root));
    return nodeOf(root);
  });
}

/** @param {string} root */
function stampOf(root) {
  return path.join(root, "node_modules", ".erphost-prepared");
}

/**
 * A checkout on a shared disk may be used from two kinds of machine, whose native packages differ.
 *
 * @param {string} root
 */
function stampFor(root) {
  const lockFile = fs.readFileSync(path.join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lockFile).digest("hex");
  return `${hash} ${process.platform}-${process.arch}\n`;
}

/** @param {string} root */
function isPrepared(root) {
  try {
    return fs.readFileSync(stampOf(root), "utf8") === stampFor(root) && isExecutable(nodeOf(root));
  } catch {
    return false;
  }
}

/** @param {string} root */
function nodeOf(root) {
  const program = process.platform === "win32" ? "node/bin/node.exe" : ".bin/node";
  return path.join(root, "node_modules", program);
}

/**
 * Whether npm itself was here before and left what the lock file says. npm writes its record last,
 * so an installation that was cut off has none.
 *
 * @param {string} root
 */
function agreesWithLockFile(root) {
  const wanted = readPackages(path.join(root, "package-lock.json"));
  const present = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([folder, entry]) => {
    if (folder === "") return true;
    const found = present[folder];
    // Packages for other platforms are in the lock file and never on this disk.
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

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * The flags undo settings of a person or an image that would leave out what the tasks need: an
 * older Node.js under `engine-strict`, or `omit=dev`.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
async function install(root, env) {
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false"];
  await step("installing dependencies with npm (about a minute)", () =>
    npm(root, env, ["ci", "--include=dev", "--include=optional", ...flags]),
  );
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} args
 */
async function npm(root, env, args) {
  const outside = withoutOwnPrograms(root, env);
  const searchPath = outside.PATH ?? "";
  const node = findProgram("node", searchPath) ?? process.execPath;
  const script = env.npm_execpath;
  const program =
    script !== undefined && script.endsWith("npm-cli.js") && fs.existsSync(script)
      ? [node, script]
      : [findProgram("npm", searchPath) ?? "npm"];
  const [command = "npm", ...before] = program;
  const result = await runProgram(command, [...before, ...args], {
    cwd: root,
    env: outside,
    timeoutMs: INSTALL_MS_MAX,
  });
  if (result.code === 0) return;
  throw new Error(
    `npm ${args[0]} failed:\n${lastLines(result.output, 20)}\n` +
      "The dependencies could not be installed. npm has to reach its registry, and " +
      "package-lock.json has to match package.json.",
  );
}

/**
 * Under `npm run` the first Node.js on PATH is the one in node_modules, which npm is about to
 * delete: npm has to run with the machine's own.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
function withoutOwnPrograms(root, env) {
  const own = path.join(root, "node_modules") + path.sep;
  const folders = (env.PATH ?? "").split(path.delimiter);
  const kept = folders.filter((folder) => !path.resolve(folder).startsWith(own));
  return { ...env, PATH: kept.join(path.delimiter) };
}

/**
 * The `node` package fetches its binary in an install script, which npm skips where scripts are
 * not allowed. Then it is called here: nothing runs without it.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
async function ensureNode(root, env) {
  if (await nodeWorks(root, env)) return;
  const outside = withoutOwnPrograms(root, env);
  const folder = path.join(root, "node_modules", "node");
  const node = findProgram("node", outside.PATH ?? "") ?? process.execPath;
  const result = await step("fetching the Node.js that the tasks run on", () =>
    runProgram(node, ["installArchSpecificPackage.js"], {
      cwd: folder,
      env: outside,
      timeoutMs: INSTALL_MS_MAX,
    }),
  );
  if (await nodeWorks(root, env)) return;
  say(lastLines(result.output, 10));
  throw new Error(
    `the npm package "node" brought no working Node.js to ${nodeOf(root)}. ` +
      "Delete node_modules and run the command again; npm has to reach its registry.",
  );
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
async function nodeWorks(root, env) {
  if (!isExecutable(nodeOf(root))) return false;
  const { code, stdout } = await runProgram(nodeOf(root), ["--version"], {
    env,
    timeoutMs: 30_000,
  });
  return code === 0 && versionIsIn(stdout, NODE_ACCEPTED);
}

module.exports = { ensureDependencies };
