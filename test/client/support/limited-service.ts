/** A service in virtual time that counts in fixed windows and takes its time to answer. */
import type { LimitWindow } from "../../../provider/contract";
import type { RawAnswer } from "../../../provider/client/chain/call";
import type { FakeClock } from "./clock";
import { raw, type Respond } from "./core";

export interface ServiceOptions {
  readonly limits: readonly LimitWindow[];
  /** Windows begin with the first request after the last, or at multiples of their length. */
  readonly phase: "first-request" | "epoch";
  readonly reset: "unix-ceil" | "unix-floor" | "iso" | "delta" | "none";
  /** Milliseconds there and back, at random from min to max. */
  readonly latencyMs: readonly [min: number, max: number];
  readonly random: () => number;
}

interface Bucket {
  readonly window: LimitWindow;
  startMs: number;
  count: number;
}

export function limitedService(clock: FakeClock, options: ServiceOptions) {
  const accepted: number[] = [];
  const refused: number[] = [];
  const startMs = Number.NEGATIVE_INFINITY;
  const buckets: Bucket[] = options.limits.map((window) => ({ window, startMs, count: 0 }));
  const travel = () => {
    const [min, max] = options.latencyMs;
    const ms = (min + options.random() * (max - min)) / 2;
    return new Promise<void>((resolve) => void clock.after(ms, resolve));
  };

  const take = (): RawAnswer => {
    const now = clock.wallMs();
    for (const bucket of buckets) {
      const { windowMs } = bucket.window;
      if (now < bucket.startMs + windowMs) continue;
      bucket.startMs = options.phase === "epoch" ? Math.floor(now / windowMs) * windowMs : now;
      bucket.count = 0;
    }
    const full = buckets.filter(({ window, count }) => count >= window.requests);
    if (full.length > 0) {
      refused.push(now);
      const endMs = Math.max(...full.map(({ window, startMs }) => startMs + window.windowMs));
      const seconds = Math.max(1, Math.ceil((endMs - now) / 1000));
      const error = { code: "rate_limit_exceeded", message: "slow down", retry_after: seconds };
      return raw(429, { success: false, error }, headers(now));
    }
    for (const bucket of buckets) bucket.count += 1;
    accepted.push(now);
    const data = { id: `srv_${accepted.length}`, name: "n", status: "running" };
    const meta = { timestamp: clock.iso(), request_id: "req_1" };
    return raw(201, { success: true, data, meta }, headers(now));
  };

  const headers = (now: number): Record<string, string> => {
    const left = ({ window, count }: Bucket) => window.requests - count;
    const [nearest] = [...buckets].sort(
      (a, b) => left(a) / a.window.requests - left(b) / b.window.requests,
    );
    if (!nearest) return {};
    const endMs = nearest.startMs + nearest.window.windowMs;
    const reset = {
      "unix-ceil": String(Math.ceil(endMs / 1000)),
      "unix-floor": String(Math.floor(endMs / 1000)),
      iso: new Date(endMs).toISOString(),
      delta: String(Math.ceil((endMs - now) / 1000)),
      none: undefined,
    }[options.reset];
    return {
      "x-ratelimit-limit": String(nearest.window.requests),
      "x-ratelimit-remaining": String(left(nearest)),
      ...(reset !== undefined && { "x-ratelimit-reset": reset }),
    };
  };

  const respond: Respond = async () => {
    await travel();
    const answer = take();
    await travel();
    return answer;
  };
  return { accepted, refused, respond };
}
