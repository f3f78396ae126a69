/** The commands and their exit codes: 0 success, 1 failure or refusal, 2 invalid input. */
import { Command, CommanderError } from "commander";
import { emulatorCommand } from "../emulator/command";
import { InvalidInput } from "../provider";
import { EngineError } from "../provider/engine";
import { describeSetting, settings, variableOf, type Setting } from "../provider/settings";
import { intentsCommand } from "./intents";
import { errorText } from "./voice";
import { whoamiCommand } from "./whoami";
import type { World } from "./world";

const FAILED = 1;
const INVALID_INPUT = 2;

/** The variables that settings come from, one a line. */
const environment = (): string =>
  Object.entries<Setting>(settings)
    .map(([name, setting]) => `  ${variableOf(name).padEnd(24)} ${describeSetting(setting)}`)
    .join("\n");

const EXAMPLES = `
Examples:
  erphost emulator --plan starter --limit 100/2s
  erphost whoami
  erphost whoami --json
  erphost intents list
  erphost intents resolve 3f2a

Environment:
${environment()}
  ERPHOST_DEBUG            Shows the stack of an error. Must be 1 or nothing.

Exit codes: 0 success, 1 failure or refusal by the service, 2 invalid input.`;

/** Runs one command line, without the name of the program; answers the exit code. Never throws. */
export async function run(words: readonly string[], world: World): Promise<number> {
  try {
    await program(world).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : INVALID_INPUT;
    world.report(`error: ${errorText(error)}`);
    if (isOn(world.env["ERPHOST_DEBUG"])) world.report(stackOf(error));
    return isInvalidInput(error) ? INVALID_INPUT : FAILED;
  }
}

function program(world: World): Command {
  const top = new Command("erphost")
    .description("Servers, instances, backups, teams and API keys of a hosted ERP service.")
    .version(world.version)
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(`erphost --help` lists the commands)");
  const emulator = emulatorCommand({
    environment: world.env,
    print: world.print,
    report: world.report,
    stopped: world.stopped,
  });
  for (const command of [emulator, whoamiCommand(world), intentsCommand(world)]) {
    top.addCommand(command);
  }
  forEachCommand(top, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => world.print(text.trimEnd()),
      writeErr: (text) => world.report(text.trimEnd()),
    }),
  );
  return top;
}

/** Added commands do not inherit these settings, so each command gets them. */
function forEachCommand(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const inner of command.commands) forEachCommand(inner, apply);
}

const isInvalidInput = (error: unknown): boolean =>
  error instanceof InvalidInput || (error instanceof EngineError && error.code === "invalid_input");

const isOn = (text: string | undefined): boolean =>
  text !== undefined && text !== "" && text !== "0";

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  const { cause } = error;
  const origin = cause instanceof Error ? `\nfrom ${cause.stack ?? cause.message}` : "";
  return `${error.stack ?? error.message}${origin}`;
};
