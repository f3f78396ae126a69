"use strict";

/**
 * `node scripts/supply-chain/licences.cjs [--check]`: the licences of everything that is installed
 * with erphost, packed into its executables, or used to make it, from package-lock.json and
 * the list below. With `--check` one that is not allowed where it is used fails. Nothing has to be
 * installed for it.
 */

const fs = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");

/** May be installed with the package, and packed into an executable. */
const PERMISSIVE = new Set([
  ...["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0"],
  ...["ISC", "MIT", "Python-2.0", "Unlicense"],
]);

/**
 * May be used on a developer's machine as well, because none of it is handed on: data, and programs
 * whose licence asks for something of those who distribute them or sell them as a service.
 */
const FOR_TOOLS = new Set([...PERMISSIVE, "BUSL-1.1", "CC-BY-3.0", "CC-BY-4.0", "MPL-2.0"]);

/**
 * Packages that do not say it in SPDX's words, by their name and what they say instead.
 * @type {Record<string, string>}
 */
const READ_BY_HAND = {
  "@logdna/tail-file: SEE LICENSE IN LICENSE": "MIT",
  "jsonify: Public Domain": "CC0-1.0",
};

/**
 * @typedef {object} Component
 * @property {string} name
 * @property {string} version
 * @property {string} licence
 * @property {"installed" | "packed" | "tool"} use
 */

/** What the starter of the executables is compiled from. @type {readonly Component[]} */
const STARTER = [
  packed("Go's runtime and standard library", "1.25 or later", "BSD-3-Clause"),
  packed("github.com/klauspost/compress", "1.20.3", "BSD-3-Clause AND Apache-2.0 AND MIT"),
  packed("golang.org/x/net", "0.47.0", "BSD-3-Clause"),
  packed("golang.org/x/sys", "0.38.0", "BSD-3-Clause"),
  packed("golang.org/x/text", "0.31.0", "BSD-3-Clause"),
];

/** @param {string} name @param {string} version @param {string} licence @returns {Component} */
function packed(name, version, licence) {
  return { name, version, licence, use: "packed" };
}

/** @returns {any} */
const readJson = (/** @type {string} */ file) =>
  JSON.parse(fs.readFileSync(path.join(ROOT, file), "utf8"));

/** @returns {Component[]} every npm package that is locked, each version once */
function npmPackages() {
  /** @type {Map<string, Component>} */
  const found = new Map();
  for (const [folder, entry] of Object.entries(readJson("package-lock.json").packages)) {
    if (folder === "" || entry.link) continue;
    const name = folder.split("node_modules/").at(-1) ?? "";
    const said = String(entry.license ?? "not said");
    const licence = READ_BY_HAND[`${name}: ${said}`] ?? said;
    const use = entry.dev || entry.devOptional ? "tool" : "installed";
    found.set(`${name}@${entry.version} ${use}`, { name, version: entry.version, licence, use });
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** @returns {Component[]} what comes from elsewhere than npm */
function otherComponents() {
  const engines = Object.values(readJson("scripts/engines/manifest.json"));
  const binaries = Object.values(readJson("scripts/release/runtime/node-binaries.json"));
  const versions = [...new Set(binaries.map(({ version }) => version))].sort().reverse();
  return [
    packed("Node.js", versions.join(", "), "MIT"),
    ...STARTER,
    ...engines.map(({ title, version, licence }) => ({
      name: title,
      version,
      licence: licence ?? "not said",
      use: "tool",
    })),
  ];
}

/**
 * Go modules that are compiled into executables, which the list above has to know. What Go itself
 * gets for a program that uses an SDK is chosen and known by that program.
 * @returns {string[]} `NAME VERSION`
 */
function goModules() {
  const folder = path.join(ROOT, "scripts", "release", "runtime");
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "go.mod");
  return files.flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    const required = text.matchAll(/^(?:require)?\s+(\S+\.\S+\/\S+) v(\S+)/gm);
    return [...required].map(([, name, version]) => `${name} ${version}`);
  });
}

/**
 * @param {string} licence an expression of SPDX, without exceptions
 * @param {ReadonlySet<string>} allowed @returns {boolean}
 */
function isAllowed(licence, allowed) {
  const text = licence.trim();
  if (text.startsWith("(") && text.endsWith(")")) return isAllowed(text.slice(1, -1), allowed);
  if (text.includes(" OR ")) return text.split(" OR ").some((part) => isAllowed(part, allowed));
  return text.split(" AND ").every((part) => allowed.has(part.trim()));
}

/**
 * @param {readonly Component[]} components @param {readonly string[]} modules
 * @returns {string[]} a sentence for each that is not allowed
 */
function faults(components, modules) {
  const known = new Set(components.map(({ name, version }) => `${name} ${version}`));
  return [
    ...components
      .filter(({ licence, use }) => !isAllowed(licence, use === "tool" ? FOR_TOOLS : PERMISSIVE))
      .map(({ name, version, licence, use }) => {
        const where = use === "tool" ? "a tool" : use;
        return `${name} ${version}, which is ${where}, has the licence ${licence}`;
      }),
    ...modules
      .filter((name) => !known.has(name))
      .map((name) => `${name} is in a go.mod and not in scripts/supply-chain/licences.cjs`),
  ];
}

/** @returns {Component[]} */
function allComponents() {
  return [...npmPackages(), ...otherComponents()];
}

function main() {
  const components = allComponents();
  const found = faults(components, goModules());
  if (found.length > 0) {
    process.stderr.write(`${found.join("\n")}\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(`${components.length} components have licences that are allowed.\n`);
  }
}

module.exports = { STARTER, allComponents, faults, isAllowed, npmPackages, otherComponents };

if (require.main === module) main();
