/**
 * `npm run bench -- [SECTION…] [--rounds N] [--large]`: measures, prints a table, writes
 * `dist/bench.json`. The exit code says whether every promised ratio is kept.
 */
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table, writeReport } from "../chaos/report";
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

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "5" },
      large: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.find((name) => sections.every((section) => section.name !== name));
  if (unknown !== undefined) {
    const known = sections.map(({ name, about }) => `  ${name.padEnd(10)}${about}`).join("\n");
    throw new Error(`there is no section ${unknown}; there are\n${known}`);
  }
  const figures: (Figure & { readonly section: string })[] = [];
  for (const section of sections) {
    if (positionals.length > 0 && !positionals.includes(section.name)) continue;
    const found = await section.run({
      rounds: Number(values.rounds),
      large: values.large,
      say: (text) => void process.stderr.write(`${section.name}: ${text}\n`),
    });
    figures.push(...found.map((figure) => ({ section: section.name, ...figure })));
  }
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version };
  writeReport(REPORT, { machine, rounds: Number(values.rounds), figures });
  const head = ["figure", "erphost", "reference", "ratio", "promise"];
  process.stdout.write(`${table(head, figures.map(row))}\n`);
  return figures.every(({ ratio, ratioMax = Infinity }) => ratio <= ratioMax) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
