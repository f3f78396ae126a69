/** The commands and their exit codes: 0 done, 1 it failed or the service said no, 2 bad input. */
import { Command, CommanderError } from "commander";
import { emulatorCommand } from "../emulator/command";
import { InvalidInput } from "../provider";
import { EngineError } from "../provider/engine";
import { intentsCommand } from "./intents";
import { whoamiCommand } from "./whoami";
import type { World } from "./world";

const FAILED = 1;
const BAD_INPUT = 2;

const EXAMPLES = `
Examples:
  erphost emulator --plan starter --limit 100/2s
  erphost whoami
  erphost whoami --json
  erphost intents list
  erphost intents resolve 3f2a

Configuration comes from ERPHOST_API_KEY, ERPHOST_BASE_URL, ERPHOST_ENVIRONMENT,
ERPHOST_PROFILE and ERPHOST_TIMEOUT. ERPHOST_DEBUG=1 shows where an error came from.
Exit codes: 0 done, 1 it failed or the service said no, 2 bad input.`;

/** Runs one command line, without the program's own name; answers the exit code. Never throws. */
export async function run(words: readonly string[], world: World): Promise<number> {
  try {
    await program(world).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has said already what it had to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT;
    world.tell(`error: ${error instanceof Error ? error.message : String(error)}`);
    if (isOn(world.env["ERPHOST_DEBUG"])) world.tell(whereFrom(error));
    return isBadInput(error) ? BAD_INPUT : FAILED;
  }
}

function program(world: World): Command {
  const top = new Command("erphost")
    .description("Servers, instances, backups, teams and keys of a hosted ERP service.")
    .version(world.version)
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(`erphost --help` shows what there is)");
  const emulator = emulatorCommand({
    environment: world.env,
    print: world.print,
    stopped: world.stopped,
  });
  for (const command of [emulator, whoamiCommand(world), intentsCommand(world)]) {
    top.addCommand(command);
  }
  eachOf(top, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => world.print(text.trimEnd()),
      writeErr: (text) => world.tell(text.trimEnd()),
    }),
  );
  return top;
}

/** Commands that are added keep settings of their own, so each gets them. */
function eachOf(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const inner of command.commands) eachOf(inner, apply);
}

const isBadInput = (error: unknown): boolean =>
  error instanceof InvalidInput || (error instanceof EngineError && error.code === "invalid_input");

const isOn = (text: string | undefined): boolean =>
  text !== undefined && text !== "" && text !== "0";

const whereFrom = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  const { cause } = error;
  const under = cause instanceof Error ? `\nfrom ${cause.stack ?? cause.message}` : "";
  return `${error.stack ?? error.message}${under}`;
};
