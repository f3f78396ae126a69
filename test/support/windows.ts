/** What fixed windows of a rate limit allow. */
export interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

/** The least time for `count` requests, if all windows begin with the first one. */
export function leastMs(windows: readonly Window[], count: number): number {
  const sent: number[] = [];
  for (let index = 0; index < count; index += 1) {
    let at = sent[index - 1] ?? 0;
    for (const { requests, windowMs } of windows) {
      const before = sent[index - requests];
      // The first request of the next window may be sent when this one is over.
      if (before !== undefined) at = Math.max(at, (Math.floor(before / windowMs) + 1) * windowMs);
    }
    sent.push(at);
  }
  return sent.at(-1) ?? 0;
}
