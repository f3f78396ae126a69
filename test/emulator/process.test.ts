/** The command as people run it: real processes, on one file, started by shells and by npm. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./support";

const ROOT = join(__dirname, "..", "..");
const MAIN = [process.execPath, "-r", "ts-node/register/transpile-only", "cli/main.ts"];
const TIMEOUT_MS = 60_000;

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly said: { out: string; err: string };
  /** The exit code. */
  readonly ended: Promise<number | null>;
  /** Fulfilled once the last line of the start is printed, or the process has ended. */
  readonly ready: Promise<void>;
  /** The word after a name. */
  readonly word: (name: string) => string;
}

let folder = "";
const started: Started[] = [];
const pids: number[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-emulator-"));
});
afterEach(async () => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  for (const { child, ended } of started.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts a program in the checkout and keeps what it says. */
function start(words: readonly string[], env: Record<string, string> = {}): Started {
  const [program = "", ...args] = words;
  const surroundings = { ...process.env, npm_lifecycle_script: undefined, ...env };
  const child = spawn(program, args, { cwd: ROOT, env: surroundings });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ready = (async () => {
    for (let turn = 0; turn < 600 && !said.out.includes("export "); turn += 1) {
      if ((await Promise.race([ended, pause(50)])) !== undefined) break;
    }
  })();
  const word = (name: string) => new RegExp(`${name} +(\\S+)`).exec(said.out)?.[1] ?? "";
  const run = { child, said, ended, ready, word };
  started.push(run);
  return run;
}

const pause = (ms: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

const emulator = (words: readonly string[] = [], env: Record<string, string> = {}) =>
  start([...MAIN, "emulator", "--port", "0", ...words], env);

const serves = (url: string) =>
  fetch(`${url}_emulator/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe("erphost emulator --data", () => {
  test(
    "of two emulators on one file the second is refused, and after a kill the next continues",
    async () => {
      const file = join(folder, "state.db");
      const env = { ERPHOST_EMULATOR_KEY: "acme_live_0123456789abcdef" };
      const first = emulator(["--data", file], env);
      await first.ready;
      expect(first.said.out).toContain(`  state       ${file}, new\n`);
      const second = emulator(["--data", file]);
      expect(await second.ended).toBe(1);
      expect(second.said.err).toContain(
        `error: --data ${file} is in use by another emulator (process ${first.child.pid}). Stop that one first, or use another file.`,
      );
      const made = await fetch(`${first.word("service")}/api-keys`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${first.word("admin key")}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ name: "k", permissions: ["read"] }),
      });
      expect(await made.json()).toMatchObject({
        data: { value: expect.stringMatching(/^erp_live_/) },
      });
      first.child.kill("SIGKILL");
      await first.ended;

      const seed = join(folder, "seed.json");
      writeFileSync(seed, JSON.stringify({ objects: { server: [{ name: "a" }] } }));
      const third = emulator(["--data", file, "--seed", seed]);
      await third.ready;
      expect(third.said.out).toContain(
        `  state       ${file}, continued, with its admin key; it holds 2 objects\n`,
      );
      expect(third.word("admin key")).toBe(env.ERPHOST_EMULATOR_KEY);
      expect(third.said.err).toContain(
        `warning: the seed is not the one that ${file} was started with, and is not applied.`,
      );
      third.child.kill("SIGTERM");
      expect(await third.ended).toBe(0);
      expect(existsSync(`${file}.pid`)).toBe(false);
    },
    TIMEOUT_MS,
  );

  test(
    "a file that cannot be opened, or a key that no client takes, is refused by its name",
    async () => {
      const file = join(folder, "nowhere", "state.db");
      const badFile = emulator(["--data", file]);
      const badKey = emulator([], { ERPHOST_EMULATOR_KEY: "secretsecretsecret" });
      expect([await badFile.ended, await badKey.ended]).toEqual([1, 2]);
      expect(badFile.said).toEqual({
        out: "",
        err: expect.stringContaining(
          `error: --data ${file} cannot be opened: its folder does not exist.`,
        ),
      });
      expect(badKey.said).toEqual({
        out: "",
        err: expect.stringContaining("error: emulator: ERPHOST_EMULATOR_KEY must be an API key"),
      });
    },
    TIMEOUT_MS,
  );
});

describe("who ends the emulator", () => {
  // A shell that has more to do does not become the program.
  const inShell = (words: readonly string[], env: Record<string, string>) =>
    start(["sh", "-c", '"$@" & echo "pid $!"; wait', "sh", ...words], env);
  const EMULATOR = [...MAIN, "emulator", "--port", "0"];
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
  ])(
    "where npm runs %s, the emulator ends when its shell has ended",
    async (npm_lifecycle_script, words) => {
      const shell = inShell(words, { npm_lifecycle_script });
      await shell.ready;
      pids.push(Number(shell.word("pid")));
      expect(await serves(shell.word("dashboard"))).toBe(true);
      shell.child.kill("SIGTERM");
      const isServed = () => serves(shell.word("dashboard"));
      expect(await until(isServed, (served) => !served)).toBe(false);
    },
    TIMEOUT_MS,
  );

  test(
    "an emulator that a person puts in the background outlives its shell",
    async () => {
      const shell = inShell(EMULATOR, {});
      await shell.ready;
      pids.push(Number(shell.word("pid")));
      shell.child.kill("SIGTERM");
      await until(
        () => shell.child.signalCode,
        (signal) => signal !== null,
      );
      await pause(1_000);
      expect(await serves(shell.word("dashboard"))).toBe(true);
    },
    TIMEOUT_MS,
  );
});
