/** What an answer says of the quota (contract, part 8). */
import { rateHeaders } from "../../contract";
import { headerOf, type Headers } from "../chain/call";

/** One window as the service describes it. */
export interface RateReport {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds from the answer until the window ends. */
  readonly resetInMs: number | undefined;
  /** By how much the end may be earlier or later than that. */
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
/** Whole seconds, rounded either way, on a clock that shows milliseconds. */
const WHOLE_SECOND_MS = 1_010;
const FINE_MARGIN_MS = 50;

/** Reads the three headers; undefined where they name no limit. */
export function rateOfHeaders(
  headers: Headers,
  serviceTime: string | undefined,
  wallMs: number,
): RateReport | undefined {
  const limit = Number(headerOf(headers, LIMIT));
  if (Number.isNaN(limit)) return undefined;
  const remaining = Number(headerOf(headers, REMAINING));
  const reset = headerOf(headers, RESET);
  const date = serviceTime || headerOf(headers, "date");
  return { limit, remaining, ...resetOf(reset, date, wallMs) };
}

/**
 * The end of a window from now. Assumption: `X-RateLimit-Reset`. Unix milliseconds are understood
 * as well. The service's own time, where the answer gives it, makes up for clocks that differ.
 */
export function resetOf(
  reset: string | number | undefined,
  serviceTime: string | undefined,
  wallMs: number,
): { resetInMs: number | undefined; marginMs: number } {
  const nothing = { resetInMs: undefined, marginMs: 0 };
  if (reset === undefined || reset === "") return nothing;
  const number = Number(reset);
  if (number < DELTA_MAX_S) return within(number * 1000, WHOLE_SECOND_MS) ?? nothing;
  const isText = Number.isNaN(number);
  const atMs = isText ? Date.parse(String(reset)) : number < EPOCH_S_MAX ? number * 1000 : number;
  const fine = isText
    ? /\.\d/.test(String(reset))
    : !Number.isInteger(number) || number >= EPOCH_S_MAX;
  const marginMs = fine ? FINE_MARGIN_MS : WHOLE_SECOND_MS;
  const toldMs = serviceTime === undefined ? Number.NaN : Date.parse(serviceTime);
  // Where the reset makes no sense by the service's own time, our clock is used instead.
  return within(atMs - toldMs, marginMs) ?? within(atMs - wallMs, marginMs) ?? nothing;
}

/** A time that a window may still have to go; undefined for any other. */
function within(
  inMs: number,
  marginMs: number,
): { resetInMs: number; marginMs: number } | undefined {
  if (!(inMs > -marginMs) || inMs > RESET_MAX_MS) return undefined;
  return { resetInMs: Math.max(0, inMs), marginMs };
}
