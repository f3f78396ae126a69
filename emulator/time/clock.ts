/** The emulator's clock: real time by default; it can jump forward or run at another rate. */

/** Where real time comes from; passed in so that tests control it. */
export interface RealTime {
  /** Milliseconds since 1970 by the machine's clock. May jump. */
  readonly wallMs: () => number;
  /** Milliseconds since an arbitrary start; never goes back. */
  readonly monotonicMs: () => number;
}

/** What a snapshot and the data file keep of a clock. */
export interface ClockState {
  readonly nowMs: number;
  readonly rate: number;
}

/** A time in milliseconds since 1970 as ISO 8601 in UTC. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();

/**
 * Drives `created_at`, `meta.timestamp`, expiry, rotation, the idempotency window, provisioning and
 * webhook waits. Rate limits and times of the transport (`Date`, `X-RateLimit-Reset`,
 * `webhook-timestamp`) stay in real time, because the other side measures them with its own clock.
 */
export class Clock {
  private currentRate: number;
  private baseMs: number;
  private sinceMs: number;

  constructor(
    private readonly real: RealTime,
    start?: ClockState,
  ) {
    this.currentRate = start?.rate ?? 1;
    this.baseMs = start?.nowMs ?? real.wallMs();
    this.sinceMs = real.monotonicMs();
  }

  /** Emulated milliseconds since 1970, whole; only `restore` takes them back. */
  nowMs(): number {
    return Math.floor(this.baseMs + (this.real.monotonicMs() - this.sinceMs) * this.currentRate);
  }

  /** The same as ISO 8601 in UTC. */
  iso(): string {
    return isoOf(this.nowMs());
  }

  /** Emulated seconds per real second; 0: the clock stands still. */
  rate(): number {
    return this.currentRate;
  }

  advance(byMs: number): void {
    this.restore({ nowMs: this.nowMs() + byMs, rate: this.currentRate });
  }

  setRate(rate: number): void {
    this.restore({ nowMs: this.nowMs(), rate });
  }

  state(): ClockState {
    return { nowMs: this.nowMs(), rate: this.currentRate };
  }

  restore(state: ClockState): void {
    this.baseMs = state.nowMs;
    this.sinceMs = this.real.monotonicMs();
    this.currentRate = state.rate;
  }

  /** Real milliseconds that emulated ones take; undefined while the clock stands still. */
  realMs(emulatedMs: number): number | undefined {
    return this.currentRate === 0 ? undefined : emulatedMs / this.currentRate;
  }
}

/** Waits without keeping the process alive: a held request does not outlive a closed emulator. */
export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());
