/** The one grammar of durations and rate limits: `250ms`, `90s`, `1h30m`, `100/2s`. */
import type { LimitWindow } from "../service/limits";

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS_MS;

/** 100 years: longer than any use, and far below the integers that a number holds exactly. */
export const DURATION_MAX_MS = 100 * 365 * UNITS_MS.d;
/** Longer texts are not looked at. */
const TEXT_LENGTH_MAX = 64;

/** What to say of a text that is not a duration, after its name. */
export const DURATION_EXPECTED = "must be a duration such as 90s, 5m or 1h30m";
export const LIMIT_EXPECTED = "must be requests per duration, such as 100/2s or 1000/1h";

const PART = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*/gy;
const BARE = /^\d+(?:\.\d+)?$/;

/**
 * Whole milliseconds in a duration: one or more decimal numbers with a unit (ms, s, m, h, d) each,
 * at most 100 years in sum. Spaces are ignored. A number without a unit counts in `bareUnit`, and
 * is not a duration where that is left out. Undefined for any other text.
 */
export function durationMs(text: string, bareUnit?: "ms" | "s"): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > TEXT_LENGTH_MAX) return undefined;
  const whole = bareUnit !== undefined && BARE.test(trimmed) ? `${trimmed}${bareUnit}` : trimmed;
  let end = 0;
  let sumMs = 0;
  for (const [part, amount, unit] of whole.matchAll(PART)) {
    end += part.length;
    // The pattern matches these units only.
    sumMs += Number(amount) * UNITS_MS[unit as Unit];
  }
  return end === whole.length && sumMs <= DURATION_MAX_MS ? Math.round(sumMs) : undefined;
}

/** A limit such as `100/2s`: one request or more per 1 ms or more. Undefined for other texts. */
export function limitOf(text: string): LimitWindow | undefined {
  const [, requests, window = ""] = /^\s*(\d{1,9})\s*\/\s*([^/]+)$/.exec(text) ?? [];
  const windowMs = durationMs(/^[a-z]/.test(window) ? `1${window}` : window);
  if (Number(requests) < 1 || !windowMs) return undefined;
  return { requests: Number(requests), windowMs };
}
