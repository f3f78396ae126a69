/** Durations as Pulumi writes them: `90s`, `5m`, `1h30m`. */
import { durationMs, InvalidInput } from "../contract";

/** @throws InvalidInput naming `where` */
export function timeoutMs(where: string, text: unknown): number {
  const ms = typeof text === "string" ? durationMs(text) : undefined;
  if (ms !== undefined) return ms;
  const message = `is ${JSON.stringify(text)}`;
  throw new InvalidInput(
    where,
    [{ path: [], message }],
    "Write a duration such as 90s, 5m or 1h30m.",
  );
}
