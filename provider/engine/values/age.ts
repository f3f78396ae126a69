/** Whether an object existed before a request, by the service's own clock. */
import type { Contract, ServiceRecord } from "../../contract";

/**
 * Undefined where the service says no time. A time in whole seconds may have been cut off.
 * @param momentMs milliseconds since 1970 by the service, never later than the request
 */
export function isOlder(
  { fields }: Pick<ServiceRecord, "fields">,
  momentMs: number | undefined,
): boolean | undefined {
  const createdMs = Date.parse(String(fields["created_at"]));
  if (Number.isNaN(createdMs) || momentMs === undefined) return undefined;
  const isWhole = createdMs % 1_000 === 0;
  return createdMs < (isWhole ? Math.floor(momentMs / 1_000) * 1_000 : momentMs);
}

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
