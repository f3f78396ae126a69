/** What an answer says of the quota (contract, part 8). */
import { rateHeaders } from "../contract";
import { headerOf, type Headers } from "./call";

/** One window as the service describes it. */
export interface RateTold {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds from the answer until the window ends, at most. */
  readonly resetInMs: number | undefined;
  /** By how much the end may be later than that. */
  readonly marginMs: number;
}

const LIMIT = rateHeaders.limit.toLowerCase();
const REMAINING = rateHeaders.remaining.toLowerCase();
const RESET = rateHeaders.reset.toLowerCase();

/** Smaller numbers are seconds from now; this many seconds after 1970 is 1973. */
const DELTA_MAX_S = 1e8;
/** Larger numbers are milliseconds since 1970. */
const EPOCH_S_MAX = 1e11;
/** No window is longer than a day; what says so is not understood. */
const RESET_MAX_MS = 25 * 3_600_000;
const WHOLE_SECOND_MS = 1_000;
const FINE_MARGIN_MS = 50;

/** Reads the three headers; undefined where they say nothing usable. */
export function rateOfHeaders(
  headers: Headers,
  serviceTime: string | undefined,
  wallMs: number,
): RateTold | undefined {
  const limit = Number(headerOf(headers, LIMIT) ?? Number.NaN);
  const remaining = Number(headerOf(headers, REMAINING) ?? Number.NaN);
  if (!(limit > 0) || !(remaining >= 0)) return undefined;
  const reset = headerOf(headers, RESET);
  const date = serviceTime ?? headerOf(headers, "date");
  return { limit, remaining, ...resetOf(reset, date, wallMs) };
}

/**
 * The end of a window from now. Assumption: Unix seconds; a delta in seconds, Unix milliseconds
 * and an ISO timestamp are understood as well. The service's own time, where the answer gives it,
 * makes up for clocks that differ.
 */
export function resetOf(
  reset: string | number | undefined,
  serviceTime: string | undefined,
  wallMs: number,
): { resetInMs: number | undefined; marginMs: number } {
  const nothing = { resetInMs: undefined, marginMs: 0 };
  if (reset === undefined || reset === "") return nothing;
  const number = Number(reset);
  const told = serviceTime === undefined ? Number.NaN : Date.parse(serviceTime);
  const nowMs = Number.isNaN(told) ? wallMs : told;
  let inMs: number;
  let marginMs = Number.isInteger(number) ? WHOLE_SECOND_MS : FINE_MARGIN_MS;
  if (Number.isNaN(number)) {
    inMs = Date.parse(String(reset)) - nowMs;
    marginMs = /\.\d/.test(String(reset)) ? FINE_MARGIN_MS : WHOLE_SECOND_MS;
  } else if (number < DELTA_MAX_S) inMs = number * 1000;
  else if (number < EPOCH_S_MAX) inMs = number * 1000 - nowMs;
  else {
    inMs = number - nowMs;
    marginMs = FINE_MARGIN_MS;
  }
  if (!(inMs > -marginMs) || inMs > RESET_MAX_MS) return nothing;
  return { resetInMs: Math.max(0, inMs), marginMs };
}
