/** `npm run bench`: measures sections, prints a table, and leaves every sample behind. */
import { parseArgs } from "node:util";
import { chosen, FIGURES, folder, runCommand, table, wholeNumber } from "../support/command-line";
import { cellsOf, FIGURE_COLUMNS, isKept, reportSchema, type Report } from "../support/figures";
import { recorded } from "../support/measurement";
import { importSection } from "./import";
import { pluginSection } from "./plugin";
import { pulumiSection } from "./pulumi";
import { refreshSection, waitingSection } from "./refresh";
import { obstacle, type Section } from "./section";
import { startupSection } from "./startup";
import { terraformSection, tofuSection } from "./terraform";

const sections: readonly Section[] = [
  ...[refreshSection, waitingSection, pulumiSection, pluginSection],
  ...[terraformSection, tofuSection, importSection, startupSection],
];

const HELP = `npm run bench -- [SECTION…] [OPTIONS]: measures, and prints a table for each section.

${sections.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join("\n")}

  --rounds N  how often each side is measured, in turns (default: 5)
  --large     the long measurements as well
  --json DIR  where SECTION.json is written, with every sample (default: dist/figures);
              docs/figures.md is generated from docs/figures

Without a section all are measured. The exit code is 1 if an aim is missed, if a section that was
named cannot be measured, or if nothing was measured.
`;

type Call = ReturnType<typeof readCall>;

/** @throws UsageError if the call is wrong */
function readCall(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "5" },
      large: { type: "boolean", default: false },
      json: { type: "string", default: FIGURES },
    },
  });
  return {
    sections: chosen("Section", positionals, sections),
    isNamed: positionals.length > 0,
    rounds: wholeNumber("rounds", values.rounds),
    large: values.large,
    folder: folder(values.json),
  };
}

/** Measures one section, prints its table and writes its samples. */
async function measured(section: Section, call: Call): Promise<Report> {
  const { name, about, programs = [] } = section;
  const { rounds, large } = call;
  const say = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
  const command = `npm run bench -- ${name} --rounds ${rounds}${large ? " --large" : ""}`;
  const of = { name, about, programs, command, folder: call.folder };
  const report = await recorded(reportSchema, of, async () => ({
    figures: await section.run({ rounds, large, say }),
  }));
  process.stdout.write(`${name}\n${table(FIGURE_COLUMNS, report.figures.map(cellsOf))}\n\n`);
  return report;
}

/** @returns the exit code @throws UsageError if the call is wrong */
export async function bench(args: readonly string[]): Promise<number> {
  const call = readCall(args);
  const leftOut: string[] = [];
  let isMissed = false;
  for (const section of call.sections) {
    const reason = obstacle(section);
    if (reason !== undefined) {
      leftOut.push(`Left out: ${section.name}, because ${reason}.\n`);
      continue;
    }
    const { figures } = await measured(section, call);
    isMissed ||= figures.some((figure) => isKept(figure) === false);
  }
  const count = `${leftOut.length} of ${call.sections.length} sections were left out.\n`;
  if (leftOut.length > 0) process.stdout.write([...leftOut, count].join(""));
  const isTried = call.isNamed ? leftOut.length === 0 : leftOut.length < call.sections.length;
  return isTried && !isMissed ? 0 : 1;
}

if (require.main === module) runCommand(bench, HELP);
