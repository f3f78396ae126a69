/** Rate limits by plan and by key type (contract, part 8). */
import type { Source } from "../definition/define";

export interface LimitWindow {
  readonly requests: number;
  readonly windowMs: number;
}

interface LimitClass {
  readonly source: Source;
  /** Empty: no limit. */
  readonly windows: readonly LimitWindow[];
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const perHour = (requests: number, burst: number): LimitClass => ({
  source: "documented",
  windows: [
    { requests, windowMs: HOUR_MS },
    { requests: burst, windowMs: MINUTE_MS },
  ],
});
const unlimited: LimitClass = { source: "documented", windows: [] };

/** By plan. Enterprise: unlimited, its burst is custom and therefore not known. */
export const plans = {
  starter: perHour(1_000, 100),
  professional: perHour(5_000, 500),
  enterprise: unlimited,
} as const satisfies Record<string, LimitClass>;
export type PlanName = keyof typeof plans;

export const keyClasses = {
  standard: perHour(1_000, 100),
  high_volume: perHour(10_000, 1_000),
  limited: perHour(100, 10),
  unlimited,
} as const satisfies Record<string, LimitClass>;
export type KeyClassName = keyof typeof keyClasses;

/** Headers of every answer. Assumption: `X-RateLimit-Reset`. */
export const rateHeaders = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
} as const;

/** Seconds that a 429 shows in the contract, for an answer that gives none. */
export const RETRY_AFTER_SHOWN_S = 60;
