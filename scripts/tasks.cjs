"use strict";

const { readManifest } = require("./engines/cache.cjs");

/**
 * @typedef {object} Task
 * @property {string} about
 * @property {readonly string[]} command what Node.js runs, from the root of the checkout
 * @property {(args: readonly string[]) => readonly string[]} [engines] the engines that a call needs
 * @property {(args: readonly string[]) => boolean} [built] whether a call needs the compiled package
 * @property {readonly string[]} [optional] engines that are used only if they are already there
 */

const ENGINES = ["pulumi", "tofu"];

/** @typedef {Readonly<Record<string, readonly string[]>>} EnginesByWord */

/**
 * The engines that sections of the benchmarks need, where that is not all of them.
 * @type {EnginesByWord}
 */
const BENCH_ENGINES = { client: [], refresh: [], emulator: [], cdktf: [], pulumi: ["pulumi"] };

/**
 * The same for the faces of the chaos tests.
 * @type {EnginesByWord}
 */
const CHAOS_ENGINES = {
  engine: [],
  "pulumi-dynamic": ["pulumi"],
  "pulumi-plugin": ["pulumi"],
  terraform: [],
  tofu: ["tofu"],
};

/** @type {Readonly<Record<string, Task>>} */
const TASKS = {
  demo: {
    about: "the main job, on the emulator, with the real engines",
    command: typescript("demo/main.ts"),
    engines: demoEngines,
    built: () => true,
  },
  test: {
    about: "all tests; arguments go to jest",
    command: ["node_modules/jest/bin/jest.js"],
    engines: (args) => (needsNoEngine(args) ? [] : ENGINES),
    optional: [...ENGINES, "terraform", "pulumi-sdk-gen"],
    built: (args) => !needsNoEngine(args),
  },
  check: {
    about: "types, lint, format, import table, dead code, package, stale generated files",
    command: typescript("scripts/check.ts"),
  },
  generate: {
    about: "writes every generated file",
    command: typescript("scripts/generate.ts"),
  },
  erphost: {
    about: "the command line, from source",
    command: typescript("cli/main.ts"),
  },
  build: {
    about: "dist/, what npm publishes",
    command: typescript("scripts/build.ts"),
  },
  "build:pulumi": {
    about: "dist/pulumi-plugin: the Pulumi plugin, its release archives and SDKs",
    command: typescript("scripts/release/pulumi.ts"),
    optional: ["pulumi-sdk-gen", "pulumi-sdk-gen-csharp-java"],
  },
  "build:terraform": {
    about: "the Terraform provider: dist/terraform-mirror and its release",
    command: typescript("scripts/release/terraform.ts"),
  },
  bench: {
    about: "times and numbers of calls, compared with peers",
    command: typescript("test/bench/main.ts"),
    engines: (args) => enginesOf(BENCH_ENGINES, args, sectionsIn) ?? [...ENGINES, "restapi"],
    built: (args) => !args.includes("--help"),
    optional: ["terraform"],
  },
  chaos: {
    about: "kills and faults while the engines work",
    command: typescript("test/chaos/main.ts"),
    engines: (args) => enginesOf(CHAOS_ENGINES, args, facesIn) ?? ENGINES,
    optional: ["terraform"],
    built: (args) => !args.includes("--help"),
  },
  soak: {
    about: "a long load",
    command: typescript("test/soak/main.ts"),
  },
  mutants: {
    about: "breaks the product on purpose, one promise at a time; its tests must notice",
    command: typescript("test/mutants/main.ts"),
  },
  shell: {
    about: "a shell with the emulator running, the engines on PATH, and local state",
    command: typescript("scripts/shell.ts"),
    engines: () => ["pulumi"],
    optional: [...ENGINES, "terraform"],
    built: () => true,
  },
  engines: {
    about: "gets the named engines, or all that can be built, and prints where they are",
    command: ["scripts/engines/show.cjs"],
    engines: (args) => {
      if (args.includes("--help")) return [];
      return args.length > 0 ? args : [...ENGINES, "restapi"];
    },
  },
  typescript: {
    about: "runs any TypeScript file of the checkout, as the tasks do",
    command: typescript(),
  },
};

/** @param {readonly string[]} args */
const sectionsIn = (args) =>
  args.filter((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--rounds");

/** @param {readonly string[]} args */
const facesIn = (args) => args.filter((_, index) => args[index - 1] === "--face");

/**
 * @param {EnginesByWord} known
 * @param {readonly string[]} args
 * @param {(args: readonly string[]) => readonly string[]} wordsIn what the arguments name
 * @returns {readonly string[] | undefined} undefined if nothing is named, or something unknown
 */
function enginesOf(known, args, wordsIn) {
  if (args.includes("--help")) return [];
  const words = wordsIn(args);
  if (words.length === 0 || words.some((word) => !Object.hasOwn(known, word))) return undefined;
  return [...new Set(words.flatMap((word) => known[word] ?? []))];
}

/** @param {readonly string[]} file */
function typescript(...file) {
  return ["-r", "ts-node/register", ...file];
}

/**
 * The engines that the demo shows. An unknown one is rejected by the demo itself.
 *
 * @param {readonly string[]} args
 */
function demoEngines(args) {
  const words = args.flatMap((arg) => arg.split("="));
  const named = words[words.indexOf("--engine") + 1];
  const known = [...ENGINES, "terraform"];
  if (args.includes("--help")) return [];
  if (!words.includes("--engine")) return ["pulumi"];
  // Either engine works, and OpenTofu is the one that can be built here.
  if (named === "cdktf") return ["tofu"];
  return known.filter((name) => name === named || named === "all");
}

/**
 * A person who runs one folder of fast tests should not wait for engines. Only arguments that
 * certainly exclude end-to-end tests count; otherwise the engines are prepared.
 *
 * @param {readonly string[]} args for jest
 */
function needsNoEngine(args) {
  if (args.includes("--listTests") || args.includes("--help")) return true;
  if (/ --selectProjects[= ]unit(?: -|$)/.test(` ${args.join(" ")}`)) return true;
  const paths = args.filter((arg, index) => !arg.startsWith("-") && args[index - 1] !== "-t");
  const folders = paths.map((arg) => /^(?:\.\/)?test\/([^/]+)\//.exec(`${arg}/`)?.[1]);
  return folders.length > 0 && folders.every((folder) => folder !== undefined && folder !== "e2e");
}

/** @returns {string} every task, for a person who asked for one that does not exist */
function taskList() {
  const lines = Object.entries(TASKS).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  const engines = Object.keys(readManifest()).join(", ");
  return `${lines.join("\n")}\nEngines: ${engines}`;
}

module.exports = { TASKS, taskList };
