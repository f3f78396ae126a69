"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { sha256 } = require("./cache.cjs");
const { lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { unpack } = require("./unpack.cjs");

/** @typedef {import('./cache.cjs').Engine} Engine */
/** @typedef {import('./cache.cjs').Release} Release */

const DOWNLOAD_MS_MAX = 30 * 60_000;
const CHECKSUMS_BYTES_MAX = 1024 ** 2;
const ARCHIVE_BYTES_MAX = 1024 ** 3;

/**
 * What to download for this platform.
 *
 * @typedef {object} Download
 * @property {string} checksums address of the vendor's SHA-256 sums
 * @property {string} archive address
 * @property {string} file the archive's name in the checksums
 * @property {string} folder
 * @property {string} [sha256] pinned in the manifest
 * @property {readonly string[]} programs
 */

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @returns {Download | undefined} undefined where the vendor has no release for this platform
 */
function downloadFor(name, { version, programs, release }, env) {
  const archive = release?.archives[`${process.platform}-${process.arch}`];
  if (release === undefined || archive === undefined) return undefined;
  const mirror = env.ERPHOST_ENGINES_MIRROR?.replace(/\/+$/, "");
  const address = mirror ? `${mirror}/${name}/${version}` : release.address;
  return {
    checksums: `${address}/${release.checksums}`,
    archive: `${address}/${archive.file}`,
    file: archive.file,
    folder: archive.folder ?? "",
    programs,
    ...(archive.sha256 === undefined ? {} : { sha256: archive.sha256 }),
  };
}

/**
 * Downloads the checksums, then the archive, and opens the archive only if they agree.
 *
 * @param {Download} download
 * @param {string} work takes the programs
 * @param {{ node: string, env: NodeJS.ProcessEnv }} context a Node.js that supports proxies
 * @returns {Promise<readonly string[]>} the programs that are in it now
 */
async function downloadEngine(download, work, context) {
  const sumsFile = path.join(work, ".checksums");
  const archiveFile = path.join(work, path.extname(download.file) === ".zip" ? ".zip" : ".tar.gz");
  await fetchTo(download.checksums, sumsFile, CHECKSUMS_BYTES_MAX, context);
  const published = publishedSum(fs.readFileSync(sumsFile, "utf8"), download.file);
  if (published === undefined) {
    throw new Error(`refused: ${download.checksums} has no SHA-256 for ${download.file}`);
  }
  if (download.sha256 !== undefined && download.sha256 !== published) {
    throw new Error(
      `refused: ${download.checksums} says ${published} for ${download.file}, ` +
        `but this checkout pins ${download.sha256}`,
    );
  }
  await fetchTo(download.archive, archiveFile, ARCHIVE_BYTES_MAX, context);
  const actual = sha256(archiveFile);
  if (actual !== published) {
    throw new Error(
      `refused: ${download.archive} has SHA-256 ${actual}, but its vendor published ${published}. ` +
        "The download is damaged or was tampered with; it was deleted.",
    );
  }
  await unpack(archiveFile, download, work, context.env);
  fs.rmSync(sumsFile);
  fs.rmSync(archiveFile);
  return download.programs;
}

/**
 * @param {string} sums lines of `<64 hex digits>  <file>`, some with a `*` before the file
 * @param {string} file
 */
function publishedSum(sums, file) {
  for (const line of sums.split("\n")) {
    const found = /^([0-9a-f]{64})\s+\*?(\S+)\s*$/i.exec(line);
    if (found !== null && found[2] === file) return String(found[1]).toLowerCase();
  }
  return undefined;
}

/**
 * @param {string} address
 * @param {string} file
 * @param {number} bytesMax
 * @param {{ node: string, env: NodeJS.ProcessEnv }} context
 */
async function fetchTo(address, file, bytesMax, { node, env }) {
  if (!address.startsWith("https://")) {
    throw new Error(`refused: ${address} is not an https URL`);
  }
  const script = path.join(__dirname, "fetch-file.cjs");
  const result = await runProgram(node, [script, address, file, String(bytesMax)], {
    env: { ...env, NODE_USE_ENV_PROXY: "1" },
    timeoutMs: DOWNLOAD_MS_MAX,
  });
  if (result.code !== 0) {
    throw new Error(`${address} could not be downloaded: ${lastLines(result.output, 1)}`);
  }
}

module.exports = { downloadFor, downloadEngine };
