/** Repeatable chance: the same seed gives the same trials. */
import { seededRandom, type Random } from "../../emulator/random";

export class Chance {
  private readonly next: Random;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<const T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** At most `count` of a list, in its order. */
  sample<T>(list: readonly T[], count: number): readonly T[] {
    const some = [...list];
    while (some.length > count) some.splice(this.below(some.length), 1);
    return some;
  }
}
