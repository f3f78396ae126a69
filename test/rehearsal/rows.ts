/** What a rehearsal found, row by row. */
import { table } from "../support/command-line";
import type { Installation } from "../support/figures";

/** One line of the table, which the JSON file holds as it is. */
export type Row = Installation;

const COLUMNS = ["face", "platform", "command", "seconds", "MB", "outcome"] as const;

const cells = ({ face, platform, command, seconds, megabytes, outcome, seen }: Row) => [
  ...[face, platform, command],
  seconds?.toFixed(1) ?? "",
  megabytes?.toFixed(1) ?? "",
  outcome === "works" ? `works: ${seen}` : `fails: ${firstLine(seen)}`,
];

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

export const rowsTable = (rows: readonly Row[]): string => table(COLUMNS, rows.map(cells));

/** The failures in full, for whoever has to mend them. */
export const failures = (rows: readonly Row[]): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === "fails")
    .map(({ face, command, seen }) => `✗ ${face}: ${command}\n${seen.trim()}`);

/** The last line: `17 work, 1 fails`. */
export function countLine(rows: readonly Row[]): string {
  const failed = failures(rows).length;
  const worked = rows.length - failed;
  return `${worked} ${worked === 1 ? "works" : "work"}, ${failed} ${failed === 1 ? "fails" : "fail"}`;
}
