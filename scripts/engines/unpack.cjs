"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { brotliDecompressSync } = require("node:zlib");
const { lastLines, runProgram } = require("../bootstrap/programs.cjs");

/**
 * Takes named programs out of an archive; no path in it is written to, so it cannot place files.
 * @param {string} archive a .tar.gz or .zip file
 * @param {{ folder: string, programs: readonly string[] }} wanted the folder in the archive that
 *   holds the programs, '' for its top
 * @param {string} work an empty folder, which takes them
 * @param {NodeJS.ProcessEnv} env
 */
async function unpack(archive, { folder, programs }, work, env) {
  const members = programs.map((program) => (folder === "" ? program : `${folder}/${program}`));
  const target = (/** @type {number} */ index) => path.join(work, String(programs[index]));
  if (archive.endsWith(".zip")) {
    const bytes = fs.readFileSync(archive);
    members.forEach((member, index) => fs.writeFileSync(target(index), zipMember(bytes, member)));
  } else {
    // In a separate folder: Pulumi's archive has a folder with the name of its program.
    const unpacked = path.join(work, ".unpacked");
    fs.mkdirSync(unpacked);
    const args = ["-xzf", archive, "-C", unpacked, "--", ...members];
    const { code, output } = await runProgram("tar", args, { env, timeoutMs: UNPACK_MS_MAX });
    if (code !== 0) throw new Error(`tar cannot unpack it: ${lastLines(output)}`);
    members.forEach((member, index) => fs.renameSync(path.join(unpacked, member), target(index)));
    fs.rmSync(unpacked, { recursive: true });
  }
  for (const program of programs) {
    const file = path.join(work, program);
    if (!fs.lstatSync(file).isFile()) throw new Error(`${program} in it is not a regular file`);
    fs.chmodSync(file, 0o755);
  }
}

/**
 * Chromium as its package brings it, compressed: the program, its libraries and a font. What draws
 * in three dimensions is left out.
 * @param {string} folder of the package, which is removed
 * @param {string} work takes them
 * @param {NodeJS.ProcessEnv} env
 */
async function unpackBrowser(folder, work, env) {
  const plain = (/** @type {string} */ name) =>
    brotliDecompressSync(fs.readFileSync(path.join(folder, `${name}.br`)));
  fs.writeFileSync(path.join(work, "chromium"), plain("chromium"), { mode: 0o755 });
  const archive = path.join(work, ".tar");
  for (const name of ["al2023.tar", "fonts.tar"]) {
    fs.writeFileSync(archive, plain(name));
    // The package's own settings name folders of the place that it was made for.
    const args = ["-xf", archive, "-C", work, "--exclude", "fonts.conf"];
    const { code, output } = await runProgram("tar", args, { env, timeoutMs: UNPACK_MS_MAX });
    if (code !== 0) throw new Error(`tar cannot unpack it: ${lastLines(output)}`);
  }
  fs.rmSync(archive);
  fs.rmSync(folder, { recursive: true });
}

const UNPACK_MS_MAX = 10 * 60_000;
const MEMBER_BYTES_MAX = 1024 ** 3;

/** @param {Buffer} zip a whole archive @param {string} member @returns {Uint8Array} its content */
function zipMember(zip, member) {
  // Only here: this file is loaded before anything is installed.
  const { unzipSync } = require("fflate");
  const content = unzipSync(zip, {
    filter: ({ name, originalSize }) => name === member && originalSize <= MEMBER_BYTES_MAX,
  })[member];
  if (content === undefined) throw new Error(`it does not contain ${member}`);
  return content;
}

module.exports = { unpack, unpackBrowser };
