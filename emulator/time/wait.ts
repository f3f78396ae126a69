/** Waiting in real time. */

/** Waits without keeping the process alive: a held request does not outlive a closed emulator. */
export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());
