#!/usr/bin/env node
"use strict";

/**
 * Every npm script of the checkout goes through here: `node scripts/run.cjs TASK [WORDS…]`. It
 * gets what the task needs (dependencies, Node.js, engines), then becomes the task: its input and
 * output, its signals, its exit code. It starts on Node.js 20 or later before anything is
 * installed, and is therefore plain JavaScript without dependencies. Its own output goes to stderr,
 * and it is silent when nothing had to be prepared.
 */

const path = require("node:path");
const { ensureBuild } = require("./bootstrap/package.cjs");
const { ensureDependencies } = require("./bootstrap/dependencies.cjs");
const { ensureEngines } = require("./engines/get.cjs");
const { listenForInterrupts } = require("./bootstrap/interrupt.cjs");
const { ensureNodeRelease, minimumNode } = require("./engines/node.cjs");
const { becomeProgram } = require("./bootstrap/programs.cjs");
const { say } = require("./bootstrap/progress.cjs");
const { TASKS, taskList } = require("./tasks.cjs");

const ROOT = path.join(__dirname, "..");

/** The exit code for wrong usage, as in most command lines. */
const USAGE = 2;

/** @param {readonly string[]} call @returns {Promise<number>} the exit code */
async function main(call) {
  const [name = "", ...args] = call;
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (task === undefined) {
    say(name === "" ? "name a task:" : `there is no task "${name}"; use one of these:`);
    process.stderr.write(`${taskList()}\n`);
    return USAGE;
  }
  const stopListening = listenForInterrupts();
  const own = await ensureDependencies(ROOT, process.env);
  // CI tries every version that is supported, and names each here.
  const named = process.env.ERPHOST_TASKS_NODE || own;
  const node = task.onMinimum
    ? await ensureNodeRelease(ROOT, process.env, minimumNode(ROOT))
    : named;
  const env = environment(node);
  const engines = await ensureEngines(task.engines?.(args) ?? [], task.optional?.(args) ?? [], {
    ...{ env, node, insists: name === "engines" },
  });
  const names = engines.found.map((engine) => engine.name);
  const words = task.args?.(args, names) ?? args;
  if (task.built?.(words, names)) await ensureBuild(ROOT, env, node);
  stopListening();
  env.PATH = engines.searchPath;
  env.ERPHOST_ENGINES_FOUND = engines.found
    .map(({ name: engine, source, folder }) => `${engine} (${source}): ${folder}`)
    .join("\n");
  return becomeProgram(node, [...task.command, ...words], { cwd: ROOT, env });
}

/**
 * @param {string} node
 * @returns {NodeJS.ProcessEnv} with that Node.js and the checkout's tools first on PATH
 */
function environment(node) {
  const first = [...new Set([path.dirname(node), path.join(ROOT, "node_modules", ".bin")])];
  const others = (process.env.PATH ?? "").split(path.delimiter);
  const folders = [...first, ...others.filter((one) => !first.includes(one))];
  return { ...process.env, PATH: folders.join(path.delimiter) };
}

main(process.argv.slice(2)).then(
  (code) => void (process.exitCode = code),
  (error) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
