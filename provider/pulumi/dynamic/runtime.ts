/** The one engine of a dynamic provider process, opened with the stack's settings when first needed. */
import { openEngine, type Engine } from "../../engine";
import { sentence } from "../../messages";
import { settingsFrom } from "../settings";
import { dynamicVoice } from "../voice";

/** Pulumi's view of the stack's configuration. */
export interface StackConfig {
  get(key: string): string | undefined;
}

let stack: StackConfig | undefined;
let opened: Engine | undefined;

/** Called once per distinct closure text; the configuration is the same for all. */
export function configureFrom(config: StackConfig): void {
  stack ??= config;
}

/** Shows a line to the person: Pulumi prints what a provider writes to stderr. */
export const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** How often the process checks that Pulumi is still alive, in milliseconds. */
const PARENT_CHECK_MS = 1_000;
let watching = false;

/**
 * Runs one call of Pulumi's. Pulumi starts this process in a separate group and holds its standard
 * input, so a kill of Pulumi alone would leave it running forever. It exits at once then, even in the
 * middle of a call: nobody would record what it creates, and while it runs the next run takes its
 * intents for those of a parallel run and creates everything again.
 */
export async function underEngine<T>(work: () => Promise<T>): Promise<T> {
  watchEngine();
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

/** Calls under way. */
let running = 0;

/** Pulumi's run is over, and everything that was answered is in its state. */
async function leave(): Promise<void> {
  if (running === 0) await opened?.close().catch(() => undefined);
  process.exit(0);
}

function watchEngine(): void {
  if (watching) return;
  watching = true;
  for (const stream of [process.stdout, process.stderr]) {
    // Otherwise the SDK's handler of uncaught errors writes to a closed pipe forever.
    if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  }
  const end = (): void => process.exit(1);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS);
  timer.unref();
  // In a test or a program, standard input belongs to something else.
  if (process.argv[1]?.includes("dynamic-provider") !== true) return;
  process.on("SIGINT", () => void leave());
  process.stdin.on("end", end);
  process.stdin.on("error", end);
  process.stdin.resume();
}

/** The process's engine. An entry point: the environment comes in here. */
export function engine(): Engine {
  opened ??= openEngine({
    given: settingsFrom((key) => stack?.get(`erphost:${key}`)),
    surroundings: {
      env: process.env,
      cwd: process.cwd(),
      pid: process.pid,
      platform: process.platform,
    },
    warn: (warning) => print(`warning: ${sentence(dynamicVoice, warning)}`),
  });
  return opened;
}
