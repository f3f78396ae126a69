/**
 * The quota of one key as windows, and how much of it is left. Pure: time is a parameter.
 *
 * The service counts in fixed windows whose phase is not known. Two things may be known of one:
 * - When we sent what, and when it was answered. A request that arrived at `t` is counted until
 *   `t + windowMs` at the latest, whatever the phase. That alone never exceeds a window.
 * - When the running window ends, once an answer says so. What arrived before is free from then
 *   on, which is earlier, by up to a whole window.
 * An answer that says more was used than we know of lowers the estimate until the window ends.
 */
import { keyClasses, type LimitWindow, plans } from "../../contract";
import type { RateReport } from "./rate-headers";

interface Window {
  /** Requests that the service allows. */
  readonly limit: number;
  /** Our part of them. */
  readonly allowed: number;
  windowMs: number;
  /** When those were answered that may still be counted, oldest first, monotonic milliseconds. */
  readonly answers: number[];
  /** Requests of others, as far as they go beyond their part. */
  foreign: number;
  foreignUntil: number;
  /** The earliest possible end; what arrived before it is free from `freeAt`, the latest. */
  endsAt: number;
  freeAt: number;
}

/** Clocks drift and timers are coarse: so much later, plus a thousandth of the window. */
const SLACK_MS = 5;
const WINDOWS_MAX = 8;
/** A reset comes in whole seconds, so that it may seem to lie beyond the window. */
const ROUNDING_MS = 1_500;

/** A budget from what is given: `limits` of the key, and which `share` of them is ours (0 to 1]. */
export class Budget {
  private readonly windows: Window[];
  private sent = 0;
  /** A request arrived before its answer left; the fastest answer shows how long that takes at least. */
  private quickestMs: number | undefined;

  constructor(
    limits: readonly LimitWindow[],
    private readonly share: number,
  ) {
    this.windows = limits.map(({ requests, windowMs }) => windowOf(requests, windowMs, share));
  }

  /** Milliseconds until a request may be sent; 0: now; Infinity: not before an answer comes. */
  waitMs(now: number): number {
    return Math.max(0, ...this.windows.map((window) => this.waitOf(window, now)));
  }

  /** A request is sent now. */
  grant(): void {
    this.sent += 1;
  }

  /**
   * It was answered now, after `durationMs`; undefined where it failed without an answer.
   * `rate` is what the answer says about the quota.
   */
  answered(now: number, durationMs: number | undefined, rate: RateReport | undefined): void {
    this.sent -= 1;
    if (durationMs !== undefined) {
      this.quickestMs = Math.min(this.quickestMs ?? durationMs, durationMs);
    }
    for (const window of this.windows) window.answers.push(now);
    if (rate) this.learn(now, durationMs ?? 0, rate);
  }

  /** What `/auth/test` says of the quota, now and after `durationMs`. */
  learn(now: number, durationMs: number, rate: RateReport): void {
    const { limit, remaining, resetInMs, marginMs } = rate;
    // Neither is a number where nothing was said, and some say 0 or -1 for unlimited.
    if (!(limit > 0) || !(remaining >= 0)) return;
    // It was said at some moment between the request and the answer.
    const endsAt = now - durationMs + (resetInMs ?? 0) - marginMs;
    const window = matching(this.windows, rate) ?? this.unknown(rate);
    if (!window) return;
    this.prune(window, now);
    if (resetInMs !== undefined) {
      // What was answered before the earliest possible begin of the window is in no count.
      dropUntil(window.answers, endsAt - window.windowMs);
    }
    const used = Math.max(0, limit - remaining);
    const others = used - this.ownCount(window) - (window.limit - window.allowed);
    window.foreign = Math.max(0, others);
    const longest = now + window.windowMs + slackMs(window);
    window.foreignUntil =
      resetInMs === undefined ? longest : Math.min(longest, now + resetInMs + marginMs);
    if (resetInMs !== undefined) {
      window.endsAt = endsAt;
      window.freeAt = now + resetInMs + marginMs;
    }
  }

  /** Milliseconds until the last window ends that is at least half full of our own requests. */
  ownWindowMs(now: number): number {
    const full = this.windows.filter((window) => this.ownCount(window) >= window.allowed / 2);
    return Math.max(0, ...full.map(({ freeAt, windowMs }) => Math.min(freeAt - now, windowMs)));
  }

  inFlight(): number {
    return this.sent;
  }

  /** The window that is waited for, for messages; undefined where none is. */
  blocking(now: number): LimitWindow | undefined {
    const wait = this.waitMs(now);
    const window = this.windows.find((each) => wait > 0 && this.waitOf(each, now) === wait);
    return window && { requests: window.allowed, windowMs: window.windowMs };
  }

  private ownCount({ answers }: Window): number {
    return answers.length + this.sent;
  }

  private unknown(rate: RateReport): Window | undefined {
    if (rate.resetInMs === undefined || this.windows.length >= WINDOWS_MAX) return undefined;
    const window = windowOf(rate.limit, likelyWindowMs(rate.limit, rate.resetInMs), this.share);
    this.windows.push(window);
    return window;
  }

  private prune(window: Window, now: number): void {
    const { quickestMs = 0 } = this;
    dropUntil(window.answers, now + quickestMs - window.windowMs - slackMs(window));
    if (now >= window.freeAt) {
      dropUntil(window.answers, window.endsAt + quickestMs);
      window.freeAt = Number.POSITIVE_INFINITY;
    }
    if (now >= window.foreignUntil) window.foreign = 0;
  }

  private waitOf(window: Window, now: number): number {
    // The usual case first: there is room without looking at the time.
    if (this.ownCount(window) + window.foreign < window.allowed) return 0;
    this.prune(window, now);
    if (this.ownCount(window) + window.foreign < window.allowed) return 0;
    let at = Number.POSITIVE_INFINITY;
    const [first] = window.answers;
    if (first !== undefined) {
      const arrivedAt = first - (this.quickestMs ?? 0);
      at = arrivedAt + window.windowMs + slackMs(window);
      if (arrivedAt <= window.endsAt) at = Math.min(at, window.freeAt);
    }
    if (window.foreign > 0) at = Math.min(at, window.foreignUntil);
    return Math.max(1, at - now);
  }
}

const windowOf = (limit: number, windowMs: number, share: number): Window => ({
  limit,
  allowed: Math.max(1, Math.floor(limit * share)),
  windowMs,
  answers: [],
  foreign: 0,
  foreignUntil: 0,
  endsAt: Number.NEGATIVE_INFINITY,
  freeAt: Number.POSITIVE_INFINITY,
});

const slackMs = (window: Window) => SLACK_MS + window.windowMs / 1000;

/** The window that an answer describes: the shortest with that limit that can end that late. */
function matching(windows: readonly Window[], rate: RateReport): Window | undefined {
  const { resetInMs = 0 } = rate;
  let shortest: Window | undefined;
  let longest: Window | undefined;
  for (const window of windows) {
    if (window.limit !== rate.limit) continue;
    if (!longest || window.windowMs > longest.windowMs) longest = window;
    if (window.windowMs + ROUNDING_MS < resetInMs) continue;
    if (!shortest || window.windowMs < shortest.windowMs) shortest = window;
  }
  if (shortest || !longest) return shortest;
  // Its length was guessed too short.
  longest.windowMs = likelyWindowMs(rate.limit, resetInMs);
  return longest;
}

/** The length of a window that ends in `resetInMs`: as the contract's tables have it, or that. */
function likelyWindowMs(limit: number, resetInMs: number): number {
  const lengths = [...Object.values(plans), ...Object.values(keyClasses)]
    .flatMap(({ windows }) => windows)
    .filter(({ requests, windowMs }) => requests === limit && windowMs + ROUNDING_MS >= resetInMs)
    .map(({ windowMs }) => windowMs);
  return lengths.length > 0 ? Math.min(...lengths) : Math.max(1, resetInMs);
}

/** Drops the first of ascending times, up to and including one. */
function dropUntil(times: number[], time: number): void {
  const kept = times.findIndex((each) => each > time);
  times.splice(0, kept < 0 ? times.length : kept);
}
