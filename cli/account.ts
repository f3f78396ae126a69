/** Options that say which account of which service is meant, and the way to it. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { readConfiguration, type Configuration } from "../provider";
import { openEngine, type Engine } from "../provider/engine";
import type { World } from "./world";

/** The options as commander reads them. A key is no option: other users see command lines. */
export interface AccountOptions {
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly profile?: string;
  readonly timeout?: string;
  /** Seconds. */
  readonly wait: number;
}

/** A person looks on, so a service that does not answer is given up on long before a run would. */
const WAIT_DEFAULT_S = 20;
const WAIT_MAX_S = 3_600;

const seconds = (text: string): number => {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= WAIT_MAX_S) return value;
  throw new InvalidArgumentError(`must be whole seconds from 1 to ${WAIT_MAX_S}.`);
};

/** Adds the options; the environment holds where one is left out. */
export const withAccount = (command: Command): Command =>
  command
    .option("--base-url <address>", "address of the service, ending in /v1 (ERPHOST_BASE_URL)")
    .addOption(
      new Option(
        "--environment <name>",
        "refuse a key of the other kind (ERPHOST_ENVIRONMENT)",
      ).choices(["live", "test"]),
    )
    .option("--profile <json or file>", "contract profile (ERPHOST_PROFILE)")
    .option("--timeout <duration>", "time for one attempt, such as 10s (ERPHOST_TIMEOUT)")
    .option("--wait <seconds>", "time for a call with all its attempts", seconds, WAIT_DEFAULT_S);

const given = ({ baseUrl, environment, profile, timeout }: AccountOptions) => ({
  baseUrl,
  environment,
  profile,
  timeoutMs: timeout,
});

/** The configuration of the account. @throws InvalidInput with one sentence per fault */
export const configurationOf = (options: AccountOptions, world: World): Configuration =>
  readConfiguration({ given: given(options), env: world.env, readFile: world.readFile });

/** Opens the account, and closes it when `use` has ended. */
export async function withEngine<T>(
  options: AccountOptions,
  world: World,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = openEngine({
    given: given(options),
    surroundings: world,
    warn: (message) => world.tell(`warning: ${message}`),
  });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** How a command calls: it ends with the process, and a person sees what it waits for. */
export const calling = ({ wait }: AccountOptions, { stopped, tell }: World) => ({
  signal: stopped,
  timeoutMs: wait * 1_000,
  onNotice: ({ message }: { readonly message: string }) => tell(message),
});
