/** Durations and limits as people write them: `250ms`, `2s`, `5m`, `1h`, `90d`, `100/2s`. */
import type { LimitWindow } from "../../provider/contract";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds in a text such as `90d`; undefined where it is no duration. */
export function durationMs(text: string): number | undefined {
  const match = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const [, amount = "", unit = ""] = match;
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? 0));
}

/** A window such as `100/2s`: so many requests in so long; undefined where it is none. */
export function limitOf(text: string): LimitWindow | undefined {
  const [requests = "", window = "", ...rest] = text.split("/");
  const windowMs = durationMs(window);
  if (!/^[1-9][0-9]{0,8}$/.test(requests) || !windowMs || rest.length > 0) return undefined;
  return { requests: Number(requests), windowMs };
}
