/** `npm run soak`: what takes minutes to hours, part after part. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { folder, runCommand, UsageError, wholeNumber } from "../support/command-line";
import { cellsOf, FIGURE_COLUMNS, isKept, reportSchema } from "../support/figures";
import { circumstancesOf, startMeasurement, writeFigures } from "../support/measurement";
import { table } from "../support/report";
import { loadPart } from "./load-part";
import { modelPart } from "./model-part";
import { mutantsPart } from "./mutants-part";
import type { Part } from "./parts";
import { strykerPart } from "./stryker-part";

const FOLDER = join(__dirname, "..", "..", "dist", "figures");

/** Memory goes up and down about once a minute, after one in which it settles. */
const MINUTES_MIN = 4;

/** In the order in which they run. */
const parts: readonly Part[] = [loadPart, modelPart, mutantsPart, strykerPart];

const HELP = `npm run soak -- [OPTIONS]: runs what takes long, part after part.

${parts.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join("\n")}

  --only PART  runs this part alone; may be repeated
  --minutes N  how long the load lasts, at least ${MINUTES_MIN} (default: 5)
  --sample N   the model plays one in N scenarios, StrykerJS tries one in N functions
               (default: 1, all of them)
  --json DIR   where soak-PART.json is written (default: dist/figures);
               docs/figures has what was committed last

The exit code is 1 if a part finds a failure, misses an aim, or tries nothing.
`;

interface Call {
  readonly parts: readonly Part[];
  readonly minutes: number;
  readonly sample: number;
  readonly folder: string;
}

/** @returns undefined for --help @throws UsageError if the call is wrong */
function readCall(args: readonly string[]): Call | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      minutes: { type: "string", default: "5" },
      sample: { type: "string", default: "1" },
      json: { type: "string", default: FOLDER },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  const unknown = values.only.find((name) => parts.every((part) => part.name !== name));
  if (unknown !== undefined) {
    const known = parts.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no part "${unknown}". Parts: ${known}.`);
  }
  return {
    parts: parts.filter(({ name }) => values.only.length === 0 || values.only.includes(name)),
    minutes: wholeNumber("minutes", values.minutes, MINUTES_MIN),
    sample: wholeNumber("sample", values.sample),
    folder: folder(values.json),
  };
}

/** Runs one part, prints what it found, and returns whether all is well. */
async function succeeds(part: Part, call: Call): Promise<boolean> {
  const { minutes, sample } = call;
  const say = (text: string): void => void process.stderr.write(`${part.name}: ${text}\n`);
  const measurement = startMeasurement(`soak-${part.name}`, part.about);
  const { figures, failures } = await part.run({ minutes, sample, say });
  const option = part.takes === undefined ? "" : ` --${part.takes} ${call[part.takes]}`;
  const command = `npm run soak -- --only ${part.name}${option}`;
  const circumstances = circumstancesOf(measurement, command);
  const report = reportSchema.parse({ ...circumstances, figures });
  await writeFigures(call.folder, report);
  const lines = failures.map((text) => `✗ ${text}`);
  const rows = table(FIGURE_COLUMNS, report.figures.map(cellsOf));
  process.stdout.write(`${[part.name, rows, ...lines].join("\n")}\n\n`);
  return failures.length === 0 && report.figures.every((figure) => isKept(figure) !== false);
}

runCommand(async () => {
  const call = readCall(process.argv.slice(2));
  if (call === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  let failed = 0;
  for (const part of call.parts) if (!(await succeeds(part, call))) failed += 1;
  return failed === 0 ? 0 : 1;
});
