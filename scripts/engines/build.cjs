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

/** Where a module is completed before it is compiled, below the folder that takes the programs. */
const SOURCE = "source";

/** In place of Terraform's remote backends, in memory; no test uses one and none is published. */
const STAND_IN = `package standin

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/remote-state/inmem"
)

func New() backend.Backend { return inmem.New() }
`;

/**
 * Why this machine cannot build the engine; undefined where it can.
 * @param {Engine} engine @param {NodeJS.ProcessEnv} env @returns {string | undefined}
 */
function whyNotBuilt(engine, env) {
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

function hasStep({ build }, kind) {
  return build.steps.some((part) => part[kind] !== undefined);
}

/** What an engine is built with. @param {Engine} engine */
function toolOf(engine) {
  if (hasStep(engine, "packages")) {
    return { program: "npm", title: "npm", help: "https://nodejs.org/en/download" };
  }
  return hasStep(engine, "requirements")
    ? { program: "python3", title: "Python", help: "https://www.python.org/downloads/" }
    : { program: "go", title: "Go", help: "https://go.dev/dl/" };
}

/**
 * @param {Engine} engine @param {string} work takes the programs
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<readonly string[]>} the programs that are in it now
 */
async function buildEngine(engine, work, env) {
  const { steps } = engine.build;
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
  fs.rmSync(path.join(work, SOURCE), { recursive: true, force: true });
  return steps.map((part) => part.program);
}

async function compile(part, target, env) {
  const link = ["-s", "-w", part.link ?? ""].join(" ").trim();
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags", link, "-o", target];
  if (part.variant !== undefined) {
    flags.push("-modfile", `${part.variant}.mod`, "-tags", part.variant.replace(/-/g, ""));
  }
  const folder = completed(part, path.join(path.dirname(target), SOURCE));
  await go(part, ["build", ...flags, String(part.package)], env, folder);
}

/**
 * The proxy lacks the modules of Terraform's backends: go.mod has stand-ins, written here.
 * @param {BuildStep} part @param {string} copy
 * @returns {string} the module's folder; the copy where something was missing
 */
function completed({ module }, copy) {
  const folder = path.join(MODULES, String(module));
  const pins = path.join(folder, "go.mod");
  const text = fs.existsSync(pins) ? fs.readFileSync(pins, "utf8") : "";
  const missing = [...text.matchAll(/=> \.\/(stand-ins\/\w+)$/gm)].map(([, name = ""]) => name);
  if (missing.length > 0) fs.cpSync(folder, copy, { recursive: true });
  for (const name of missing) {
    fs.mkdirSync(path.join(copy, name), { recursive: true });
    fs.writeFileSync(path.join(copy, name, "go.mod"), "module standin\n");
    fs.writeFileSync(path.join(copy, name, "backend.go"), STAND_IN);
  }
  return missing.length > 0 ? copy : folder;
}

/**
 * The pinned packages of PyPI, each with its checksum, next to the program that starts them.
 * @param {BuildStep} part @param {string} work @param {NodeJS.ProcessEnv} env
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
 * @param {BuildStep} part @param {string} target @param {NodeJS.ProcessEnv} env
 */
async function copyFromModule(part, target, env) {
  const found = await go(part, ["list", "-m", "-f", "{{.Dir}}", String(part.fromModule)], env);
  fs.copyFileSync(path.join(found.trim(), String(part.file)), target);
}

/**
 * Packages of npm that no checkout needs to install: each is checked against the lock file here.
 * @param {string} name @param {string} work @param {NodeJS.ProcessEnv} env
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
 * @param {BuildStep} part @param {readonly string[]} args @param {NodeJS.ProcessEnv} env
 * @param {string} folder the module's
 */
async function go(part, args, env, folder = path.join(MODULES, String(part.module))) {
  const settings = { GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" };
  const result = await runProgram("go", args, {
    cwd: folder,
    env: { ...env, ...settings, GOOS: "", GOARCH: "", GO111MODULE: "on" },
    timeoutMs: BUILD_MS_MAX,
  });
  if (result.code === 0) return result.stdout;
  throw new Error(`go ${args[0]} for ${part.program} failed: ${lastLines(result.output)}`);
}

module.exports = { buildEngine, toolOf, whyNotBuilt };
