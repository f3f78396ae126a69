/** `erphost emulator`: from options to printed lines. The process is passed in. */
import { Command, InvalidArgumentError, Option } from "commander";
import { readFileSync } from "node:fs";
import {
  DURATION_EXPECTED,
  durationMs,
  isRecord,
  keyClasses,
  LIMIT_EXPECTED,
  limitOf,
  plans,
  type LimitWindow,
} from "../provider/contract";
import type { KeyClassName, PlanName } from "../provider/contract";
import type { Seed } from "./control/schema";
import { startEmulator } from "./index";
import { COMMAND_PORT, DEFAULTS } from "./options";

/** What the command needs from its process. */
export interface CommandWorld {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Aborted when the emulator is to stop. */
  readonly stopped: AbortSignal;
}

/** The options as commander reads them. */
interface Parsed {
  readonly host: string;
  readonly port: number;
  readonly data?: string;
  readonly durable?: boolean;
  readonly plan: PlanName;
  readonly keyClass: KeyClassName;
  readonly limit?: LimitWindow[];
  readonly strict?: boolean;
  readonly genericAuthErrors?: boolean;
  readonly seed?: string;
  readonly profile?: string;
  readonly provisionMs: number;
}

const port = (text: string): number => {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError("must be a port from 0 to 65535; 0 picks a free one.");
};

const milliseconds = (text: string): number => {
  const value = durationMs(text, "ms");
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`${DURATION_EXPECTED}, or plain milliseconds.`);
};

const limit = (text: string, before: LimitWindow[] = []): LimitWindow[] => {
  const window = limitOf(text);
  if (window) return [...before, window];
  throw new InvalidArgumentError(`${LIMIT_EXPECTED}.`);
};

const classNames = () => Object.keys(keyClasses).map((name) => name.replaceAll("_", "-"));
const keyClass = (text: string): string => {
  const name = text.replaceAll("-", "_");
  if (Object.hasOwn(keyClasses, name)) return name;
  throw new InvalidArgumentError(`must be one of ${classNames().join(", ")}.`);
};

/** The command, to be added to a program or used on its own. */
export function emulatorCommand(world: CommandWorld): Command {
  return new Command("emulator")
    .description("Run an emulator of the whole service on this machine.")
    .option("--host <address>", "address to listen on", DEFAULTS.host)
    .option("--port <number>", "port to listen on; 0 picks a free one", port, COMMAND_PORT)
    .option("--data <file>", "keep the state in this SQLite file (default: in memory)")
    .option("--durable", "wait for the disk on every write")
    .addOption(
      new Option("--plan <name>", "plan of the account; enterprise has no limits")
        .choices(Object.keys(plans))
        .default(DEFAULTS.plan),
    )
    .option(
      "--key-class <name>",
      `class of keys that do not name one: ${classNames().join(", ")}`,
      keyClass,
      DEFAULTS.keyClass,
    )
    .option("--limit <window>", "limit of every key, such as 100/2s; repeatable", limit)
    .option("--strict", "serve documented operations only")
    .option("--generic-auth-errors", "answer 401 and 403 with generic codes")
    .option("--seed <file>", "JSON file with the initial objects and keys")
    .option("--profile <file>", "contract profile that describes the service to emulate")
    .option(
      "--provision-ms <duration>",
      "how long a new object takes to become ready; a plain number is in milliseconds",
      milliseconds,
      DEFAULTS.provisionMs,
    )
    .addHelpText("after", "\nERPHOST_EMULATOR_KEY sets the value of the first admin key.")
    .action((options: Parsed) => runEmulator(options, world));
}

/** Starts the emulator, prints its addresses and waits until it is stopped. */
async function runEmulator(options: Parsed, world: CommandWorld): Promise<void> {
  const { data, limit: limits, seed, profile, ...rest } = options;
  const emulator = await startEmulator({
    ...rest,
    dataFile: data,
    limits,
    // The emulator checks both.
    seed: seed === undefined ? undefined : (readJson("--seed", seed) as Seed),
    profile: profile === undefined ? undefined : readJson("--profile", profile),
    adminKey: world.environment["ERPHOST_EMULATOR_KEY"] || undefined,
  }).catch((error: unknown) => {
    throw isPortInUse(error)
      ? new Error(`port ${options.port} is in use. Use --port 0 to pick a free one.`)
      : error;
  });
  world.print(`erphost emulator, plan ${options.plan}, key class ${options.keyClass}`);
  world.print(`  dashboard   ${emulator.url}/`);
  world.print(`  service     ${emulator.baseUrl}`);
  world.print(`  admin key   ${emulator.adminKey}`);
  world.print(`export ERPHOST_BASE_URL=${emulator.baseUrl} ERPHOST_API_KEY=${emulator.adminKey}`);
  await aborted(world.stopped);
  await emulator.close();
}

const isPortInUse = (error: unknown): boolean => isRecord(error) && error["code"] === "EADDRINUSE";

function readJson(option: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new Error(`${option} ${path}: ${reason}.`, { cause: error });
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
