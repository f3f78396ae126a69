"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { sha256 } = require("./cache.cjs");
const { lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { unpack } = require("./unpack.cjs");

/** @typedef {import('./cache.cjs').Engine} Engine */
/** @typedef {import('./get.cjs').Context} Context */

const DOWNLOAD_MS_MAX = 30 * 60_000;
const ARCHIVE_BYTES_MAX = 1024 ** 3;

/** Long enough for Node.js to start on a busy machine; the question itself takes three seconds. */
const ASK_MS_MAX = 20_000;

/**
 * What to download for this platform.
 * @typedef {object} Download
 * @property {string} archive address
 * @property {string} file the archive's name
 * @property {string} folder
 * @property {string} sha256 pinned in the manifest
 * @property {readonly string[]} programs
 */

/**
 * @param {string} name @param {Engine} engine @param {NodeJS.ProcessEnv} env
 * @returns {Download | undefined} undefined where no release for this platform is pinned
 */
function downloadFor(name, { version, programs, release }, env) {
  const archive = release?.archives[`${process.platform}-${process.arch}`];
  if (release === undefined || archive === undefined) return undefined;
  const mirror = env.ERPHOST_ENGINES_MIRROR?.replace(/\/+$/, "");
  const address = mirror ? `${mirror}/${name}/${version}` : release.address;
  const { file, folder = "", sha256: pinned } = archive;
  return { archive: `${address}/${file}`, file, folder, programs, sha256: pinned };
}

/**
 * Why a download would only be waited for: its host does not answer. Each host is asked once for
 * all engines of a run, and any answer will do.
 * @param {Download} download @param {Context} context
 * @returns {Promise<string | undefined>} undefined where the host answers
 */
function whyOutOfReach({ archive }, context) {
  const { origin, protocol } = new URL(archive);
  if (protocol !== "https:") return Promise.resolve(undefined);
  const asked = askedHosts.get(origin) ?? ask(archive, origin, context);
  askedHosts.set(origin, asked);
  return asked;
}

/** @type {Map<string, Promise<string | undefined>>} */
const askedHosts = new Map();

async function ask(address, origin, context) {
  const { code, output } = await fetcher(["--ask", address], ASK_MS_MAX, context);
  return code === 0 ? undefined : `${origin} cannot be reached: ${lastLines(output, 1)}`;
}

/**
 * Downloads the archive, and opens it only if it is the pinned one.
 * @param {Download} download @param {string} work takes the programs
 * @param {Context} context @returns {Promise<readonly string[]>} the programs that are in it now
 */
async function downloadEngine(download, work, context) {
  const { archive, file, sha256: pinned, programs } = download;
  if (!archive.startsWith("https://")) throw new Error(`refused: ${archive} is not an https URL`);
  const target = path.join(work, path.extname(file) === ".zip" ? ".zip" : ".tar.gz");
  const words = [archive, target, String(ARCHIVE_BYTES_MAX)];
  const result = await fetcher(words, DOWNLOAD_MS_MAX, context);
  if (result.code !== 0) {
    throw new Error(`${archive} could not be downloaded: ${lastLines(result.output, 1)}`);
  }
  const actual = sha256(target);
  if (actual !== pinned) {
    throw new Error(
      `refused: ${archive} has SHA-256 ${actual}, but this checkout pins ${pinned}. ` +
        "The download is damaged or was tampered with; it was deleted.",
    );
  }
  await unpack(target, download, work, context.env);
  fs.rmSync(target);
  return programs;
}

function fetcher(words, timeoutMs, { node, env }) {
  const options = { env: { ...env, NODE_USE_ENV_PROXY: "1" }, timeoutMs };
  return runProgram(node, [path.join(__dirname, "fetch-file.cjs"), ...words], options);
}

module.exports = { downloadEngine, downloadFor, whyOutOfReach };
