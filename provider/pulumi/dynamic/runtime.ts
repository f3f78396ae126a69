/** One engine per dynamic provider process, made from the stack's configuration when first needed. */
import { openEngine, type Engine } from "../../engine";
import { settingsFrom } from "../settings";

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
let working = 0;
let watching = false;

/**
 * Runs one call of Pulumi's. When the engine is killed, nobody ends this process and nobody reads
 * what it says: calls that were begun are finished, so that their intents are marked, and then it
 * ends. Without that the SDK's handler of uncaught errors writes to a closed pipe for ever.
 */
export async function underEngine<T>(work: () => Promise<T>): Promise<T> {
  watchEngine();
  working += 1;
  try {
    return await work();
  } finally {
    working -= 1;
  }
}

function watchEngine(): void {
  if (watching) return;
  watching = true;
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  }
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent && working === 0) process.exit(0);
  }, PARENT_CHECK_MS);
  timer.unref();
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
    warn: (message) => tell(`warning: ${message}`),
    importHint: (kind, id) => `give new ${kind.title}(…) the argument adoptId: "${id}"`,
  });
  return made;
}
