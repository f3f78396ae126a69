"use strict";

const { readManifest } = require("./engines/cache.cjs");

/**
 * @typedef {object} Task
 * @property {string} about
 * @property {readonly string[]} command what Node.js runs, from the root of the checkout
 * @property {(args: readonly string[]) => readonly Need[]} [engines] what a call needs
 * @property {(args: readonly string[]) => readonly string[]} [optional] engines that a call uses
 *   only if they are already there
 * @property {(args: readonly string[], engines: readonly string[]) => boolean} [built] whether a
 *   call with these engines needs the compiled package
 * @property {(args: readonly string[], engines: readonly string[]) => readonly string[]} [args]
 *   what the command is given; by default the arguments
 * @property {boolean} [onMinimum] on the oldest Node.js that is supported
 */

/**
 * An engine, or several of which one is enough, in the order of preference.
 * @typedef {string | readonly string[]} Need
 */

/** Those that commands get by themselves. */
const ENGINES = ["pulumi", "tofu"];

/** Those that declare resources. */
const HOSTS = [...ENGINES, "terraform"];

/** Those that a few tests need. */
const OF_TESTS = ["restapi", "pulumi-sdk-gen", "act", "conftest", "versitygw", "chromium"];

/** The tests of the packages in strangers' projects, and longer runs of engines: `test:release`. */
const OF_RELEASE = ["--config", "jest.release.cjs"];

/** The tests that need no engine. */
const WITHOUT_ENGINES = "test/(?!e2e/)";

/**
 * Which engines a call of a task needs, by the words that name its sections, parts or faces.
 * @type {Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>}
 */
const BY_WORD = {
  bench: {
    refresh: [],
    waiting: [],
    pulumi: ["pulumi"],
    plugin: ["pulumi"],
    terraform: ["go-peer"],
    tofu: ["tofu", "go-peer"],
    import: ["terraform", "tofu", "pulumi"],
    startup: ["tofu", "go-peer"],
  },
  chaos: {
    "pulumi-dynamic": ["pulumi"],
    "pulumi-plugin": ["pulumi"],
    terraform: [],
    tofu: ["tofu"],
  },
  rehearsal: {
    pulumi: ["pulumi"],
    yaml: ["pulumi", "pulumi-sdk-gen"],
    "node-sdk": ["pulumi", "pulumi-sdk-gen"],
    "python-sdk": ["pulumi", "pulumi-sdk-gen"],
    terraform: [],
    tofu: ["tofu"],
    cdktf: ["tofu"],
  },
  soak: { load: [], model: [], stryker: [], schemathesis: ["schemathesis"] },
};

/** @type {Readonly<Record<string, Task>>} */
const TASKS = {
  demo: {
    about: "the main job, on the emulator, with the real engines",
    command: typescript("demo/main.ts"),
    engines: demoEngines,
    optional: (args) => (valuesOf("--engine", args)[0] === "all" ? ["terraform"] : []),
    built: (args, engines) =>
      engines.includes("pulumi") || valuesOf("--engine", args)[0] === "cdktf",
    args: (args, [engine]) =>
      engine === undefined || args.some(isEngineOption) ? args : [...args, "--engine", engine],
  },
  test: {
    about: "every test but those of the release; arguments go to jest",
    command: ["node_modules/jest/bin/jest.js"],
    engines: (args) => (needsNoEngine(args) ? [] : [...ENGINES, "act"]),
    optional: () => [...HOSTS, "terraform-oldest", ...OF_TESTS],
    built: (args) => !needsNoEngine(args),
    args: (args) => (pathsOf(args).some(isOfRelease) ? [...OF_RELEASE, ...args] : args),
  },
  "test:minimum": {
    about: "the fast tests, on the oldest supported Node.js",
    command: ["node_modules/jest/bin/jest.js"],
    args: (args) => (pathsOf(args).length > 0 ? args : [WITHOUT_ENGINES, ...args]),
    onMinimum: true,
  },
  check: {
    about: "types, lint, format, import table, dead code, package, stale generated files",
    command: typescript("scripts/check.ts"),
    engines: (args) => (args.length === 0 || args.includes("workflows") ? ["actionlint"] : []),
  },
  generate: {
    about: "writes every generated file; with `screenshots`, the pictures of the emulator's page",
    engines: (args) => (args.includes("screenshots") ? ["chromium"] : []),
    command: typescript("scripts/generate.ts"),
  },
  erphost: { about: "the command line, from source", command: typescript("cli/main.ts") },
  build: { about: "dist/, what npm publishes", command: typescript("scripts/build.ts") },
  "build:pulumi": {
    about: "dist/pulumi-plugin: the Pulumi plugin, its release archives and SDKs",
    command: typescript("scripts/release/pulumi.ts"),
    optional: () => ["pulumi-sdk-gen", "pulumi-sdk-gen-csharp-java"],
  },
  "build:terraform": {
    about: "the Terraform provider: its release and mirrors; see --help",
    command: typescript("scripts/release/terraform/main.ts"),
  },
  "release:build": {
    about: "dist/release: all that a release publishes, with its checksums",
    command: typescript("scripts/publish/gather.ts"),
    engines: (args) => (args.includes("--help") ? [] : ["pulumi-sdk-gen"]),
    optional: () => ["pulumi-sdk-gen-csharp-java"],
  },
  "release:version": {
    about: "the next version and its CHANGELOG.md, from the changesets",
    command: typescript("scripts/publish/version.ts"),
  },
  workflow: {
    about: "runs a job of CI on this machine: npm run workflow -- supply-chain",
    command: ["scripts/workflow.cjs"],
    engines: (args) => (args.length === 0 || args.includes("--help") ? [] : ["act"]),
  },
  "release:rehearse": {
    about: "a release, published to registries of this machine and installed by strangers",
    command: typescript("test/rehearsal/main.ts"),
    engines: (args) => {
      const all = [...ENGINES, "pulumi-sdk-gen"];
      return enginesOf("rehearsal", args, valuesOf("--only", args), all);
    },
    optional: () => ["terraform"],
  },
  "test:packages": {
    about: "the packages in projects of strangers, and longer runs; test:release runs it",
    command: ["node_modules/jest/bin/jest.js", ...OF_RELEASE],
    engines: () => [...ENGINES, "act", "pulumi-sdk-gen", "restapi", "conftest"],
    optional: () => ["terraform"],
    built: () => true,
    args: (args) => (pathsOf(args).length > 0 ? args : ["test/e2e/release", ...args]),
  },
  "test:browser": {
    about: "the emulator's page in a real browser: every flow, both widths, both schemes",
    command: ["node_modules/jest/bin/jest.js", ...OF_RELEASE],
    engines: () => ["chromium", "pulumi"],
    built: () => true,
    args: (args) => (pathsOf(args).length > 0 ? args : ["test/e2e/browser", ...args]),
  },
  bench: {
    about: "times and numbers of calls, compared with peers",
    command: typescript("test/bench/main.ts"),
    engines: benchEngines,
    built: (args) => benchEngines(args).includes("pulumi"),
    optional: () => ["terraform"],
  },
  "plans:record": {
    about: "records the plans that tests read, made by the real engines",
    command: typescript("test/plans/main.ts"),
    engines: () => ENGINES,
    optional: () => ["terraform"],
    built: () => true,
  },
  chaos: {
    about: "kills and faults while the engines work",
    command: typescript("test/chaos/main.ts"),
    engines: chaosEngines,
    optional: () => ["terraform"],
    built: (args) => chaosEngines(args).includes("pulumi"),
  },
  soak: {
    about: "what takes long: a load, the model, StrykerJS, Schemathesis",
    command: typescript("test/soak/main.ts"),
    engines: (args) => enginesOf("soak", args, valuesOf("--only", args), ["schemathesis"]),
  },
  mutants: {
    about: "breaks the product on purpose, one promise at a time; its tests must notice",
    command: typescript("test/mutants/main.ts"),
  },
  shell: {
    about: "a shell with the emulator running, the engines on PATH, and local state",
    command: typescript("scripts/shell.ts"),
    engines: (args) => HOSTS.filter((name) => name === valuesOf("--engine", args)[0]),
    optional: (args) => (args.some(isEngineOption) ? [] : HOSTS),
    built: (_, engines) => engines.includes("pulumi"),
  },
  engines: {
    about: "gets the named engines, or all that can be built, and prints where they are",
    command: ["scripts/engines/show.cjs"],
    engines: (args) => {
      if (args.includes("--help") || args.includes("-h")) return [];
      return args.length > 0 ? args : [...ENGINES, "restapi"];
    },
  },
  typescript: {
    about: "runs any TypeScript file of the checkout, as the tasks do",
    command: typescript(),
  },
};

function benchEngines(args) {
  const words = args.filter(
    (arg, index) => !arg.startsWith("-") && !/^--(?:rounds|json)$/.test(args[index - 1] ?? ""),
  );
  return enginesOf("bench", args, words, [...ENGINES, "go-peer"]);
}

function chaosEngines(args) {
  const named = valuesOf("--face", args);
  // Whoever follows the guides uses both, whatever the face.
  if (named.includes("all") || args.some((arg) => arg.includes("guides"))) return ENGINES;
  return enginesOf("chaos", args, named, ENGINES);
}

/**
 * An unknown word is rejected by the task itself, before any engine is built for it.
 * @param {string} task @param {readonly string[]} args
 * @param {readonly string[]} words what the arguments name
 * @param {readonly string[]} all where they name nothing
 * @returns {readonly string[]}
 */
function enginesOf(task, args, words, all) {
  if (args.includes("--help") || args.includes("-h")) return [];
  if (words.length === 0) return all;
  return [...new Set(words.flatMap((word) => BY_WORD[task]?.[word] ?? []))];
}

function typescript(...file) {
  return ["-r", "ts-node/register", ...file];
}

/**
 * The engines that the demo shows. An unknown one is rejected by the demo itself.
 * @param {readonly string[]} args @returns {readonly Need[]}
 */
function demoEngines(args) {
  if (args.includes("--help")) return [];
  const [named] = valuesOf("--engine", args);
  if (named === undefined) return [HOSTS];
  if (named === "cdktf") return [["tofu", "terraform"]];
  return named === "all" ? ENGINES : HOSTS.filter((name) => name === named);
}

function isEngineOption(word) {
  return word === "--engine" || word.startsWith("--engine=");
}

/**
 * The values of an option: `--only yaml,tofu`, `--only=yaml --only=tofu`.
 * @param {string} option @param {readonly string[]} args
 */
function valuesOf(option, args) {
  const words = args.flatMap((arg) => arg.split("="));
  return words.flatMap((word, index) => (words[index - 1] === option ? word.split(",") : []));
}

/**
 * A person who runs one folder of fast tests should not wait for engines. Only arguments that
 * certainly exclude end-to-end tests count; otherwise the engines are prepared.
 * @param {readonly string[]} args for jest
 */
function needsNoEngine(args) {
  if (args.includes("--listTests") || args.includes("--help")) return true;
  if (/ --selectProjects[= ]unit(?: -|$)/.test(` ${args.join(" ")}`)) return true;
  const folders = pathsOf(args).map((arg) => /^(?:\.\/)?test\/([^/]+)\//.exec(`${arg}/`)?.[1]);
  return folders.length > 0 && folders.every((folder) => folder !== undefined && folder !== "e2e");
}

/** @param {string} path of tests */
function isOfRelease(path) {
  return /^(?:\.\/)?test\/e2e\/(?:browser|release)\b/.test(path);
}

/** @param {readonly string[]} args for jest */
function pathsOf(args) {
  return args.filter(
    (arg, index) => !arg.startsWith("-") && !/^-[tw]$/.test(args[index - 1] ?? ""),
  );
}

/** @returns {string} every task, for a person who asked for one that does not exist */
function taskList() {
  const lines = Object.entries(TASKS).map(([name, { about }]) => `  ${name.padEnd(17)}${about}`);
  return `${lines.join("\n")}\nEngines: ${Object.keys(readManifest()).join(", ")}`;
}

module.exports = { TASKS, taskList };
