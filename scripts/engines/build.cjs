"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { MODULES } = require("./cache.cjs");
const { npm } = require("../bootstrap/install-with-npm.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { unpackBrowser } = require("./unpack.cjs");

/** @typedef {import('./cache.cjs').Engine} Engine */
/** @typedef {import('./cache.cjs').BuildStep} BuildStep */

const BUILD_MS_MAX = 60 * 60_000;

/**
 * Why this machine cannot build the engine; undefined where it can.
 *
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
function whyNotBuilt(engine, env) {
  if (engine.build === undefined) return "its source is not a Go module that can be built here";
  if (process.platform === "win32") return "not supported on Windows";
  if (hasStep(engine, "packages")) {
    const platform = `${process.platform}-${process.arch}`;
    return platform === "linux-x64" ? undefined : `there is no package for ${platform}`;
  }
  const { program } = toolOf(engine);
  return findProgram(program, env.PATH ?? "") === undefined
    ? `no \`${program}\` on PATH`
    : undefined;
}

/**
 * @param {Engine} engine
 * @param {"packages" | "requirements"} kind
 */
function hasStep({ build }, kind) {
  return build?.steps.some((part) => part[kind] !== undefined) ?? false;
}

/**
 * What an engine is built with.
 *
 * @param {Engine} engine
 */
function toolOf(engine) {
  if (hasStep(engine, "packages")) {
    return { program: "npm", title: "npm", help: "https://nodejs.org/en/download" };
  }
  return hasStep(engine, "requirements")
    ? { program: "python3", title: "Python", help: "https://www.python.org/downloads/" }
    : { program: "go", title: "Go", help: "https://go.dev/dl/" };
}

/**
 * @param {Engine} engine
 * @param {string} work takes the programs
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<readonly string[]>} the programs that are in it now
 */
async function buildEngine(engine, work, env) {
  const steps = engine.build?.steps ?? [];
  for (const part of steps) {
    const target = path.join(work, part.program);
    if (part.requirements !== undefined) await installRequirements(part, work, env);
    if (part.packages !== undefined) await installPackages(part.packages, work, env);
    if (part.launcher !== undefined) {
      fs.copyFileSync(path.join(__dirname, part.launcher), target);
    } else if (part.fromModule !== undefined) {
      await copyFromModule(part, target, env);
    } else {
      await compile(part, target, env);
    }
    fs.chmodSync(target, 0o755);
  }
  return steps.map((part) => part.program);
}

/**
 * @param {BuildStep} part
 * @param {string} target
 * @param {NodeJS.ProcessEnv} env
 */
async function compile(part, target, env) {
  const link = ["-s", "-w", part.link ?? ""].join(" ").trim();
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags", link, "-o", target];
  if (part.variant !== undefined) {
    flags.push("-modfile", `${part.variant}.mod`, "-tags", part.variant.replace(/-/g, ""));
  }
  await go(part, ["build", ...flags, String(part.package)], env);
}

/**
 * The pinned packages of PyPI, each with its checksum, beside the program that starts them.
 *
 * @param {BuildStep} part
 * @param {string} work
 * @param {NodeJS.ProcessEnv} env
 */
async function installRequirements({ program, module, requirements }, work, env) {
  const pins = path.join(MODULES, String(module), String(requirements));
  const words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
  const safely = ["--require-hashes", "--only-binary", ":all:"];
  const args = [...words, ...safely, "--target", path.join(work, "lib"), "--requirement", pins];
  const { code, output } = await runProgram("python3", args, { env, timeoutMs: BUILD_MS_MAX });
  if (code !== 0) throw new Error(`pip install for ${program} failed: ${lastLines(output)}`);
}

/**
 * Some files of a distribution are scripts, copied from the module unchanged.
 *
 * @param {BuildStep} part
 * @param {string} target
 * @param {NodeJS.ProcessEnv} env
 */
async function copyFromModule(part, target, env) {
  const found = await go(part, ["list", "-m", "-f", "{{.Dir}}", String(part.fromModule)], env);
  fs.copyFileSync(path.join(found.trim(), String(part.file)), target);
}

/**
 * Packages of npm that no checkout needs to install: each is checked against the lock file here.
 *
 * @param {string} name
 * @param {string} work
 * @param {NodeJS.ProcessEnv} env
 */
async function installPackages(name, work, env) {
  fs.cpSync(path.join(MODULES, name), work, { recursive: true });
  const root = path.join(__dirname, "..", "..");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await npm(root, env, args, work);
  if (code !== 0) throw new Error(`npm ci for ${name} failed: ${lastLines(output)}`);
  await unpackBrowser(path.join(work, "node_modules", "@sparticuz", "chromium", "bin"), work, env);
}

/**
 * The pins decide what is built, not the settings of the person who builds: no workspace, no
 * vendoring, no other target, and no C compiler, which small machines do not have.
 *
 * @param {BuildStep} part
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function go(part, args, env) {
  const settings = { GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" };
  const host = { GOOS: "", GOARCH: "", GO111MODULE: "on" };
  const result = await runProgram("go", args, {
    cwd: path.join(MODULES, String(part.module)),
    env: { ...env, ...settings, ...host },
    timeoutMs: BUILD_MS_MAX,
  });
  if (result.code === 0) return result.stdout;
  throw new Error(`go ${args[0]} for ${part.program} failed: ${lastLines(result.output)}`);
}

module.exports = { buildEngine, toolOf, whyNotBuilt };
