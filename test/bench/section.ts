/** A figure is a ratio to a named reference that is measured in the same run, alternately. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, and the value of that. */
  readonly reference: string;
  readonly referenceValue: number;
  /** Above 1: erphost takes more. */
  readonly ratio: number;
  /** The ratio that is promised, if any. */
  readonly ratioMax?: number;
}

export interface BenchOptions {
  /** How often each side is measured; medians are reported. */
  readonly rounds: number;
  /** Includes the long measurements. */
  readonly large: boolean;
  readonly say: (text: string) => void;
}

export interface Section {
  readonly name: string;
  readonly about: string;
  run(options: BenchOptions): Promise<Figure[]>;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** How many seconds something takes. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/**
 * Measures two sides alternately, so that a noisy machine disturbs both. Each runs once before to
 * warm up, unless that takes too long. Returns the medians, and the median of the pairs' ratios.
 */
export async function compared(
  rounds: number,
  ours: () => Promise<unknown>,
  reference: () => Promise<unknown>,
  { warm }: { readonly warm: boolean } = { warm: true },
): Promise<{ readonly value: number; readonly referenceValue: number; readonly ratio: number }> {
  if (warm) {
    await reference();
    await ours();
  }
  const pairs: { ours: number; reference: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The second may profit from the first, so they take turns.
    if (round % 2 === 0) {
      const first = await seconds(reference);
      pairs.push({ reference: first, ours: await seconds(ours) });
    } else {
      const first = await seconds(ours);
      pairs.push({ ours: first, reference: await seconds(reference) });
    }
  }
  return {
    value: median(pairs.map((pair) => pair.ours)),
    referenceValue: median(pairs.map((pair) => pair.reference)),
    ratio: median(pairs.map((pair) => pair.ours / pair.reference)),
  };
}

/** Does `count` pieces of work, `width` at a time. */
export async function atATime(
  width: number,
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
