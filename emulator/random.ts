/** Randomness: secure for secrets, seeded for faults. */

/** A number from 0 (included) to 1 (not included). */
export type Random = () => number;
export type RandomBytes = (size: number) => Uint8Array;

/** A repeatable sequence (mulberry32): the same seed gives the same faults. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
