/** `npm run soak`: what takes minutes to hours, part after part. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { chosen, FIGURES, folder, runCommand, table, wholeNumber } from "../support/command-line";
import { cellsOf, FIGURE_COLUMNS, isKept, reportSchema } from "../support/figures";
import { recorded } from "../support/measurement";
import { parts, type Part } from "./parts";

/** Memory goes up and down about once a minute, after one in which it settles. */
const MINUTES_MIN = 4;

const HELP = `npm run soak -- [OPTIONS]: runs what takes long, part after part.

${parts.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join("\n")}

  --only PART  runs this part alone; may be repeated
  --minutes N  how long a load lasts, at least ${MINUTES_MIN} (default: 5)
  --sample N   the model plays one in N scenarios, StrykerJS tries one in N functions
               (default: 1, all of them)
  --cases N    how many requests Schemathesis makes at least (default: 10000)
  --seed N     what chooses them (default: a new one, which is printed)
  --json DIR   where soak-PART.json is written (default: dist/figures);
               docs/figures has what was committed last

The exit code is 1 if a part finds a failure, misses an aim, or tries nothing.
`;

type Call = ReturnType<typeof readCall>;

/** @throws UsageError if the call is wrong */
function readCall(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      minutes: { type: "string", default: "5" },
      sample: { type: "string", default: "1" },
      cases: { type: "string", default: "10000" },
      seed: { type: "string" },
      json: { type: "string", default: FIGURES },
    },
  });
  return {
    parts: chosen("Part", values.only, parts),
    minutes: wholeNumber("minutes", values.minutes, MINUTES_MIN),
    sample: wholeNumber("sample", values.sample),
    cases: wholeNumber("cases", values.cases),
    seed: values.seed === undefined ? randomInt(1_000_000) : wholeNumber("seed", values.seed),
    folder: folder(values.json),
  };
}

/** Runs one part, prints what it found, and returns whether all is well. */
async function succeeds(part: Part, call: Call): Promise<boolean> {
  const say = (text: string): void => void process.stderr.write(`${part.name}: ${text}\n`);
  const option = part.takes === undefined ? "" : ` --${part.takes} ${call[part.takes]}`;
  const command = `npm run soak -- --only ${part.name}${option}`;
  const of = { name: `soak-${part.name}`, about: part.about, command, folder: call.folder };
  const failures: string[] = [];
  const { figures } = await recorded(reportSchema, of, async () => {
    const found = await part.run({ ...call, say });
    failures.push(...found.failures);
    return { figures: found.figures };
  });
  const lines = failures.map((text) => `✗ ${text}`);
  const rows = table(FIGURE_COLUMNS, figures.map(cellsOf));
  process.stdout.write(`${[part.name, rows, ...lines].join("\n")}\n\n`);
  return failures.length === 0 && figures.every((figure) => isKept(figure) !== false);
}

/** @returns the exit code @throws UsageError if the call is wrong */
export async function soakAll(args: readonly string[]): Promise<number> {
  const call = readCall(args);
  process.stderr.write(`seed ${call.seed}\n`);
  let failed = 0;
  for (const part of call.parts) if (!(await succeeds(part, call))) failed += 1;
  return failed === 0 ? 0 : 1;
}

if (require.main === module) runCommand(soakAll, HELP);
