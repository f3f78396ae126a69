/** A figure is a ratio to a named reference, measured in the same run, in turn. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, and what that came to. */
  readonly reference: string;
  readonly referenceValue: number;
  /** Above 1: erphost takes more. */
  readonly ratio: number;
  /** The ratio that is promised, where one is. */
  readonly ratioMax?: number;
}

export interface BenchOptions {
  /** Times that each side is measured; medians are told. */
  readonly rounds: number;
  /** The long measurements as well. */
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

/** Seconds that something takes. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return (performance.now() - begunAt) / 1000;
}

/**
 * Measures two sides in turn, so that a noisy machine disturbs both, each first once unmeasured to
 * warm up, unless that takes too long. Gives the medians, and the median of the ratios of neighbours.
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
    // Whoever comes second may profit from the first: they take turns.
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

/** Work on a list by so many workers. */
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
