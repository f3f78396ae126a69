/** `erphost emulator`: from options to printed lines. The process is passed in. */
import { once } from "node:events";
import { createServer } from "node:net";
import { Command, InvalidArgumentError, Option } from "commander";
import { DURATION_EXPECTED, durationMs, InvalidInput, isRecord } from "../provider/contract";
import { keyClasses, LIMIT_EXPECTED, limitOf, plans } from "../provider/contract";
import type { LimitWindow } from "../provider/contract";
import type { Seed } from "./control/schema";
import { limitText, printEntry, startJson, startLines } from "./lines";
import { COMMAND_LIMITS, COMMAND_PORT, DEFAULTS, type EmulatorOptions } from "./options";
import { DataFileError, readJson } from "./files";
import { windowsOf } from "./service/limits";
import type { ServiceSettings } from "./service/service";
import { twinFor, type TwinContext, type TwinOptions } from "./twin/command";

export type { AccountCopy, AccountReader } from "./twin/command";

const KEY_VARIABLE = "ERPHOST_EMULATOR_KEY";

/** What the command needs from its process. */
export interface CommandContext extends TwinContext {
  readonly print: (line: string) => void;
  /** Aborted when the emulator is to stop. */
  readonly stopped: AbortSignal;
}

/** Those that a start has as well are passed on. */
type Passed = Pick<ServiceSettings, "plan" | "keyClass" | "provisionMs"> &
  Pick<EmulatorOptions, "durable" | "strict" | "genericAuthErrors">;

interface CommandOptions extends Passed, TwinOptions {
  readonly host: string;
  readonly port: number;
  readonly data?: string;
  readonly limit?: LimitWindow[];
  readonly seed?: string;
  readonly profile?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
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
  if (text === "none") return [];
  const window = limitOf(text);
  if (window) return [...before, window];
  throw new InvalidArgumentError(`${LIMIT_EXPECTED}, or none.`);
};

const classNames = () => Object.keys(keyClasses).map((name) => name.replaceAll("_", "-"));
const keyClass = (text: string): string => {
  const name = text.replaceAll("-", "_");
  if (Object.hasOwn(keyClasses, name)) return name;
  throw new InvalidArgumentError(`must be one of ${classNames().join(", ")}.`);
};

/** The command, to be added to a program or used on its own. */
export function emulatorCommand(context: CommandContext): Command {
  return new Command("emulator")
    .description("Run an emulator of the whole service on this machine.")
    .option("--host <address>", "address to listen on", DEFAULTS.host)
    .option("--port <number>", "port to listen on; 0 picks a free one", port, COMMAND_PORT)
    .option("--data <file>", "keep the state in this SQLite file (default: in memory)")
    .option("--durable", "wait for the disk on every write")
    .addOption(
      new Option("--plan <name>", "plan of the account; enterprise has no limit of its own")
        .choices(Object.keys(plans))
        .default(DEFAULTS.plan),
    )
    .option(
      "--key-class <name>",
      `class of keys that do not name one: ${classNames().join(", ")}`,
      keyClass,
      DEFAULTS.keyClass,
    )
    .option(
      "--limit <window>",
      `limit of every key, such as 100/2s, or none; repeatable (default: that of plan and class, ${COMMAND_LIMITS.map(limitText).join(", ")} where they have none)`,
      limit,
    )
    .option("--strict", "serve documented operations only")
    .option("--generic-auth-errors", "answer 401 and 403 with generic codes")
    .option("--seed <file>", "JSON file with the initial objects and keys")
    .addOption(
      new Option(
        "--from <url>",
        "be a twin of the account at this address, read with GETs alone",
      ).conflicts(["seed", "snapshot"]),
    )
    .addOption(
      new Option("--snapshot <file>", "be the twin that --save wrote to this file").conflicts(
        "seed",
      ),
    )
    .option("--save <file>", "keep what --from read in this file, without what looks like a secret")
    .option("--profile <file>", "contract profile that describes the service to emulate")
    .option(
      "--provision-ms <duration>",
      "how long a new object takes to become ready; a plain number is in milliseconds",
      milliseconds,
      DEFAULTS.provisionMs,
    )
    .option("--quiet", "print no line for each request")
    .option("--json", "print the start and each request as a line of JSON")
    .action((options: CommandOptions) =>
      runEmulator(options, context).catch((error: unknown) => {
        throw inOptions(options, error);
      }),
    );
}

/** Starts the emulator, prints its addresses and every request, and waits until it is stopped. */
async function runEmulator(options: CommandOptions, context: CommandContext): Promise<void> {
  const { data, limit: asked, seed, profile: profileFile, ...rest } = options;
  const given = profileFile === undefined ? undefined : readJson("--profile", profileFile);
  // Only what serves loads SQLite and the server.
  const { startEmulator } = require("./index") as typeof import("./index");
  const { twinInFile } = require("./twin/plant") as typeof import("./twin/plant");
  const isCopy = (options.from ?? options.snapshot) !== undefined;
  const kept = data === undefined ? undefined : twinInFile(data, isCopy);
  await assertFree(options);
  const twin = await twinFor(options, given, context);
  const copy = twin ?? kept;
  const limits = asked ?? copy?.limits ?? defaultLimits(options);
  const emulator = await startEmulator({
    ...rest,
    dataFile: data,
    limits,
    // The emulator checks both.
    seed: seed === undefined ? undefined : (readJson("--seed", seed) as Seed),
    profile: given ?? copy?.profile,
    twin,
    adminKey: context.environment[KEY_VARIABLE] || undefined,
    warn: (sentence) => context.report(`warning: ${sentence}`),
  });
  const { quiet = false, json = false, plan, keyClass } = options;
  const windows = limits ?? windowsOf(plan, keyClass);
  const lines = json ? [startJson(emulator, windows)] : startLines(emulator, windows, options);
  for (const line of lines) context.print(line);
  if (!quiet) emulator.follow((entry) => printEntry(entry, json, context.print));
  if (!context.stopped.aborted) await once(context.stopped, "abort");
  await emulator.close();
}

/** Before a reading that may take hours, and a state that shows its keys once. */
async function assertFree({ host, port }: CommandOptions): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, "listening");
  await once(probe.close(), "close");
}

/** A person who tries the emulator sees rate headers, and is not held up by them. */
const defaultLimits = ({ plan, keyClass }: CommandOptions): readonly LimitWindow[] | undefined =>
  plans[plan].windows.length + keyClasses[keyClass].windows.length > 0 ? undefined : COMMAND_LIMITS;

/** A refusal in the names of the command. */
function inOptions(options: CommandOptions, error: unknown): unknown {
  if (isRecord(error) && error["code"] === "EADDRINUSE") {
    return new Error(`port ${options.port} is in use. Use --port 0 to pick a free one.`);
  }
  if (error instanceof DataFileError) {
    const { file, reason, remedy } = error;
    return new Error(`--data ${file} ${reason}. ${remedy}`, { cause: error });
  }
  if (!(error instanceof InvalidInput)) return error;
  const issues = error.issues.map((issue) => ({
    ...issue,
    // A member of a file is never the setting of that name.
    subject: { kind: "emulator" },
    path: issue.path[0] === "adminKey" ? [KEY_VARIABLE] : issue.path,
  }));
  return new InvalidInput(error.subject, issues);
}
