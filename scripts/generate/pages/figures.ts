/** What users ask of docs/figures, where `npm run bench -- --json docs/figures` leaves every sample. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cellsOf, FIGURE_COLUMNS, reportSchema, type Report } from "../../../test/support/figures";
import type { Generated } from "../files";
import { between, page, table } from "../markdown";

const ROOT = join(__dirname, "../../..");
const PAGE = "docs/figures.md";

/** The figures that are shown, by the file that has them: the first of each name. */
const SHOWN: readonly (readonly [file: string, label: string, names: RegExp])[] = [
  ["terraform", "", / plan /],
  ["tofu", "", / plan /],
  ["plugin", "Pulumi plugin: ", /^preview/],
  ["pulumi", "Pulumi, dynamic: ", /^preview, 1000/],
  ["terraform", "", / apply /],
  ["tofu", "", / apply /],
  ["plugin", "Pulumi plugin: ", /^up, 200/],
  ["pulumi", "Pulumi, dynamic: ", /^up, 1000/],
  ["refresh", "", / 1,000 /],
  ["plugin", "Pulumi plugin: ", /^refresh/],
  ["pulumi", "Pulumi, dynamic: ", /^refresh, 1000/],
  ["import", "import of 2,650 objects: ", /first command|, import$/],
  ["startup", "start: ", /schema$|memory|^the package$/],
];

/** The whole page. @throws Error where a figure was not measured */
export function figuresDocs(): Generated {
  const reports = new Map(
    [...new Set(SHOWN.map(([file]) => file))].map((file) => [file, read(file)]),
  );
  const rows = SHOWN.flatMap(([file, label, names]) => {
    const all = reports.get(file)?.figures.filter(({ name }) => names.test(name)) ?? [];
    if (all.length === 0) throw new Error(`docs/figures/${file}.json has no figure ${names}`);
    const first = all.filter(
      ({ name }, index) => all.findIndex((one) => one.name === name) === index,
    );
    return first.map(cellsOf).map(([name, ...cells]) => [`${label}${name}`, ...cells]);
  });
  const part = page(table(FIGURE_COLUMNS, rows), circumstances([...reports.values()]));
  return { [PAGE]: between(PAGE, "figures", part.trimEnd()) };
}

const read = (file: string): Report =>
  reportSchema.parse(JSON.parse(readFileSync(join(ROOT, "docs/figures", `${file}.json`), "utf8")));

/** When and on which machines it was measured. */
function circumstances(reports: readonly Report[]): string {
  const days = reports.map(({ measuredAt }) => measuredAt.slice(0, 10)).sort();
  const machines = reports.map(({ machine: { cores, processor, memoryGib, system } }) =>
    [`${cores} cores (${processor})`, `${memoryGib} GiB`, system].join(", "),
  );
  return `Measured from ${days[0]} to ${days.at(-1)} on ${[...new Set(machines)].join("; ")}.`;
}
