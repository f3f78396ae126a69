/** How much memory a program holds on to, and whether that grows. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MIB = 1024 * 1024;

/** What is still reachable, not what has not been collected yet. */
export function reachableMib(): number {
  setFlagsFromString("--expose-gc");
  // Only contexts created after the flag was set have it.
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed / MIB;
}

/** The journal, the caches and the client's own writes are remembered by then. */
const SETTLED_MS = 60_000;

/** What a long load shows of a process's memory, once that has something to forget. */
export const memoryOf = (samples: readonly Sample[]) => {
  const steady = samples.filter(({ atMs }) => atMs > SETTLED_MS);
  return {
    /** Reachable, in MiB. */
    heapMib: steady.map(({ mib }) => Math.round(mib * 10) / 10),
    /** From the lowest of the first half to the lowest of the second. */
    growthMibPerMinute: growth(steady) * 60_000,
  };
};

export interface Sample {
  readonly atMs: number;
  readonly mib: number;
}

/**
 * MiB per millisecond. The client remembers its own writes until a list shows them, and then forgets
 * them at once, so that its memory goes up and down: what counts is where it comes down to.
 */
export function growth(samples: readonly Sample[]): number {
  const middle = Math.floor(samples.length / 2);
  const low = (some: readonly Sample[]): Sample | undefined =>
    some.toSorted((a, b) => a.mib - b.mib)[0];
  const [before, after] = [low(samples.slice(0, middle)), low(samples.slice(middle))];
  return before && after ? (after.mib - before.mib) / (after.atMs - before.atMs) : 0;
}
