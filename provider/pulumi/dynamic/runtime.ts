/** The engines of a dynamic provider process, opened with the stack's settings when first needed. */
import { Engines } from "../engines";
import { keysIn } from "../settings";
import { connectHost, type Host, type LogMessage } from "../plugin/host";

/** Pulumi's view of the stack's configuration. */
export interface StackConfig {
  get(key: string): string | undefined;
  /** Not in the SDK's types; without it no misspelled key is found. */
  readonly rawConfig?: Readonly<Record<string, unknown>>;
}

let stack: StackConfig | undefined;
let opened: Engines | undefined;

/** Called once per distinct program text; the configuration is the same for all. */
export function configureFrom(config: StackConfig): void {
  stack ??= config;
}

/** Whether Pulumi started this process; in a test or a program, its streams belong to something else. */
const isProvider = (): boolean => process.argv[1]?.includes("dynamic-provider") === true;
let host: Host | undefined;

/** Pulumi's engine, or standard error where no engine started this process. */
const engineHost = (): Host =>
  (host ??= connectHost(
    isProvider() ? process.argv.slice(2).find((each) => !each.startsWith("-")) : undefined,
    (line) => void process.stderr.write(`${line}\n`),
  ));

/** What was shown during a call, and may still be on its way. */
let showing = false;

/** Shows a message to the person, at the resource that it is about. */
export function show(message: LogMessage): void {
  showing = true;
  engineHost().log(message);
}

/** Writes to Pulumi's own verbose log: what is shown otherwise is shown in every run. */
const debug = (text: string): void => {
  if (isProvider()) engineHost().log({ severity: "debug", text });
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
    // Pulumi may end this process as soon as the last call is answered.
    if (showing) await engineHost().flushed();
    showing = false;
    running -= 1;
  }
}

let running = 0;

/** Pulumi's run is over. */
async function leave(): Promise<void> {
  // What could not be closed stays noted in the folder of intents.
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
  if (!isProvider()) return;
  for (const signal of ["SIGINT", "SIGBREAK"]) process.on(signal, () => void leave());
  process.stdin.on("end", end);
  process.stdin.on("error", end);
  process.stdin.resume();
}

/** The process's engines. An entry point: the environment comes in here. */
export function engines(): Engines {
  const { env, pid, platform } = process;
  opened ??= new Engines({
    get: (key) => stack?.get(`erphost:${key}`),
    keys: keysIn(stack?.rawConfig ?? {}),
    surroundings: { env, pid, platform, cwd: process.cwd() },
    warn: (text) => show({ severity: "warning", text }),
    logCall: debug,
  });
  return opened;
}
