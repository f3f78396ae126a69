/** What of a context goes with every call. */
import type { Context } from "./types";

/** What of a context goes with every call. */
export const callOptions = (context: Context) => ({
  ...(context.signal && { signal: context.signal }),
  ...(context.stop && { stop: context.stop }),
  ...(context.onNotice && { onNotice: context.onNotice }),
});
