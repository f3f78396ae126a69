/** Running independent checks, a few at a time. */

/** What a check found. */
export interface Finding {
  readonly ok: boolean;
  /** For a person: what is wrong and where. */
  readonly output: string;
}

/** A finding and how long it took. */
export interface Outcome extends Finding {
  readonly ms: number;
}

export interface Check {
  /** One word, to ask for it alone. */
  readonly name: string;
  /** What holds when it passes. */
  readonly about: string;
  /** What to do when it fails, as a sentence. */
  readonly remedy: string;
  /** What it found is worth reading when it passes, too. */
  readonly shows?: true;
  readonly run: () => Promise<Finding>;
}

/**
 * Runs all checks, so many at a time, in their order; one that throws has failed. `onEnd` is told
 * of each as it ends.
 */
export async function runAll(
  checks: readonly Check[],
  atATime: number,
  onEnd: (check: Check, outcome: Outcome) => void,
  nowMs: () => number = () => performance.now(),
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const waiting = [...checks];
  const worker = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const started = nowMs();
      const finding = await check.run().catch((error: unknown): Finding => {
        return { ok: false, output: error instanceof Error ? error.message : String(error) };
      });
      const outcome = { ...finding, ms: nowMs() - started };
      outcomes.set(check.name, outcome);
      onEnd(check, outcome);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return outcomes;
}

/** `5.1 s` */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
