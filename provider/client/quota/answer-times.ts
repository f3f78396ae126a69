/** Points in time in ascending order, with cheap adding at one end and dropping at the other. */
export class Times {
  private values: number[] = [];
  private head = 0;

  get size(): number {
    return this.values.length - this.head;
  }

  /** The oldest; Infinity where there is none. */
  first(): number {
    return this.values[this.head] ?? Number.POSITIVE_INFINITY;
  }

  /** Adds one; one that is older than the newest counts as the newest. */
  push(time: number): void {
    const newest = this.values[this.values.length - 1];
    this.values.push(this.size > 0 && newest !== undefined && newest > time ? newest : time);
  }

  /** Drops all up to and including `time`. */
  dropUntil(time: number): void {
    const { values } = this;
    let { head } = this;
    while (head < values.length && (values[head] ?? Number.POSITIVE_INFINITY) <= time) head += 1;
    if (head > 512 && head * 2 > values.length) {
      values.splice(0, head);
      head = 0;
    }
    this.head = head;
  }
}
