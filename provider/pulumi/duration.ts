/** Durations as Pulumi writes them: `90s`, `5m`, `1h30m`. */
import { InvalidInput } from "../contract";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** @throws InvalidInput naming `where` */
export function durationMs(where: string, text: unknown): number {
  const parts = typeof text === "string" ? [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)] : [];
  const whole = parts.map(([part]) => part).join("");
  if (whole === "" || whole !== text) {
    const message = `is ${JSON.stringify(text)}`;
    throw new InvalidInput(
      where,
      [{ path: [], message }],
      "Write a duration such as 90s, 5m or 1h30m.",
    );
  }
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
}
