/** The table of claims by faces: no cell is blank. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface Cell {
  readonly claim: string;
  readonly face: string;
  readonly outcome: "holds" | "fails" | "not tried";
  /** What was seen, or why it was not tried. */
  readonly figure: string;
  readonly failures: readonly string[];
  readonly details: readonly string[];
  readonly seconds: number;
}

export interface Report {
  readonly seed: number;
  readonly cells: readonly Cell[];
}

const pad = (texts: readonly string[], widths: readonly number[]): string =>
  texts
    .map((text, index) => text.padEnd(widths[index] ?? 0))
    .join("  ")
    .trimEnd();

/** A plain table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "─".repeat(width));
  return [head, rule, ...rows].map((row) => pad(row, widths)).join("\n");
}

const textOf = ({ outcome, figure }: Cell): string =>
  outcome === "holds" ? `✓ ${figure}` : outcome === "fails" ? `✗ ${figure}` : `– ${figure}`;

/** Claims down, faces across; below it what failed, and with `all` the details of each trial. */
export function printed({ cells, seed }: Report, all: boolean): string {
  const faces = [...new Set(cells.map(({ face }) => face))];
  const names = [...new Set(cells.map(({ claim }) => claim))];
  const rows = names.map((name) => [
    name,
    ...faces.map((face) => {
      const cell = cells.find((each) => each.claim === name && each.face === face);
      return cell ? textOf(cell) : "– not asked for";
    }),
  ]);
  const failed = cells.flatMap(({ claim, face, failures }) =>
    failures.map((text) => `✗ ${claim} (${face}): ${text}`),
  );
  const details = cells.flatMap(({ claim, face, details: lines }) =>
    lines.length > 0 ? [`${claim} (${face})`, ...lines.map((line) => `    ${line}`)] : [],
  );
  return [
    ...(all ? [...details, ""] : []),
    table(["claim", ...faces], rows),
    `seed ${seed}`,
    ...failed,
  ].join("\n");
}

export function writeReport(file: string, report: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}
