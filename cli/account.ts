/** Options that select the service and the account, and limit the calls to it. */
import { InvalidArgumentError, type Command } from "commander";
import { readConfiguration, readContract, type Configuration } from "../provider";
import type { Contract } from "../provider/contract";
import { openEngine, type Engine } from "../provider/engine";
import type { Message } from "../provider/messages";
import { describeSetting, variableOf } from "../provider/settings";
import { flagOf, flags, textOf } from "./voice";
import type { World } from "./world";

/** The options as commander reads them: settings by their names, and how long to wait. */
export interface AccountOptions extends Readonly<Record<string, unknown>> {
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
export function withAccount(command: Command, waitS = WAIT_DEFAULT_S): Command {
  for (const [name, setting] of flags) {
    command.option(`${flagOf(name)} <value>`, `${describeSetting(setting)} (${variableOf(name)})`);
  }
  return command.option(
    "--wait <seconds>",
    "Time limit for a call with all its attempts, in seconds.",
    seconds,
    waitS,
  );
}

const given = (options: Partial<AccountOptions>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(flags.map(([name]) => [name, options[name]]));

/** The configuration of the account. @throws InvalidInput with a sentence for each fault */
export const configurationOf = (options: AccountOptions, world: World): Configuration =>
  readConfiguration({ given: given(options), env: world.env, readFile: world.readFile });

/** What the service offers, which no key is needed to know. @throws InvalidInput */
export const contractOf = (options: Partial<AccountOptions>, world: World): Contract =>
  readContract({ given: given(options), env: world.env, readFile: world.readFile });

/** Opens the account for the duration of `use`. */
export async function withEngine<T>(
  options: AccountOptions,
  world: World,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = openEngine({
    given: given(options),
    surroundings: world,
    warn: (message) => world.report(`warning: ${textOf(message)}`),
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
  onNotice: ({ data }: { readonly data: Message }) => report(textOf(data)),
});
