/** What the service says of a key's quota. */
import { keyClasses, plans, type AuthView, type LimitWindow } from "../../provider/contract";

/** The end of a rate-limit window, in milliseconds since 1970. Assumption: `X-RateLimit-Reset`. */
export const resetMs = (reset: string): number =>
  /^\d+(?:\.\d+)?$/.test(reset) ? Number(reset) * 1_000 : Date.parse(reset);

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The windows that a key seems to have. The service names one limit and when it ends: where a plan
 * or a class of keys has it, all windows of that one are meant. Empty: the key has no limit.
 */
export function windowsShown(rate: AuthView["rateLimit"], nowMs: number): readonly LimitWindow[] {
  if (!rate) return [];
  const leftMs = resetMs(rate.reset) - nowMs;
  // A minute's window ends within a minute; only its clock may differ a little.
  const windowMs = leftMs > MINUTE_MS + 5_000 ? HOUR_MS : MINUTE_MS;
  const classes: readonly { readonly windows: readonly LimitWindow[] }[] = [
    ...Object.values(plans),
    ...Object.values(keyClasses),
  ];
  const fits = (each: LimitWindow): boolean => each.requests === rate.limit;
  const known =
    classes.find(({ windows }) => windows.some((w) => fits(w) && w.windowMs === windowMs)) ??
    classes.find(({ windows }) => windows.some(fits));
  return known?.windows ?? [{ requests: rate.limit, windowMs }];
}
