/** Text for terminals. */
import { visible } from "../provider/messages";

/** Columns as wide as their widest cell, two spaces apart. No cell reaches the terminal as it came. */
export function columns(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(visible));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The whole of a value is in a plan's own output. */
const LENGTH_MAX = 120;
const BEFORE_DIFFERENCE = 30;

/** A text that is not too long, with the place where it begins to differ from the other side. */
export function shortened(text: string, other: string | null = ""): string {
  if (text.length <= LENGTH_MAX) return text;
  let same = 0;
  while (same < text.length && text[same] === other?.[same]) same += 1;
  const from = text === other ? 0 : Math.max(0, same - BEFORE_DIFFERENCE);
  const end = from + LENGTH_MAX;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

const units: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** `3 d`, `5 min`: the largest unit that fits, rounded down; below a second `0 s`. */
export function duration(ms: number): string {
  const [size, unit] = units.find(([each]) => ms >= each) ?? [1_000, "s"];
  return `${Math.floor(Math.max(ms, 0) / size)} ${unit}`;
}

/** `in 5 min` or `3 d ago`; words for a time that is not a number. */
export function fromNow(thenMs: number, nowMs: number): string {
  if (!Number.isFinite(thenMs)) return "not a time";
  return thenMs >= nowMs ? `in ${duration(thenMs - nowMs)}` : `${duration(nowMs - thenMs)} ago`;
}

/** ISO 8601 in UTC, to the second; words for a time that is not a number. */
export const isoSeconds = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString().replace(/\.\d+Z$/, "Z") : "an unknown time";
