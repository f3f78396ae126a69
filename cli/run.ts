/** The commands, and how each ends. */
import { Command, CommanderError } from "commander";
import type { AccountReader } from "../emulator/command";
import { helpOf, wrapped } from "./help";
import { Exit, type World } from "./world";

const INVALID_INPUT = 2;
/** Where no terminal says how wide it is. */
const WIDTH = 80;
const WIDTH_LEAST = 40;

/** Each command, loaded when it is needed: `erphost --version` needs none of them. */
const commands: Readonly<Record<string, (world: World) => Command>> = {
  emulator: (world) => {
    const { emulatorCommand } =
      require("../emulator/command") as typeof import("../emulator/command");
    const { env, print, report, stopped } = world;
    const readAccount: AccountReader = (source) => {
      const { accountReader } = require("./account/twin") as typeof import("./account/twin");
      return accountReader(world)(source);
    };
    return emulatorCommand({ environment: env, print, report, stopped, readAccount });
  },
  whoami: (world) =>
    (require("./whoami/command") as typeof import("./whoami/command")).whoamiCommand(world),
  import: (world) =>
    (require("./import/command") as typeof import("./import/command")).importCommand(world),
  "plan-summary": (world) =>
    (
      require("./plan-summary/command") as typeof import("./plan-summary/command")
    ).planSummaryCommand(world),
  listen: (world) =>
    (require("./listen/command") as typeof import("./listen/command")).listenCommand(world),
  trigger: (world) =>
    (require("./listen/trigger") as typeof import("./listen/trigger")).triggerCommand(world),
  pipeline: (world) =>
    (require("./pipeline/command") as typeof import("./pipeline/command")).pipelineCommand(world),
  intents: (world) =>
    (require("./intents/command") as typeof import("./intents/command")).intentsCommand(world),
  completion: (world) => {
    const { completionCommand } = require("./completion") as typeof import("./completion");
    return completionCommand(world, () => program([], world));
  },
};

/** Runs one command line, without the name of the program; answers the exit code. Never throws. */
export async function run(words: readonly string[], world: World): Promise<number> {
  try {
    await program(words, world).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : INVALID_INPUT;
    if (error instanceof Exit) return error.code;
    const { failureOf } = require("./failure") as typeof import("./failure");
    const { code, text, stack } = failureOf(error);
    world.report(`error: ${text}`);
    if (!["", "0"].includes(world.env["ERPHOST_DEBUG"] ?? "")) world.report(stack);
    return code;
  }
}

/** The program with the commands that a line can come to; without any words, with all of them. */
export function program(words: readonly string[], world: World): Command {
  const top = new Command("erphost")
    .description("Servers, instances, backups, teams and API keys of a hosted ERP service.")
    .version(world.version)
    .showHelpAfterError("(`erphost --help` lists the commands)")
    .hook("preAction", (_, command) => refuseEmpty(command));
  for (const command of namedBy(words)) top.addCommand(command(world));
  const width = Math.max(world.columns ?? WIDTH, WIDTH_LEAST);
  forEachCommand(top, (command) =>
    command
      .exitOverride()
      .addHelpText("after", () => helpOf(command))
      .configureOutput({
        getOutHelpWidth: () => width,
        getErrHelpWidth: () => width,
        writeOut: (text) => world.print(wrapped(text.trimEnd(), width)),
        writeErr: (text) => world.report(text.trimEnd()),
      }),
  );
  return top;
}

/** A variable that a script has not set must not choose another account, folder or rule. */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const given: unknown[] = [command.getOptionValue(option.attributeName())].flat();
    const isBlank = given.some((value) => typeof value === "string" && value.trim() === "");
    if (!isBlank || command.getOptionValueSource(option.attributeName()) !== "cli") continue;
    command.error(`error: ${option.long} is empty. Give a value, or leave it out.`);
  }
}

/** The commands that a line can come to: the one that it names, or all, of which help tells. */
function namedBy([word = ""]: readonly string[]): ((world: World) => Command)[] {
  if (word === "--version" || word === "-V") return [];
  const named = Object.hasOwn(commands, word) ? commands[word] : undefined;
  return named ? [named] : Object.values(commands);
}

/** Added commands do not inherit these settings, so each command gets them. */
function forEachCommand(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const inner of command.commands) forEachCommand(inner, apply);
}
