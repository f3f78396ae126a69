/** What the long runs leave behind: a table on standard output and a JSON file under `dist/`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A plain table; cells are padded to the width of their column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "─".repeat(width));
  return [head, rule, ...rows]
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)))
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}

/** Writes a report as JSON; its folder is created if necessary. */
export function writeReport(file: string, report: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}
