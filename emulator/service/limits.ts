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
  clear(): void;
}

interface Used {
  startMs: number;
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
  const keys = new Map<string, Used[]>();
  return {
    clear: () => keys.clear(),
    take: (keyId, keyClass) => {
      const windows = windowsFor(keyClass);
      if (windows.length === 0) return { allowed: true, standing: undefined, retryAfterS: 0 };
      const nowMs = real.monotonicMs();
      if (keys.size >= KEYS_MAX) keys.clear();
      const known = keys.get(keyId);
      const used = windows.map(({ windowMs }, index) => {
        const last = known?.[index];
        return last && nowMs < last.startMs + windowMs ? last : { startMs: nowMs, count: 0 };
      });
      keys.set(keyId, used);
      const standings = () =>
        windows.map(({ requests, windowMs }, index) => {
          const { startMs, count } = used[index] ?? { startMs: nowMs, count: 0 };
          return {
            limit: requests,
            remaining: requests - count,
            leftMs: startMs + windowMs - nowMs,
          };
        });
      const full = standings().filter(({ remaining }) => remaining <= 0);
      if (full.length === 0) for (const window of used) window.count += 1;
      const nearest = standings().sort(
        (a, b) => a.remaining - b.remaining || b.leftMs - a.leftMs,
      )[0];
      return {
        allowed: full.length === 0,
        standing: nearest && {
          limit: nearest.limit,
          remaining: nearest.remaining,
          resetMs: real.wallMs() + nearest.leftMs,
        },
        retryAfterS: Math.max(1, ...full.map(({ leftMs }) => Math.ceil(leftMs / 1_000))),
      };
    },
  };
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
