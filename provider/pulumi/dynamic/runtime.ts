/** One engine per dynamic provider process, made from the stack's configuration when first needed. */
import { openEngine, type Engine } from "../../engine";
import { sentence } from "../../messages";
import { settingsFrom } from "../settings";
import { voice } from "./voice";

/** Pulumi's view of the stack's configuration. */
export interface StackConfig {
  get(key: string): string | undefined;
}

let config: StackConfig | undefined;
let made: Engine | undefined;

/** Called once per distinct closure text; the configuration is the same for all. */
export function configureFrom(given: StackConfig): void {
  config ??= given;
}

/** Told to the person: Pulumi shows what a provider writes to stderr. */
export const tell = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/** How often the process looks whether its engine still lives, in milliseconds. */
const PARENT_CHECK_MS = 1_000;
let watching = false;

/**
 * Runs one call of Pulumi's. Pulumi starts this process in a group of its own and holds its standard
 * input: a kill of Pulumi alone leaves it behind, for ever. It ends at once then, even in the middle
 * of a call: nobody records what it would still create, and while it lived the next run would take
 * its intents for those of a run beside it, and create everything again.
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

/** Pulumi's goodbye: its run is over, and what was answered is in its state. */
async function leave(): Promise<void> {
  if (running === 0) await made?.close().catch(() => undefined);
  process.exit(0);
}

function watchEngine(): void {
  if (watching) return;
  watching = true;
  for (const stream of [process.stdout, process.stderr]) {
    // Else the SDK's handler of uncaught errors writes to a closed pipe for ever.
    if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  }
  const end = (): void => process.exit(1);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS);
  timer.unref();
  // Elsewhere (a test, a program) standard input is somebody else's.
  if (process.argv[1]?.includes("dynamic-provider") !== true) return;
  process.on("SIGINT", () => void leave());
  process.stdin.on("end", end);
  process.stdin.on("error", end);
  process.stdin.resume();
}

/** The process's engine. An entry point: the environment comes in here. */
export function engine(): Engine {
  made ??= openEngine({
    given: settingsFrom((key) => config?.get(`erphost:${key}`)),
    surroundings: {
      env: process.env,
      cwd: process.cwd(),
      pid: process.pid,
      platform: process.platform,
    },
    warn: (warning) => tell(`warning: ${sentence(voice, warning)}`),
  });
  return made;
}
