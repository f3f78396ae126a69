/** Runs many mutants, a few at a time. */
import { Laboratory, type Outcome } from "./laboratory";
import type { Mutant } from "./mutant";

export interface Hunt {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** How many at a time; each has a copy of the checkout. */
  readonly jobs: number;
  readonly onOutcome?: (mutant: Mutant, outcome: Outcome, ms: number) => void;
}

export interface Hunted {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

/**
 * Tries every mutant. The tests that must notice are run on unbroken code first: one that fails
 * there would "kill" anything.
 *
 * @throws Error if there is nothing to try, or the unbroken code fails
 */
export async function hunt(mutants: readonly Mutant[], options: Hunt): Promise<readonly Hunted[]> {
  if (mutants.length === 0) throw new Error("There is no mutant to try.");
  const { root, env } = options;
  const laboratories = Array.from({ length: Math.min(options.jobs, mutants.length) }, () =>
    Laboratory.open(root),
  );
  try {
    const [first] = laboratories;
    const { failed, trouble } = (await first?.run(testsOf(mutants), env)) ?? { failed: [] };
    if (trouble !== undefined || failed.length > 0) {
      throw new Error(`The unbroken code fails its tests: ${trouble ?? failed.join("; ")}`);
    }
    const open = [...mutants];
    const hunted: Hunted[] = [];
    const work = async (laboratory: Laboratory): Promise<void> => {
      for (let mutant = open.shift(); mutant !== undefined; mutant = open.shift()) {
        const startedAt = performance.now();
        const outcome = await laboratory.try(mutant, env);
        options.onOutcome?.(mutant, outcome, performance.now() - startedAt);
        hunted.push({ mutant, outcome });
      }
    };
    await Promise.all(laboratories.map(work));
    return mutants.flatMap((mutant) => hunted.filter((one) => one.mutant === mutant));
  } finally {
    for (const laboratory of laboratories) laboratory.close();
  }
}

const testsOf = (mutants: readonly Mutant[]): string[] => [
  ...new Set(mutants.map(({ tests }) => tests)),
];
