/** Whether an object existed before a request, by the service's own clock. */
import type { ServiceRecord } from "../../contract";

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
