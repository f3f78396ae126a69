/** The tables of docs/figures.md, from what `npm run bench -- --json docs/figures` and others wrote. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cellsOf, FIGURE_COLUMNS, reportSchema, type Report } from "../../../test/support/figures";
import { between } from "../between";
import type { Generated } from "../files";
import { code, page, table } from "../markdown";

const ROOT = join(__dirname, "../../..");
const FOLDER = "docs/figures";
const PAGE = "docs/figures.md";

/** The order of the page; others follow by name. */
const ORDER = ["client", "refresh", "emulator", "pulumi", "plugin", "terraform", "tofu", "cdktf"];

const place = ({ name }: Report): number => {
  const index = ORDER.indexOf(name);
  return index < 0 ? ORDER.length : index;
};

/** The whole page, with its tables as the runs left them. */
export function figuresDocs(): Generated {
  const files = existsSync(join(ROOT, FOLDER)) ? readdirSync(join(ROOT, FOLDER)) : [];
  const reports = files
    .filter((file) => file.endsWith(".json"))
    .map((file) => reportSchema.parse(JSON.parse(readFileSync(join(ROOT, FOLDER, file), "utf8"))))
    .sort((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
  return { [PAGE]: between(PAGE, "figures", page(...reports.map(section)).trimEnd()) };
}

function section(report: Report): string {
  const { name, about, figures } = report;
  return [
    `## ${name}`,
    `${about[0]?.toUpperCase()}${about.slice(1)}. ${circumstances(report)}`,
    table(
      FIGURE_COLUMNS,
      figures.map((figure) => [...cellsOf(figure)]),
    ),
  ].join("\n\n");
}

/** When, from what, with what and where it was measured. */
function circumstances({
  command,
  commit,
  changed,
  measuredAt,
  machine,
  programs,
}: Report): string {
  const { processor, cores, memoryGib, system, node, load } = machine;
  const versions = [`Node.js ${node}`, ...Object.entries(programs).map((pair) => pair.join(" "))];
  return [
    `Measured on ${measuredAt.slice(0, 16).replace("T", " at ")} UTC at commit ${code(commit)}`,
    ...(changed ? [" with changes that are not in it"] : []),
    ` with ${code(command)}: ${cores} cores (${processor}), ${memoryGib} GiB, ${system}; `,
    `${versions.join(", ")}; load ${load.join(" before, ")} after.`,
  ].join("");
}
