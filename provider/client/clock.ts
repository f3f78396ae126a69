/** Time as the client sees it: passed in, so that tests can own it. */

/** Cancels a timer; harmless afterwards. */
export type CancelTimer = () => void;

export interface Clock {
  /** Milliseconds that never go back. */
  monotonicMs(): number;
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Calls back once, `ms` from now. */
  after(ms: number, callback: () => void): CancelTimer;
}

/** The longest that Node's timers can wait, in milliseconds. */
export const TIMER_MAX_MS = 2_147_483_647;
