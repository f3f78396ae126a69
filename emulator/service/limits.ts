/** Rate limits per key: plan and key class together, in fixed windows of real time. */
import { keyClasses, plans, rateHeaders } from "../../provider/contract";
import type { KeyClassName, LimitWindow, PlanName } from "../../provider/contract";
import { isoOf, type RealTime } from "../time/clock";

/** How far one window of a key is used up. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  readonly windowMs: number;
  /** Real milliseconds since 1970. */
  readonly resetMs: number;
}

/** What became of a request. */
export interface Taken {
  readonly allowed: boolean;
  /** In the window that has the fewest requests left; undefined: the key has no limit. */
  readonly standing: Standing | undefined;
  /** Whole seconds until a refused request may be made again, at least 1. */
  readonly retryAfterS: number;
}

interface Bucket {
  readonly window: LimitWindow;
  readonly startMs: number;
  count: number;
}

/** Keys whose requests are counted; all counts are reset beyond that. */
const KEYS_MAX = 100_000;

/** The windows of a plan and a class: of two windows of one length, the stricter applies. */
export function windowsOf(plan: PlanName, keyClass: KeyClassName): LimitWindow[] {
  const strictest = new Map<number, number>();
  for (const { requests, windowMs } of [...plans[plan].windows, ...keyClasses[keyClass].windows]) {
    strictest.set(windowMs, Math.min(requests, strictest.get(windowMs) ?? requests));
  }
  return [...strictest].map(([windowMs, requests]) => ({ requests, windowMs }));
}

/**
 * A window starts with the first request after the previous one ended. Real time, not the
 * emulator's clock: a client waits in real time, and a jump over months must not fill its quota.
 */
export class Limits {
  private readonly keys = new Map<string, Bucket[]>();

  constructor(
    private readonly windowsFor: (keyClass: KeyClassName) => readonly LimitWindow[],
    private readonly real: RealTime,
  ) {}

  /** Counts a request of a key, unless it is refused. */
  take(keyId: string, keyClass: KeyClassName): Taken {
    const windows = this.windowsFor(keyClass);
    if (windows.length === 0) return { allowed: true, standing: undefined, retryAfterS: 0 };
    const nowMs = this.real.monotonicMs();
    if (this.keys.size >= KEYS_MAX) this.keys.clear();
    const known = this.keys.get(keyId);
    const buckets = windows.map((window, index) => {
      const last = known?.[index];
      return last && nowMs < last.startMs + window.windowMs
        ? last
        : { window, startMs: nowMs, count: 0 };
    });
    this.keys.set(keyId, buckets);
    const full = buckets.filter(({ window, count }) => count >= window.requests);
    if (full.length === 0) for (const bucket of buckets) bucket.count += 1;
    const leftMs = full.map(({ window, startMs }) => startMs + window.windowMs - nowMs);
    return {
      allowed: full.length === 0,
      standing: tightest(buckets.map((bucket) => this.standingOf(bucket, nowMs))),
      retryAfterS: Math.max(1, ...leftMs.map((ms) => Math.ceil(ms / 1_000))),
    };
  }

  /** Where each key stands that made a request in a window that is still open. */
  standings(): (Standing & { readonly keyId: string; readonly windows: Standing[] })[] {
    const nowMs = this.real.monotonicMs();
    return [...this.keys].flatMap(([keyId, buckets]) => {
      const windows = buckets
        .filter(({ window, startMs }) => nowMs < startMs + window.windowMs)
        .map((bucket) => this.standingOf(bucket, nowMs));
      const standing = tightest(windows);
      return standing ? [{ keyId, ...standing, windows }] : [];
    });
  }

  clear(): void {
    this.keys.clear();
  }

  private standingOf({ window, startMs, count }: Bucket, nowMs: number): Standing {
    return {
      limit: window.requests,
      remaining: window.requests - count,
      windowMs: window.windowMs,
      resetMs: this.real.wallMs() + startMs + window.windowMs - nowMs,
    };
  }
}

/** The window with the fewest requests left; of equal ones, the one that lasts longest. */
const tightest = (windows: readonly Standing[]): Standing | undefined =>
  windows.toSorted((a, b) => a.remaining - b.remaining || b.resetMs - a.resetMs)[0];

/** As answers show it. */
export const shownOf = ({ limit, remaining, resetMs }: Standing) => ({
  ...{ limit, remaining, reset: isoOf(resetMs) },
});

/** Headers of an answer; none for a key without limits. */
export const limitHeaders = (standing: Standing | undefined): Record<string, string> =>
  standing
    ? {
        [rateHeaders.limit]: String(standing.limit),
        [rateHeaders.remaining]: String(standing.remaining),
        [rateHeaders.reset]: String(Math.ceil(standing.resetMs / 1_000)),
      }
    : {};
