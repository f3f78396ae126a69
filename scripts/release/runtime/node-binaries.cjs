"use strict";

/**
 * The Node.js that executables hold: the official ones, which npm has as packages by platform. They
 * are pinned by the integrity of their packages, and kept in this user's cache, ready to be packed.
 */

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { promisify } = require("node:util");
const zlib = require("node:zlib");
const { baseFolder, isWhole, makeEntry } = require("../../engines/cache.cjs");
const { unpack } = require("../../engines/unpack.cjs");
const { pinnedArchive } = require("../../bootstrap/install-with-npm.cjs");
const { withLock } = require("../../bootstrap/lock.cjs");
const { step } = require("../../bootstrap/progress.cjs");
const pins = require("./node-binaries.json");

const ROOT = path.join(__dirname, "..", "..", "..");
const PACKED = "node.zst";
const FACTS = "facts.json";
const LICENCE = "LICENSE";
/** The packages for Windows hold the program alone; the licence is the same for every platform. */
const WITH_LICENCE = "darwin-amd64";

/** Above 27, a reader needs an option that allows it as much memory. */
const WINDOW_LOG = 27;

/** For a release, in 100 seconds and 30 MB; for a developer's own machine, in five and 37 MB. */
const LEVELS = { best: 22, quick: 9 };

/**
 * A Node.js as a package holds it.
 *
 * @typedef {object} PackedNode
 * @property {string} version
 * @property {number} size of the program itself, in bytes
 * @property {string} sha256 of the program itself
 * @property {Buffer} content the program, compressed with zstd
 * @property {string} licence its own, and those of what is in it
 */

/** @typedef {{ package: string, version: string, integrity: string }} Pin */

/**
 * @param {string} platform such as linux-amd64
 * @param {NodeJS.ProcessEnv} env
 * @param {"best" | "quick"} effort how well it is compressed, unless better is there already
 * @returns {Promise<PackedNode>}
 * @throws Error where npm cannot get it, or got something else
 */
async function packedNode(platform, env, effort) {
  const pin = pinOf(platform);
  const cache = path.join(baseFolder(env), "runtimes");
  const placeOf = (/** @type {number} */ level) => {
    const how = createHash("sha256").update(
      JSON.stringify([pin, level, WINDOW_LOG, "stripped", LICENCE]),
    );
    return path.join(cache, `node-${platform}-${pin.version}-${how.digest("hex").slice(0, 16)}`);
  };
  const isThere = (/** @type {string} */ folder) =>
    isWhole(folder, { programs: [PACKED, FACTS, LICENCE] });
  const level = isThere(placeOf(LEVELS.best)) ? LEVELS.best : LEVELS[effort];
  const folder = placeOf(level);
  await withLock(`${folder}.lock`, `Node.js for ${platform}`, async () => {
    if (isThere(folder)) return;
    await makeEntry(folder, (work) => fill(work, { platform, pin, level, env }), pin.package);
  });
  const facts = JSON.parse(fs.readFileSync(path.join(folder, FACTS), "utf8"));
  const licence = fs.readFileSync(path.join(folder, LICENCE), "utf8");
  return { ...facts, content: fs.readFileSync(path.join(folder, PACKED)), licence };
}

/**
 * @param {string} platform
 * @returns {Pin}
 */
function pinOf(platform) {
  const pin = /** @type {Record<string, Pin>} */ (pins)[platform];
  if (pin === undefined) throw new Error(`there is no Node.js for ${platform}`);
  return pin;
}

/**
 * @param {string} work takes the files
 * @param {{ platform: string, pin: Pin, level: number, env: NodeJS.ProcessEnv }} wanted
 */
async function fill(work, { platform, pin, level, env }) {
  const archive = await step(`getting ${pin.package} ${pin.version} with npm`, () =>
    download(work, pin, env),
  );
  const program = platform.startsWith("windows-") ? "node.exe" : "node";
  await unpack(archive, { folder: "package/bin", programs: [program] }, work, env);
  const other = platform.startsWith("windows-")
    ? await download(work, pinOf(WITH_LICENCE), env)
    : archive;
  await unpack(other, { folder: "package", programs: [LICENCE] }, work, env);
  for (const file of new Set([archive, other])) fs.rmSync(file);
  const whole = fs.readFileSync(path.join(work, program));
  fs.rmSync(path.join(work, program));
  // What is signed stays as it is.
  const content = platform.startsWith("linux-") ? withoutSymbols(whole) : whole;
  const { ZSTD_c_compressionLevel, ZSTD_c_enableLongDistanceMatching, ZSTD_c_windowLog } =
    zlib.constants;
  const packed = await step(`compressing Node.js for ${platform} (once)`, () =>
    promisify(zlib.zstdCompress)(content, {
      params: {
        [ZSTD_c_compressionLevel]: level,
        [ZSTD_c_enableLongDistanceMatching]: 1,
        [ZSTD_c_windowLog]: WINDOW_LOG,
      },
    }),
  );
  fs.writeFileSync(path.join(work, PACKED), packed);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const facts = { version: pin.version, size: content.length, sha256 };
  fs.writeFileSync(path.join(work, FACTS), JSON.stringify(facts));
  return [PACKED, FACTS, LICENCE];
}

/**
 * @param {string} folder
 * @param {Pin} pin
 * @param {NodeJS.ProcessEnv} env
 */
const download = (folder, { package: name, ...pin }, env) =>
  pinnedArchive(ROOT, env, { name, ...pin, folder });

const ELF_MAGIC = 0x464c457f;
const LOADED = 1;

/**
 * A program for Linux without what only debuggers read: the end of the file, after everything that
 * is loaded into memory.
 *
 * @param {Buffer} elf 64 bits, little-endian
 */
function withoutSymbols(elf) {
  if (elf.readUInt32LE(0) !== ELF_MAGIC) throw new Error("it is not a program for Linux");
  const headersAt = Number(elf.readBigUInt64LE(0x20));
  const headerSize = elf.readUInt16LE(0x36);
  const headerCount = elf.readUInt16LE(0x38);
  let end = headersAt + headerSize * headerCount;
  for (let index = 0; index < headerCount; index += 1) {
    const at = headersAt + headerSize * index;
    if (elf.readUInt32LE(at) !== LOADED) continue;
    const segmentAt = Number(elf.readBigUInt64LE(at + 0x08));
    end = Math.max(end, segmentAt + Number(elf.readBigUInt64LE(at + 0x20)));
  }
  const kept = Buffer.from(elf.subarray(0, end));
  // There is no table of sections any more: its place, its length and the section of names.
  kept.writeBigUInt64LE(0n, 0x28);
  kept.writeUInt16LE(0, 0x3c);
  kept.writeUInt16LE(0, 0x3e);
  return kept;
}

module.exports = { packedNode };
