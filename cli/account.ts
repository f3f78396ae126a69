/** Options that select the service and the account, and limit the calls to it. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { readConfiguration, type Configuration } from "../provider";
import { openEngine, type Engine } from "../provider/engine";
import type { World } from "./world";

/** The options as commander reads them. There is none for the key: others can see command lines. */
export interface AccountOptions {
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly profile?: string;
  readonly timeout?: string;
  /** Seconds. */
  readonly wait: number;
}

/** Much shorter than in a run: a person is waiting. */
const WAIT_DEFAULT_S = 20;
const WAIT_MAX_S = 3_600;

const seconds = (text: string): number => {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= WAIT_MAX_S) return value;
  throw new InvalidArgumentError(`must be a whole number of seconds from 1 to ${WAIT_MAX_S}.`);
};

/** Adds the options; the environment supplies those that are left out. */
export const withAccount = (command: Command): Command =>
  command
    .option("--base-url <url>", "base URL of the service, ending in /v1 (ERPHOST_BASE_URL)")
    .addOption(
      new Option(
        "--environment <name>",
        "refuse keys of the other environment (ERPHOST_ENVIRONMENT)",
      ).choices(["live", "test"]),
    )
    .option("--profile <json or file>", "contract profile (ERPHOST_PROFILE)")
    .option("--timeout <duration>", "time limit for one attempt, such as 10s (ERPHOST_TIMEOUT)")
    .option(
      "--wait <seconds>",
      "time limit for a call with all its attempts",
      seconds,
      WAIT_DEFAULT_S,
    );

const given = ({ baseUrl, environment, profile, timeout }: AccountOptions) => ({
  baseUrl,
  environment,
  profile,
  timeoutMs: timeout,
});

/** The configuration of the account. @throws InvalidInput with a sentence for each fault */
export const configurationOf = (options: AccountOptions, world: World): Configuration =>
  readConfiguration({ given: given(options), env: world.env, readFile: world.readFile });

/** Opens the account for the duration of `use`. */
export async function withEngine<T>(
  options: AccountOptions,
  world: World,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = openEngine({
    given: given(options),
    surroundings: world,
    warn: (message) => world.report(`warning: ${message}`),
  });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** Calls end with the process, and report what they wait for. */
export const calling = ({ wait }: AccountOptions, { stopped, report }: World) => ({
  signal: stopped,
  timeoutMs: wait * 1_000,
  onNotice: ({ message }: { readonly message: string }) => report(message),
});
