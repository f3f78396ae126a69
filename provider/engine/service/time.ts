/**
 * The service's own time, from what it last said. A machine's clock may be wrong or jump, and how
 * old a request is decides whether it may be sent again.
 */
import type { CallOptions, Clock, Core } from "../../client";

export class ServiceTime {
  private last: { readonly serviceMs: number; readonly atMs: number } | undefined;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly core: Pick<Core, "authTest">,
    private readonly clock: Clock,
  ) {}

  /** A timestamp that the service just answered; anything else is ignored. */
  learn(timestamp: string | undefined): void {
    const serviceMs = Date.parse(timestamp ?? "");
    if (!Number.isNaN(serviceMs)) this.last = { serviceMs, atMs: this.clock.monotonicMs() };
  }

  /**
   * Milliseconds since 1970 by the service; undefined before it said any. Whole ones, as it writes its
   * times: what it makes in the very millisecond of a request would be older than that otherwise.
   */
  now(): number | undefined {
    return this.last && Math.floor(this.last.serviceMs + this.clock.monotonicMs() - this.last.atMs);
  }

  /**
   * Milliseconds since a moment, by the service's clock where both ends are known by it. Negative
   * where this machine's clock was put back: then nothing is known.
   */
  async ageOf(moment: Moment, calls: CallOptions): Promise<number> {
    const byMachine = this.clock.wallMs() - moment.time;
    if (moment.serviceTime === undefined) return byMachine;
    const now = await this.ask(calls);
    return now === undefined ? byMachine : now - moment.serviceTime;
  }

  /** Asks at most once at a time, whoever needs it; without an answer the time stays as it was. */
  async ask(calls: CallOptions): Promise<number | undefined> {
    this.asking ??= this.core
      .authTest(calls)
      .then(({ meta }) => this.learn(meta?.timestamp))
      .catch(() => undefined) // Then the machine's own clock has to do.
      .finally(() => (this.asking = undefined));
    await this.asking;
    return this.now();
  }
}

/** A moment, by this machine's clock and, where it was known, by the service's. */
interface Moment {
  readonly time: number;
  readonly serviceTime?: number | undefined;
}
