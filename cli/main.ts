#!/usr/bin/env node
/** `erphost`: the only place where the command line touches its process. */
import "./start";
import { readFileSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Processes } from "../provider/engine";
import { run } from "./run";
import { decoded, type World } from "./world";

// By the name of the package, because this file is one folder deeper once it is built.
const { version } = require("erphost/package.json") as { readonly version: string };

const ORPHAN_CHECK_MS = 250;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

// npm runs `npx erphost …` and scripts in a shell, and a shell such as dash ends by a signal without
// passing it on. Anywhere else `erphost emulator &` may outlive its parent on purpose.
if (/^"?erphost\b/.test(process.env["npm_lifecycle_script"] ?? "")) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop.abort();
  }, ORPHAN_CHECK_MS);
  timer.unref();
}

// The engine is loaded by the commands that need it.
let userKey: World["userKey"] | undefined;
let processes: Processes | undefined;

const world: World = {
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  platform: process.platform,
  get processes() {
    const { systemProcesses } =
      require("../provider/engine/journal/processes") as typeof import("../provider/engine/journal/processes");
    return (processes ??= systemProcesses(process.pid));
  },
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  userKey: () => {
    const { readUserKey } = require("../provider/engine") as typeof import("../provider/engine");
    return (userKey ??= readUserKey(process))();
  },
  readFile: (path) => decoded(readFileSync(path)),
  readInput: async () => decoded(await buffer(addAbortSignal(stop.signal, process.stdin))),
  isTerminal: Boolean(process.stdout.isTTY),
  columns: process.stdout.columns,
  print: (line) => void process.stdout.write(`${line}\n`),
  report: (line) => void process.stderr.write(`${line}\n`),
  stopped: stop.signal,
  version,
};

// A reader that stops early, such as `head`, is not a failure. A listener and a job continue, though
// nothing takes their lines, as on a full disk; stderr hears of that once.
const goesOn = ["listen", "pipeline"].includes(process.argv[2] ?? "");
let isSaid = false;
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  const isLeft = code === "EPIPE";
  if (!isLeft && !isSaid) world.report(`error: stdout cannot be written (${code}).`);
  isSaid ||= !isLeft;
  if (!goesOn) process.exit(isLeft ? 0 : 1);
});
if (goesOn) process.stderr.on("error", () => undefined);

void run(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
});
