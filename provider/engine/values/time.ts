/** The service's own time: machine clocks may jump, and a request's age decides on repeating it. */
import type { CallOptions, Clock, Core } from "../../client";
import type { Contract, ServiceRecord } from "../../contract";

export type Made = Pick<ServiceRecord, "fields">;

/** Milliseconds since 1970; 0 where the service says no time. */
export const createdMs = ({ fields }: Made): number =>
  Date.parse(String(fields["created_at"])) || 0;

/** Oldest first; of equally old ones the last is the newest, as lists keep the order of creation. */
export const byAge = (records: readonly ServiceRecord[]): ServiceRecord[] =>
  [...records].sort((a, b) => createdMs(a) - createdMs(b));

export const newest = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  records.reduce<ServiceRecord | undefined>(
    (last, one) => (last && createdMs(one) < createdMs(last) ? last : one),
    undefined,
  );

/**
 * Whether an object existed before a request. Undefined where the service says no time. A time in
 * whole seconds may have been cut off.
 * @param momentMs milliseconds since 1970 by the service, never later than the request
 */
export function isOlder(record: Made, momentMs: number | undefined): boolean | undefined {
  const madeMs = createdMs(record);
  if (madeMs === 0 || momentMs === undefined) return undefined;
  const isWhole = madeMs % 1_000 === 0;
  return madeMs < (isWhole ? Math.floor(momentMs / 1_000) * 1_000 : momentMs);
}

/** How far apart the clocks of one service may be. */
export const CLOCKS_DIFFER_MS = 5_000;

/** Subtracted from the idempotency window of the service: requests take time, and clocks differ. */
export const REPLAY_MARGIN_MS = 10 * 60_000;

/**
 * Whether the service still replays its answer to a request of this age for the same idempotency
 * key. A negative age means that a clock was set back, and then nothing is certain.
 */
export const isReplayable = (
  { idempotencyWindowMs }: Pick<Contract, "idempotencyWindowMs">,
  ageMs: number,
): boolean => ageMs >= 0 && ageMs < idempotencyWindowMs - REPLAY_MARGIN_MS;

/** The service's own time, asked for where nothing has said it yet. */
export class AskedTime {
  private last: { readonly serviceMs: number; readonly atMs: number } | undefined;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly core: Pick<Core, "authTest">,
    private readonly clock: Clock,
  ) {}

  /**
   * A timestamp that the service just answered; anything else is ignored.
   * @param mayBeOld that of a list, which many share: it sets no clock back
   */
  learn(timestamp: string | undefined, mayBeOld = false): void {
    const serviceMs = Date.parse(timestamp ?? "");
    if (Number.isNaN(serviceMs) || (mayBeOld && serviceMs < (this.now() ?? 0))) return;
    this.last = { serviceMs, atMs: this.clock.monotonicMs() };
  }

  /**
   * Milliseconds since 1970 by the service; undefined before it said any. Whole ones, as it writes its
   * times: what it makes in the very millisecond of a request would be older than that otherwise.
   */
  now(): number | undefined {
    return this.last && Math.floor(this.last.serviceMs + this.clock.monotonicMs() - this.last.atMs);
  }

  /** Milliseconds since a moment, by the service's clock if it can; negative: nothing is known. */
  async ageOf(
    moment: { readonly time: number; readonly serviceTime?: number | undefined },
    calls: CallOptions,
  ): Promise<number> {
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
