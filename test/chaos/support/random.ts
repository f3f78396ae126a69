/** Repeatable chance: the same seed gives the same trials. */
export class Chance {
  constructor(private state: number) {}

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

  /** Mulberry32, from 0 to below 1: small, fast, good enough for trials. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
