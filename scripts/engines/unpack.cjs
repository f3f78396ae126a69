"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { inflateRawSync } = require("node:zlib");
const { lastLines, runProgram } = require("../bootstrap/programs.cjs");

/**
 * Takes named programs out of an archive. Nothing else in it is touched and no path from it is
 * ever written to, so that an archive cannot place a file of its choosing.
 *
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

const UNPACK_MS_MAX = 10 * 60_000;
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;
const MEMBER_BYTES_MAX = 1024 ** 3;

/**
 * @param {Buffer} zip a whole archive, without encryption or the 64-bit extension
 * @param {string} member
 * @returns {Buffer} its content
 */
function zipMember(zip, member) {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  if (end < 0 || zip.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error("it is not a zip file");
  const entryCount = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < entryCount; index += 1) {
    if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error("its directory is damaged");
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    if (name === member) return contentOf(zip, at, member);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`it does not contain ${member}`);
}

/**
 * @param {Buffer} zip
 * @param {number} entryAt the member's entry in the directory
 * @param {string} member
 */
function contentOf(zip, entryAt, member) {
  const method = zip.readUInt16LE(entryAt + 10);
  const packedLength = zip.readUInt32LE(entryAt + 20);
  const headerAt = zip.readUInt32LE(entryAt + 42);
  // The lengths of name and extra field are read from the member's own header: they may differ.
  const nameLength = zip.readUInt16LE(headerAt + 26);
  const start = headerAt + 30 + nameLength + zip.readUInt16LE(headerAt + 28);
  const packed = zip.subarray(start, start + packedLength);
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed, { maxOutputLength: MEMBER_BYTES_MAX });
  throw new Error(`${member} in it uses an unsupported compression method (${method})`);
}

module.exports = { unpack };
