/**
 * The service's own time, from what it last said. A machine's clock may be wrong or jump, and how
 * old a request is decides whether it may be sent again.
 */
import type { Core } from "../../client/api";
import type { Clock } from "../../client/clock";
import type { Contract } from "../../contract";
import { callOptions } from "../call-options";
import type { Context } from "../types";

/** Subtracted from the idempotency window of the service: requests take time, and clocks differ. */
const WINDOW_MARGIN_MS = 10 * 60_000;

/**
 * Whether the service still replays its answer to a request of this age for the same idempotency
 * key. A negative age means that a clock was set back, and then nothing is certain.
 */
export const isReplayable = (
  { idempotencyWindowMs }: Pick<Contract, "idempotencyWindowMs">,
  ageMs: number,
): boolean => ageMs >= 0 && ageMs < idempotencyWindowMs - WINDOW_MARGIN_MS;

export class ServiceTime {
  private heard: { readonly serviceMs: number; readonly atMs: number } | undefined;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly core: Pick<Core, "authTest">,
    private readonly clock: Clock,
  ) {}

  /** A timestamp that the service just answered; what is no time is left out. */
  hear(timestamp: string | undefined): void {
    const serviceMs = Date.parse(timestamp ?? "");
    if (!Number.isNaN(serviceMs)) this.heard = { serviceMs, atMs: this.clock.monotonicMs() };
  }

  /** Milliseconds since 1970 by the service; undefined before it said any. */
  now(): number | undefined {
    return this.heard && this.heard.serviceMs + this.clock.monotonicMs() - this.heard.atMs;
  }

  /** For writing an intent: what is known will do; asks where nothing is. */
  async known(context: Context): Promise<number | undefined> {
    if (this.now() === undefined) await this.ask(context);
    return this.now();
  }

  /**
   * Milliseconds since a moment, by the service's clock where both ends are known by it. Negative
   * where this machine's clock was put back: then nothing is known.
   */
  async ageOf(moment: Moment, context: Context): Promise<number> {
    const byMachine = this.clock.wallMs() - moment.time;
    if (moment.serviceTime === undefined) return byMachine;
    await this.ask(context);
    const now = this.now();
    return now === undefined ? byMachine : now - moment.serviceTime;
  }

  /** Asks at most once at a time, whoever needs it; without an answer the time stays unknown. */
  private ask(context: Context): Promise<void> {
    this.asking ??= this.core
      .authTest(callOptions(context))
      .then(({ meta }) => this.hear(meta?.timestamp))
      .catch(() => undefined)
      .finally(() => (this.asking = undefined));
    return this.asking;
  }
}

/** A moment, by this machine's clock and, where it was known, by the service's. */
interface Moment {
  readonly time: number;
  readonly serviceTime?: number | undefined;
}
