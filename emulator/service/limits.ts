/** Rate limits per key: plan and key class together, in fixed windows of real time. */
import {
  keyClasses,
  plans,
  rateHeaders,
  type KeyClassName,
  type LimitWindow,
  type PlanName,
} from "../../provider/contract";
import type { RealTime } from "../time/clock";

/** Where a key stands in the window that is nearest to the end of its quota. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Real milliseconds since 1970. */
  readonly resetMs: number;
}

export interface Taken {
  readonly allowed: boolean;
  /** Undefined: the key has no limit. */
  readonly standing: Standing | undefined;
  /** Whole seconds until a refused request may be made again, at least 1. */
  readonly retryAfterS: number;
}

export interface Limits {
  /** Counts one request of a key; a refused one is not counted. */
  take(keyId: string, keyClass: KeyClassName): Taken;
  /** Where each key stands that has asked within its windows. */
  standings(): (Standing & { readonly keyId: string })[];
  clear(): void;
}

interface Bucket {
  readonly window: LimitWindow;
  readonly startMs: number;
  count: number;
}

/** Keys whose counts are kept; more than that and all start anew. */
const KEYS_MAX = 100_000;

/** The windows of a plan and a class: where both have one of a length, the stricter holds. */
export function windowsOf(plan: PlanName, keyClass: KeyClassName): LimitWindow[] {
  const strictest = new Map<number, number>();
  for (const { requests, windowMs } of [...plans[plan].windows, ...keyClasses[keyClass].windows]) {
    strictest.set(windowMs, Math.min(requests, strictest.get(windowMs) ?? requests));
  }
  return [...strictest].map(([windowMs, requests]) => ({ requests, windowMs }));
}

/**
 * A window starts with the first request after the last one ended. Real time, not the emulator's
 * clock: a client waits in real time, and a jump over months must not fill its quota.
 */
export function createLimits(
  windowsFor: (keyClass: KeyClassName) => readonly LimitWindow[],
  real: RealTime,
): Limits {
  const keys = new Map<string, Bucket[]>();
  return {
    clear: () => keys.clear(),
    standings: () =>
      [...keys].flatMap(([keyId, buckets]) => {
        const nowMs = real.monotonicMs();
        const open = buckets.filter(({ window, startMs }) => nowMs < startMs + window.windowMs);
        const standing = nearest(open, nowMs, real);
        return standing ? [{ keyId, ...standing }] : [];
      }),
    take: (keyId, keyClass) => {
      const windows = windowsFor(keyClass);
      if (windows.length === 0) return { allowed: true, standing: undefined, retryAfterS: 0 };
      const nowMs = real.monotonicMs();
      if (keys.size >= KEYS_MAX) keys.clear();
      const known = keys.get(keyId);
      const buckets = windows.map((window, index) => {
        const last = known?.[index];
        return last && nowMs < last.startMs + window.windowMs
          ? last
          : { window, startMs: nowMs, count: 0 };
      });
      keys.set(keyId, buckets);
      const full = buckets.filter(({ window, count }) => count >= window.requests);
      if (full.length === 0) for (const bucket of buckets) bucket.count += 1;
      const leftMs = full.map(({ window, startMs }) => startMs + window.windowMs - nowMs);
      return {
        allowed: full.length === 0,
        standing: nearest(buckets, nowMs, real),
        retryAfterS: Math.max(1, ...leftMs.map((ms) => Math.ceil(ms / 1_000))),
      };
    },
  };
}

/** The bucket with the least left; of equal ones, the one that lasts longest. */
function nearest(buckets: readonly Bucket[], nowMs: number, real: RealTime): Standing | undefined {
  const [first] = buckets
    .map(({ window, startMs, count }) => ({
      limit: window.requests,
      remaining: window.requests - count,
      leftMs: startMs + window.windowMs - nowMs,
    }))
    .sort((a, b) => a.remaining - b.remaining || b.leftMs - a.leftMs);
  if (!first) return undefined;
  const { limit, remaining, leftMs } = first;
  return { limit, remaining, resetMs: real.wallMs() + leftMs };
}

/** Headers of an answer; none for a key without limits. */
export const limitHeaders = (standing: Standing | undefined): Record<string, string> =>
  standing
    ? {
        [rateHeaders.limit]: String(standing.limit),
        [rateHeaders.remaining]: String(standing.remaining),
        [rateHeaders.reset]: String(Math.ceil(standing.resetMs / 1_000)),
      }
    : {};
