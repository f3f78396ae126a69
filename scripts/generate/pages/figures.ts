/** The tables of docs/figures.md, from what `npm run bench -- --json docs/figures` and others wrote. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import {
  cellsOf,
  FIGURE_COLUMNS,
  installationsSchema,
  reportSchema,
  trialsSchema,
  type Circumstances,
  type Installations,
  type Report,
  type Trials,
} from "../../../test/support/figures";
import { between } from "../between";
import type { Generated } from "../files";
import { code, page, table } from "../markdown";

const ROOT = join(__dirname, "../../..");
const FOLDER = "docs/figures";
const PAGE = "docs/figures.md";

/** The order of the page; others follow by name. */
const ORDER = "client refresh emulator pulumi plugin sdk terraform tofu startup cdktf".split(" ");

const place = ({ name }: Circumstances): number => {
  const index = ORDER.indexOf(name);
  return index < 0 ? ORDER.length : index;
};

const reportsSchema = z.union([reportSchema, trialsSchema, installationsSchema]);

/** The whole page, with its tables as the runs left them. */
export function figuresDocs(): Generated {
  const files = readdirSync(join(ROOT, FOLDER)).filter((file) => file.endsWith(".json"));
  const reports = files
    .map((file) => reportsSchema.parse(JSON.parse(readFileSync(join(ROOT, FOLDER, file), "utf8"))))
    .sort((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
  return { [PAGE]: between(PAGE, "figures", page(...reports.map(section)).trimEnd()) };
}

function section(report: Report | Trials | Installations): string {
  const { name, about } = report;
  return [
    `## ${name}`,
    `${about[0]?.toUpperCase()}${about.slice(1)}. ${circumstancesText(report)}`,
    tableOf(report),
  ].join("\n\n");
}

function tableOf(report: Report | Trials | Installations): string {
  if ("figures" in report) return figuresTable(report);
  return "claims" in report ? claimsTable(report) : installationsTable(report);
}

const figuresTable = ({ figures }: Report): string =>
  table(
    FIGURE_COLUMNS,
    figures.map((figure) => [...cellsOf(figure)]),
  );

const claimsTable = ({ claims }: Trials): string =>
  table(
    ["claim", "face", "what was seen"],
    claims.map(({ claim, face, outcome, seen }) => [
      claim,
      face,
      outcome === "holds" ? seen : `fails: ${seen}`,
    ]),
  );

const installationsTable = ({ installations }: Installations): string =>
  table(
    ["face", "platform", "command", "seconds", "MB", "works"],
    installations.map(({ face, platform, command, seconds, megabytes, outcome, seen }) => [
      ...[face, platform, code(command), String(seconds ?? ""), String(megabytes ?? "")],
      outcome === "works" ? seen : `fails: ${seen}`,
    ]),
  );

/** When, from what, with what and where it was measured. */
function circumstancesText(of: Circumstances): string {
  const { command, commit, changed, measuredAt, machine, programs } = of;
  const { processor, cores, memoryGib, system, node, load } = machine;
  const versions = [`Node.js ${node}`, ...Object.entries(programs).map((pair) => pair.join(" "))];
  return [
    `Measured on ${measuredAt.slice(0, 16).replace("T", " at ")} UTC at commit ${code(commit)}`,
    ...(changed ? [" with changes that are not in it"] : []),
    ` with ${code(command)}: ${cores} cores (${processor}), ${memoryGib} GiB, ${system}; `,
    `${versions.join(", ")}; load ${load.join(" before, ")} after.`,
  ].join("");
}
