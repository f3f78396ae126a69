"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { MODULES } = require("./cache.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");

/** @typedef {import('./cache.cjs').Engine} Engine */
/** @typedef {import('./cache.cjs').BuildStep} BuildStep */

const BUILD_MS_MAX = 60 * 60_000;

/** Where a module is completed before it is compiled, below the folder that takes the programs. */
const SOURCE = "source";

/**
 * Takes the place of a remote backend of Terraform, and keeps state in memory. No test uses one, and
 * nothing that is built here is published.
 */
const STAND_IN = `package standin

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/remote-state/inmem"
)

func New() backend.Backend { return inmem.New() }
`;

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
  if (findProgram("go", env.PATH ?? "") === undefined) return "no `go` on PATH";
  return undefined;
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
  const folder = completed(part, path.join(path.dirname(target), SOURCE));
  await go(part, ["build", ...flags, String(part.package)], env, folder);
}

/**
 * Terraform's module has its remote backends in modules of their own, which the proxy does not hold:
 * our go.mod replaces each by a folder of stand-ins, which is written here.
 *
 * @param {BuildStep} part
 * @param {string} copy
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
 * @param {string} folder the module's
 */
async function go(part, args, env, folder = path.join(MODULES, String(part.module))) {
  const settings = { GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" };
  const host = { GOOS: "", GOARCH: "", GO111MODULE: "on" };
  const result = await runProgram("go", args, {
    cwd: folder,
    env: { ...env, ...settings, ...host },
    timeoutMs: BUILD_MS_MAX,
  });
  if (result.code === 0) return result.stdout;
  throw new Error(`go ${args[0]} for ${part.program} failed: ${lastLines(result.output)}`);
}

module.exports = { buildEngine, whyNotBuilt };
