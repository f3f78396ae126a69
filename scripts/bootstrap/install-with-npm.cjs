"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { findProgram, lastLines, runProgram } = require("./programs.cjs");
const { step } = require("./progress.cjs");

const INSTALL_MS_MAX = 30 * 60_000;
const ERROR_LINES_MAX = 20;

/** Override settings that leave out what tasks need: `engine-strict` (old Node.js), `omit=dev`. */
const FLAGS =
  "--include=dev --include=optional --engine-strict=false --no-audit --no-fund --loglevel=error";

/**
 * Installs what the lock file says, checked against its checksums, and nothing `npm ci` refuses.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env
 */
async function installWithNpm(root, env) {
  await step("installing dependencies with npm (about a minute)", async () => {
    const result = await npm(root, env, ["ci", ...FLAGS.split(" ")]);
    if (result.code !== 0) throw new Error(sentence(result.output));
  });
}

function sentence(output) {
  const lines = output.split("\n").filter((line) => line.startsWith("npm error"));
  return [
    "the dependencies could not be installed.",
    ...(lines.length > 0 ? lines : output.trim().split("\n")).slice(0, ERROR_LINES_MAX),
    "npm must be able to reach its registry, and package-lock.json must match package.json.",
  ].join("\n");
}

/**
 * Runs npm in the checkout or another folder, with this person's configuration.
 * @param {string} root @param {NodeJS.ProcessEnv} env @param {readonly string[]} args
 * @param {string} [folder]
 */
function npm(root, env, args, folder = root) {
  const outside = withoutOwnPrograms(root, env);
  const searchPath = outside.PATH ?? "";
  const node = findProgram("node", searchPath) ?? process.execPath;
  const script = env.npm_execpath;
  const [command = "npm", ...before] =
    script !== undefined && script.endsWith("npm-cli.js") && fs.existsSync(script)
      ? [node, script]
      : [findProgram("npm", searchPath) ?? "npm"];
  const options = { cwd: folder, env: outside, timeoutMs: INSTALL_MS_MAX };
  return runProgram(command, [...before, ...args], options);
}

/**
 * Gets the archive of a package from npm.
 * @param {string} root @param {NodeJS.ProcessEnv} env
 * @param {{ name: string, version: string, integrity: string, folder: string }} wanted `folder`
 *   takes the archive
 * @returns {Promise<string>} the archive
 * @throws Error where npm cannot get it, or got another than the one that is pinned
 */
async function pinnedArchive(root, env, { name, version, integrity, folder }) {
  const what = `${name} ${version}`;
  const args = ["pack", `${name}@${version}`, "--silent", "--pack-destination", folder];
  const { code, output } = await npm(root, env, args);
  const file = fs
    .readdirSync(folder)
    .find((each) => each.startsWith(`${name}-`) && each.endsWith(".tgz"));
  if (code !== 0 || file === undefined) {
    throw new Error(`npm could not get ${what}: ${lastLines(output, 3)}`);
  }
  const archive = path.join(folder, file);
  const sum = createHash("sha512").update(fs.readFileSync(archive)).digest("base64");
  if (`sha512-${sum}` === integrity) return archive;
  throw new Error(`refused: ${what} from npm is not the one that is pinned`);
}

/**
 * Under `npm run`, PATH begins with the Node.js in node_modules, which npm is about to delete.
 * @param {string} root @param {NodeJS.ProcessEnv} env
 */
function withoutOwnPrograms(root, env) {
  const own = path.join(root, "node_modules") + path.sep;
  const folders = (env.PATH ?? "").split(path.delimiter);
  const kept = folders.filter((folder) => !path.resolve(folder).startsWith(own));
  return { ...env, PATH: kept.join(path.delimiter) };
}

module.exports = { INSTALL_MS_MAX, installWithNpm, npm, pinnedArchive, withoutOwnPrograms };
