/** `npm run chaos`: reads the command line and has jest try the claims on the faces. */
import { run as runJest } from "jest";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command-line";
import { trialsSchema } from "../support/figures";
import { recorded } from "../support/measurement";
import { HELP, readOptions, REPORT, type Cell } from "./options";

const TESTS = join(__dirname, "..", "e2e", "chaos.test.ts");

runCommand(async (args) => {
  const options = readOptions(args);
  // What an earlier run left there must not be taken for this one's.
  rmSync(REPORT, { force: true });
  process.env["ERPHOST_CHAOS"] = JSON.stringify(options);
  const tryAll = () =>
    runJest(["--selectProjects", "e2e", "--runInBand", "--runTestsByPath", TESTS]);
  if (options.json === undefined) await tryAll();
  else {
    const command = `npm run chaos -- ${args.filter(isNotJson).map(quoted).join(" ")}`;
    const about = "claims tried while runs are killed and calls fail";
    const of = { name: "chaos", about, command, folder: options.json };
    await recorded(trialsSchema, of, async () => {
      await tryAll();
      return { claims: tried() };
    });
  }
  return Number(process.exitCode ?? 0);
}, HELP);

const tried = (): unknown =>
  (JSON.parse(readFileSync(REPORT, "utf8")) as { readonly cells: readonly Cell[] }).cells
    .filter(({ outcome }) => outcome !== "not tried")
    .map(({ claim, face, outcome, figure, seconds }) => {
      return { claim, face, outcome, seen: `${figure}, ${seconds} s` };
    });

/** Where the figures go is not part of what was tried. */
const isNotJson = (arg: string, index: number, args: readonly string[]): boolean =>
  !arg.startsWith("--json") && args[index - 1] !== "--json";

const quoted = (arg: string): string => (/\s/.test(arg) ? `"${arg}"` : arg);
