/** The emulator's clock: real time by default, and it can be advanced or run at another rate. */

/** Where real time comes from; passed in so that tests own it. */
export interface RealTime {
  /** Milliseconds since 1970, as the machine says. May jump. */
  readonly wallMs: () => number;
  /** Milliseconds that never go back, from any start. */
  readonly monotonicMs: () => number;
}

/** What a snapshot and the data file keep of a clock. */
export interface ClockState {
  readonly nowMs: number;
  readonly rate: number;
}

/**
 * Drives `created_at`, `meta.timestamp`, expiry, rotation, the idempotency window, provisioning and
 * webhook waits. Rate limits and the transport's own times (`Date`, `X-RateLimit-Reset`,
 * `webhook-timestamp`) stay with real time, since the other side measures those with its own clock.
 */
export interface Clock {
  /** Emulated milliseconds since 1970, whole, never going back but on `restore`. */
  nowMs(): number;
  /** The same as ISO 8601 in UTC. */
  iso(): string;
  /** Emulated seconds per real second; 0 stands still. */
  rate(): number;
  /** Jumps forward by so many milliseconds. */
  advance(byMs: number): void;
  setRate(rate: number): void;
  state(): ClockState;
  restore(state: ClockState): void;
  /** Emulated milliseconds in real ones; undefined while the clock stands still. */
  realMs(emulatedMs: number): number | undefined;
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();

export function createClock(real: RealTime, start?: ClockState): Clock {
  let rate = start?.rate ?? 1;
  let baseMs = start?.nowMs ?? real.wallMs();
  let since = real.monotonicMs();
  const nowMs = () => Math.floor(baseMs + (real.monotonicMs() - since) * rate);
  const rebase = (atMs: number, nextRate: number) => {
    baseMs = atMs;
    since = real.monotonicMs();
    rate = nextRate;
  };
  return {
    nowMs,
    iso: () => isoOf(nowMs()),
    rate: () => rate,
    advance: (byMs) => rebase(nowMs() + byMs, rate),
    setRate: (next) => rebase(nowMs(), next),
    state: () => ({ nowMs: nowMs(), rate }),
    restore: (state) => rebase(state.nowMs, state.rate),
    realMs: (emulatedMs) => (rate === 0 ? undefined : emulatedMs / rate),
  };
}
