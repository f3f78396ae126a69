/**
 * `npm run bench -- [SECTION…] [--rounds N] [--large]`: measures, prints a table, writes
 * `dist/bench.json`. The exit code is 1 if a promised ratio is exceeded.
 */
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, UsageError, wholeNumber } from "../support/command-line";
import { table, writeReport } from "../support/report";
import { clientSection } from "./client";
import { constructsSection } from "./constructs";
import { emulatorSection } from "./emulator";
import { pluginSection } from "./plugin";
import { pulumiSection } from "./pulumi";
import { refreshSection } from "./refresh";
import type { Figure, Section } from "./section";
import { terraformSection } from "./terraform";

const REPORT = join(__dirname, "..", "..", "dist", "bench.json");

const sections: readonly Section[] = [
  clientSection,
  refreshSection,
  emulatorSection,
  pulumiSection,
  pluginSection,
  terraformSection,
  constructsSection,
];

const number = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(3);

const limit = (ratio: number): string => String(Number(ratio.toPrecision(3)));

const row = ({ name, value, unit, reference, referenceValue, ratio, ratioMax }: Figure) => [
  name,
  `${number(value)} ${unit}`,
  `${number(referenceValue)} ${unit} (${reference})`,
  number(ratio),
  ratioMax === undefined
    ? ""
    : ratio <= ratioMax
      ? `✓ at most ${limit(ratioMax)}`
      : `✗ over ${limit(ratioMax)}`,
];

const help = `npm run bench -- [SECTION…] [OPTIONS]: measures, prints a table, writes dist/bench.json.

${sections.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join("\n")}

  --rounds N  how often each side is measured; medians are reported (default: 5)
  --large     the long measurements as well

Without a section all are measured. The exit code is 1 if a promised ratio is exceeded.
`;

runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "5" },
      large: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const rounds = wholeNumber("rounds", values.rounds);
  const unknown = positionals.find((name) => sections.every((section) => section.name !== name));
  if (unknown !== undefined) {
    const known = sections.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no section "${unknown}". Sections: ${known}.`);
  }
  const figures: (Figure & { readonly section: string })[] = [];
  for (const section of sections) {
    if (positionals.length > 0 && !positionals.includes(section.name)) continue;
    const measured = await section.run({
      rounds,
      large: values.large,
      say: (text) => void process.stderr.write(`${section.name}: ${text}\n`),
    });
    if (measured.length === 0) throw new Error(`${section.name}: its engine is not on PATH.`);
    figures.push(...measured.map((figure) => ({ section: section.name, ...figure })));
  }
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version };
  writeReport(REPORT, { machine, rounds, figures });
  const head = ["figure", "erphost", "reference", "ratio", "promise"];
  process.stdout.write(`${table(head, figures.map(row))}\n`);
  return figures.every(({ ratio, ratioMax = Infinity }) => ratio <= ratioMax) ? 0 : 1;
});
