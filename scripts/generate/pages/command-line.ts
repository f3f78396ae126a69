/** `docs/reference/command-line.md`: every command with an example, exit codes and variables. */
import type { Command } from "commander";
import { allVariables, examplesOf, exitCodes, pathOf } from "../../../cli/help";
import { program } from "../../../cli/run";
import { worldOf } from "../../../test/cli/support";
import { code, fenced, header, page, table } from "../markdown";
import type { Generated } from "../files";

export const commandLineDocs = (): Generated => ({
  "docs/reference/command-line.md": page(
    header("cli/"),
    "# The command line",
    "`--help` of each command has its options.",
    table(
      ["Command", "What it does", "For example"],
      walked(program([], worldOf()))
        .slice(1)
        .map((command) => [
          code(`erphost ${pathOf(command)}`),
          command.description(),
          code(examplesOf(pathOf(command))[0] ?? ""),
        ]),
    ),
    "## Exit codes",
    "They mean the same for every command.",
    table(
      ["Exit code", "Meaning"],
      exitCodes.map(([value, meaning]) => [String(value), meaning]),
    ),
    "## Completion",
    fenced("sh", examplesOf("completion").join("\n")),
    "## Variables",
    table(
      ["Variable", "Meaning"],
      allVariables().map(([name, doc]) => [code(name), doc]),
    ),
  ),
});

const walked = (command: Command): Command[] => [command, ...command.commands.flatMap(walked)];
