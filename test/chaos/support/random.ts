/** Chance that can be had again: the same seed gives the same trials. */
export interface Chance {
  /** 0 up to 1. */
  next(): number;
  /** Whole number from 0 to below `end`. */
  below(end: number): number;
  pick<const T>(list: readonly [T, ...T[]]): T;
}

/** Mulberry32: small, quick, good enough for trials. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}
