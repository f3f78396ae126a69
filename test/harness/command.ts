/** How the engines are run: each command in its own process group, stopped when it takes too long. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { snake } from "../../provider/contract";
import { settings, variableOf, type Setting } from "../../provider/settings";
import { startProgram, type Finished } from "../../scripts/bootstrap/programs.cjs";

/**
 * What a plugin unpacks is shared by all workspaces, each of which has a home of its own: as the
 * user's own cache, because one that ERPHOST_CACHE_DIR names is hashed at every start.
 */
export const MACHINE_CACHE: Readonly<Record<string, string>> =
  process.env["ERPHOST_CACHE_DIR"] === undefined
    ? { XDG_CACHE_HOME: join(homedir(), ".cache") }
    : { ERPHOST_CACHE_DIR: process.env["ERPHOST_CACHE_DIR"] };

/** Tests have one (jest.config.js); benchmarks and the demo start like a user without. */
export const COMPILED =
  process.env["NODE_COMPILE_CACHE"] === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

/** What a command came to; a failure is an answer, not an exception. */
export type CommandResult = Finished;

export type RunningCommand = ReturnType<typeof startCommand>;

export interface CommandOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onOutput?: ((text: string) => void) | undefined;
  /** What starts it, such as the command that makes a process namespace. */
  readonly within?: readonly string[] | undefined;
  /** The state that it may write: a test looks through it for what is only true of a run. */
  readonly stateFile?: string | undefined;
}

/** States of a thousand objects are printed as JSON, and are read whole. */
const OUTPUT_CHARS_MAX = 64 * 1024 ** 2;

export function startCommand(
  program: string,
  args: readonly string[],
  { folder, env, timeoutMs, onOutput, within = [], stateFile }: CommandOptions,
) {
  const [first = program, ...rest] = [...within, program, ...args];
  const running = startProgram(first, rest, {
    cwd: folder,
    env: { ...COMPILED, ...env },
    timeoutMs,
    onOutput,
    group: true,
    outputCharsMax: OUTPUT_CHARS_MAX,
  });
  const isTest = process.env["JEST_WORKER_ID"] !== undefined;
  return {
    ...running,
    finished: running.finished.then((result) => {
      if (isTest && stateFile !== undefined) assertNothingOfRun(readState(stateFile), env);
      return result;
    }),
    /** Sends SIGINT to the engine and its providers, as a terminal does. */
    interrupt: () => running.signal("SIGINT"),
    /** Sends SIGKILL to the engine and everything that it started. */
    kill: () => running.signal("SIGKILL"),
  };
}

/** Settings that are for one run or one machine, as states would name them. */
const OF_RUN: readonly string[] = Object.entries<Setting>(settings).flatMap(([name, { perRun }]) =>
  perRun ? [name, snake(name), variableOf(name)] : [],
);

const readState = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/**
 * Looks through a state for settings of a run or of a machine: one that stays would hold for every
 * later run, and on every other machine.
 * @throws Error that names what it found
 */
export function assertNothingOfRun(state: string, env: Readonly<Record<string, string>>): void {
  const { [variableOf("intentsDir")]: intents = "" } = env;
  // Pulumi notes what each setting of a provider depends on, by its name and without its value.
  const found = OF_RUN.filter((name) => new RegExp(`"${name}":(?!\\s*\\[\\])`).test(state));
  if (intents !== "" && state.includes(intents)) found.push(intents);
  if (found.length > 0) throw new Error(`the state has what is for one run: ${found.join(", ")}`);
}
