"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { MODULES } = require("./cache.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");

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
  const { program } = toolOf(engine);
  return findProgram(program, env.PATH ?? "") === undefined
    ? `no \`${program}\` on PATH`
    : undefined;
}

/**
 * What an engine is built with.
 *
 * @param {Engine} engine
 */
function toolOf({ build }) {
  return build?.steps.some(({ requirements }) => requirements !== undefined)
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
    if (part.requirements !== undefined) await installPackages(part, work, env);
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
 * The pinned packages of PyPI, each with its checksum, next to the program that starts them.
 *
 * @param {BuildStep} part
 * @param {string} work
 * @param {NodeJS.ProcessEnv} env
 */
async function installPackages({ program, module, requirements }, work, env) {
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
