"use strict";

/**
 * `node scripts/supply-chain/lock-file.cjs [--check]`, after every change of dependencies: what npm
 * leaves out of package-lock.json, so that `npm ci` installs the same, verified, on every platform.
 *
 * npm does not lock a package for another platform when it cannot get it, and then rejects that
 * very file in `npm ci`. What is missing is added here with its checksum and its licence, as the
 * registry gives them. With `--check` nothing is written and no registry is asked, and an
 * incomplete lock file fails.
 */

const fs = require("node:fs");
const path = require("node:path");
const { lastLines, runProgram } = require("../bootstrap/programs.cjs");

const LOCK_FILE = path.join(__dirname, "..", "..", "package-lock.json");
const VIEW_MS_MAX = 60_000;

/**
 * @typedef {object} Locked
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [dev]
 * @property {boolean} [link] a folder of this checkout
 * @property {boolean} [inBundle] part of the archive of the package above it, or of ours
 * @property {readonly string[]} [bundleDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {Record<string, Locked>} Packages by their folder */

/**
 * Packages that others name as optional dependencies and that are not locked.
 * @param {Packages} packages @returns {[folder: string, entry: Locked][]}
 */
function missing(packages) {
  const present = new Set(Object.keys(packages).map(nameOf));
  return Object.values(packages).flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !present.has(name))
      .map(([name, version]) => [`node_modules/${name}`, { version, ...(dev ? { dev } : {}) }]),
  );
}

/**
 * @returns {string[]} the folders of packages that are in the archive which npm gets: those that
 *   package.json bundles, with what they need
 */
function bundled() {
  /** @type {{ packages: Packages }} */
  const { packages } = JSON.parse(fs.readFileSync(LOCK_FILE, "utf8"));
  return Object.keys(packages).filter((one) => packages[one]?.inBundle && !isOthers(packages, one));
}

/**
 * @param {Packages} packages @param {string} folder
 * @returns {boolean} whether the archive of a package above it brings it
 */
function isOthers(packages, folder) {
  return Object.entries(packages).some(([above, { bundleDependencies }]) => {
    return bundleDependencies && above !== "" && folder.startsWith(`${above}/`);
  });
}

function nameOf(folder) {
  return folder.split("node_modules/").at(-1) ?? "";
}

/** Folders of packages that npm would install unverified. @param {Packages} packages */
function unverified(packages) {
  return Object.entries(packages)
    .filter(([folder, { integrity, link }]) => {
      return folder !== "" && !integrity && !isOthers(packages, folder) && !link;
    })
    .map(([folder]) => folder);
}

/**
 * @param {string} folder @param {Locked} entry
 * @returns {Promise<Locked>} what npm would have written
 */
async function lookUp(folder, { version, dev }) {
  const wanted = `${nameOf(folder)}@${version}`;
  const fields = ["version", "dist.integrity", "license", "os", "cpu", "libc", "engines"];
  const { code, stdout, output } = await runProgram("npm", ["view", wanted, ...fields, "--json"], {
    env: process.env,
    timeoutMs: VIEW_MS_MAX,
  });
  if (code !== 0) throw new Error(`npm knows no ${wanted}: ${lastLines(output, 3)}`);
  const { "dist.integrity": integrity, license, ...limits } = JSON.parse(stdout);
  if (!/^sha512-/.test(integrity)) throw new Error(`the registry has no checksum of ${wanted}`);
  const { version: found, cpu, engines, libc, os } = limits;
  const list = (/** @type {unknown} */ value) => (value === undefined ? undefined : [value].flat());
  return JSON.parse(
    JSON.stringify({
      version: found,
      integrity,
      cpu: list(cpu),
      dev,
      libc: list(libc),
      license,
      optional: true,
      os: list(os),
      engines,
    }),
  );
}

async function main(words) {
  const lockFile = JSON.parse(fs.readFileSync(LOCK_FILE, "utf8"));
  /** @type {Packages} */
  const packages = lockFile.packages;
  const absent = missing(packages);
  const blind = unverified(packages);
  if (words.includes("--check")) {
    const faults = [
      ...absent.map(([folder]) => `${nameOf(folder)} is not in it`),
      ...blind.map((folder) => `${folder} has no checksum`),
    ];
    if (faults.length === 0) return;
    throw new Error(
      `package-lock.json is incomplete:\n  ${faults.join("\n  ")}\n` +
        "Run node scripts/supply-chain/lock-file.cjs and commit the file.",
    );
  }
  const wanted = [...absent, ...blind.map((folder) => [folder, packages[folder] ?? {}])];
  for (const [folder, entry] of /** @type {[string, Locked][]} */ (wanted)) {
    packages[folder] = await lookUp(folder, entry);
  }
  if (wanted.length === 0) return;
  const order = ([left], [right]) => left.localeCompare(right, "en");
  lockFile.packages = Object.fromEntries(Object.entries(packages).sort(order));
  fs.writeFileSync(LOCK_FILE, `${JSON.stringify(lockFile, null, 2)}\n`);
  process.stdout.write(`completed ${wanted.length} packages of package-lock.json\n`);
}

module.exports = { bundled, missing, unverified };

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
