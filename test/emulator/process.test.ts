/** The command as people run it: real processes, on one file, started by shells and by npm. */
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../support/folder";
import { isAlive, pause, until } from "./support";

const ROOT = join(__dirname, "..", "..");
const MAIN = [process.execPath, "-r", "ts-node/register/transpile-only", "cli/main.ts"];
jest.setTimeout(60_000);

const started: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
const pids: number[] = [];
afterEach(async () => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  for (const { child, ended } of started.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
});

/** Starts a program in the checkout and keeps what it says. */
function start(words: readonly string[], env: Record<string, string> = {}) {
  const [program = "", ...args] = words;
  const surroundings = { ...process.env, npm_lifecycle_script: undefined, ...env };
  const child = spawn(program, args, { cwd: ROOT, env: surroundings });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  /** The exit code. */
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const printed = new Promise<void>((resolve) =>
    child.stdout.on("data", () => said.out.includes("export ") && resolve()),
  );
  /** Fulfilled once the last line of the start is printed, or the process has ended. */
  const ready = Promise.race([ended, printed]);
  /** The word after a name. */
  const word = (name: string) => new RegExp(`${name} +(\\S+)`).exec(said.out)?.[1] ?? "";
  const run = { child, said, ended, ready, word };
  started.push(run);
  return run;
}

const EMULATOR = [...MAIN, "emulator", "--port", "0"];

const serves = (url: string) =>
  fetch(`${url}_emulator/health`).then(
    ({ ok }) => ok,
    () => false,
  );

test("a signal to end ends the emulator with exit code 0, and its data file is free", async () => {
  const file = join(folder(), "state.db");
  const run = start([...EMULATOR, "--data", file]);
  await run.ready;
  expect(existsSync(`${file}.pid`)).toBe(true);
  run.child.kill("SIGTERM");
  expect(await run.ended).toBe(0);
  expect(existsSync(`${file}.pid`)).toBe(false);
});

describe("who ends the emulator", () => {
  // A shell that has more to do does not become the program.
  const inShell = (words: readonly string[], env: Record<string, string>) =>
    start(["sh", "-c", '"$@" & echo "pid $!"; wait', "sh", ...words], env);
  // What `npm run erphost` comes to once everything is installed.
  const TASK = [
    process.execPath,
    "-e",
    `require("./scripts/bootstrap/programs.cjs")
       .becomeProgram(process.argv[1], process.argv.slice(2), { env: process.env })`,
    ...EMULATOR,
  ];

  test.each([
    ["erphost emulator --port 0", EMULATOR],
    ["node scripts/run.cjs erphost", TASK],
  ])("where npm runs it, %s ends with its shell", async (npm_lifecycle_script, words) => {
    const shell = inShell(words, { npm_lifecycle_script });
    await shell.ready;
    pids.push(Number(shell.word("pid")));
    expect(await serves(shell.word("dashboard"))).toBe(true);
    shell.child.kill("SIGTERM");
    await until(async () => !(await serves(shell.word("dashboard"))));
  });

  test("an emulator that a person puts in the background outlives its shell", async () => {
    const shell = inShell(EMULATOR, {});
    await shell.ready;
    pids.push(Number(shell.word("pid")));
    shell.child.kill("SIGTERM");
    await once(shell.child, "exit");
    await pause(600);
    expect(await serves(shell.word("dashboard"))).toBe(true);
  });
});
