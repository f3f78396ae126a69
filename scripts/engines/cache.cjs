"use strict";

const { createHash, randomUUID } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { onInterrupt } = require("../bootstrap/interrupt.cjs");

const MANIFEST = path.join(__dirname, "manifest.json");

/** Go modules with their checksums, a folder each. */
const MODULES = path.join(__dirname, "modules");

/** The file that describes a cache entry: what it is, and the checksum of each program in it. */
const RECORD = "entry.json";

/**
 * @typedef {object} BuildStep one program, made in one of these ways
 * @property {string} program
 * @property {string} [module] folder under modules/ with go.mod and go.sum
 * @property {string} [variant] built with this .mod file of the folder instead of go.mod, and with
 *   the build tag of the same name without hyphens
 * @property {string} [package] compiled from this Go package
 * @property {string} [link] more flags for the linker, such as the version to report
 * @property {string} [fromModule] copied out of this Go module
 * @property {string} [file] its path in that module
 * @property {string} [launcher] copied from this folder
 * @property {string} [requirements] packages of PyPI that it starts, pinned in this file of the module
 * @property {string} [packages] folder under modules/ with what `npm ci` installs next to the program
 */

/**
 * @typedef {object} Release
 * @property {string} address the folder that holds the archives
 * @property {Record<string, { file: string, folder?: string, sha256: string }>} archives by platform
 */

/**
 * @typedef {object} Engine
 * @property {string} title
 * @property {string} licence of the program, in the words of SPDX
 * @property {string} version what is built or downloaded
 * @property {string} [accepted] range of versions that are accepted on PATH
 * @property {string} [gets] narrower: those for which nothing newer is got where somebody asks for it
 * @property {readonly string[]} [probe] the command that prints the version
 * @property {readonly string[]} programs
 * @property {string} help where installing it is explained
 * @property {{ minutes: [idle: number, busy: number], steps: readonly BuildStep[] }} build how
 *   long building takes on two cores with nothing else to do, and on two that others use as well
 * @property {Release} [release]
 */

/**
 * The file says a version once: `{version}` stands for it, and `{platform}` and `{platform_in_go}`
 * for `linux-x64` and `linux_amd64`. A build of one step has the step's members, by default a program
 * and a module of the engine's name.
 * @returns {Record<string, Engine>}
 */
function readManifest() {
  const manifest = JSON.parse(fs.readFileSync(MANIFEST, "utf8"));
  for (const [name, engine] of Object.entries(manifest)) {
    const text = JSON.stringify(engine).replaceAll("{version}", engine.version);
    const { release, build, ...others } = JSON.parse(text);
    const { minutes, steps: several, ...step } = build;
    const steps = several ?? [{ program: name, module: name, ...step }];
    manifest[name] = {
      ...others,
      programs: steps.map(({ program }) => program),
      build: { minutes, steps },
      ...(release && { release: releaseOf(release) }),
    };
  }
  return manifest;
}

/**
 * @param {{ address: string, file: string, folder?: string, sha256: Record<string, string> }} release
 * @returns {Release}
 */
function releaseOf({ address, file, folder, sha256: pins }) {
  const archives = Object.entries(pins).map(([platform, pin]) => {
    const inGo = platform.replace("-", "_").replace("x64", "amd64");
    const name = file.replace("{platform}", platform).replace("{platform_in_go}", inGo);
    return [platform, { file: name, folder, sha256: pin }];
  });
  return { address, archives: Object.fromEntries(archives) };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} what can be made again, for every checkout of this user
 */
function baseFolder(env) {
  const home = os.homedir();
  if (env.ERPHOST_CACHE_DIR) return path.resolve(env.ERPHOST_CACHE_DIR);
  if (env.XDG_CACHE_HOME) return path.resolve(env.XDG_CACHE_HOME, "erphost");
  if (process.platform === "darwin") return path.join(home, "Library", "Caches", "erphost");
  if (process.platform === "win32") {
    return path.join(env.LOCALAPPDATA ?? path.join(home, "AppData", "Local"), "erphost", "Cache");
  }
  return path.join(home, ".cache", "erphost");
}

/**
 * A digest of all that the engine is made from is in the name: a changed pin is another entry.
 * @param {string} cache @param {string} name @param {Engine} engine
 */
function entryFolder(cache, name, engine) {
  const hash = createHash("sha256");
  const { version, build, release } = engine;
  hash.update(JSON.stringify([version, build.steps, release, process.platform, process.arch]));
  for (const [name, file] of sourceFiles(engine)) {
    hash.update(`\n${name}\n`).update(fs.readFileSync(file));
  }
  return path.join(cache, `${name}-${engine.version}-${hash.digest("hex").slice(0, 16)}`);
}

/** @param {Engine} engine @returns {[name: string, file: string][]} sorted by name, each once */
function sourceFiles(engine) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const { module, packages, launcher } of engine.build.steps) {
    if (launcher !== undefined) files.set(launcher, path.join(__dirname, launcher));
    const folder = module ?? packages;
    if (folder === undefined) continue;
    for (const name of fs.readdirSync(path.join(MODULES, folder))) {
      files.set(`${folder}/${name}`, path.join(MODULES, folder, name));
    }
  }
  return [...files].sort(([left], [right]) => (left < right ? -1 : 1));
}

/**
 * An entry with a program that is incomplete or was changed counts as missing.
 * @param {string} folder @param {Pick<Engine, "programs">} engine
 */
function isWhole(folder, engine) {
  try {
    const record = JSON.parse(fs.readFileSync(path.join(folder, RECORD), "utf8"));
    const sums = Object.entries(record.sha256);
    return (
      engine.programs.every((program) => program in record.sha256) &&
      sums.every(([program, sum]) => sha256(path.join(folder, program)) === sum)
    );
  } catch {
    return false;
  }
}

/** Reads in pieces, because engines are too large to hold in memory. @param {string} file */
function sha256(file) {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(1 << 20);
  const descriptor = fs.openSync(file, "r");
  try {
    for (;;) {
      const length = fs.readSync(descriptor, buffer, 0, buffer.length, null);
      if (length === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, length));
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Makes an entry: `fill` writes the programs into a separate folder, which is renamed to the
 * entry's name once it is complete. A process that is killed leaves only such a folder, which the
 * next process for the same engine removes.
 * @param {string} folder the entry
 * @param {(work: string) => Promise<readonly string[]>} fill returns the programs it wrote
 * @param {string} source where they come from, for a reader of the record
 */
async function makeEntry(folder, fill, source) {
  const drafts = `${folder}.draft`;
  fs.rmSync(drafts, { recursive: true, force: true });
  const work = path.join(drafts, randomUUID());
  fs.mkdirSync(work, { recursive: true, mode: 0o700 });
  const discard = () => fs.rmSync(drafts, { recursive: true, force: true, maxRetries: 3 });
  const forget = onInterrupt(discard);
  try {
    const sums = (await fill(work)).map((program) => [program, sha256(path.join(work, program))]);
    const record = { source, madeAt: new Date().toISOString(), sha256: Object.fromEntries(sums) };
    fs.writeFileSync(path.join(work, RECORD), `${JSON.stringify(record, null, 2)}\n`);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(work, folder);
  } finally {
    forget();
    discard();
  }
}

module.exports = { MODULES, baseFolder, entryFolder, isWhole, makeEntry, readManifest, sha256 };
