/** A buffer that grows at its end; most messages take one allocation. */

const START_BYTES = 1024;

export class Writer {
  private bytes = Buffer.allocUnsafe(START_BYTES);
  private end = 0;

  /** Where the next byte goes. */
  get length(): number {
    return this.end;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.end] = value;
    this.end += 1;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.end = this.bytes.writeUInt32BE(value, this.end);
  }

  int64(value: bigint): void {
    this.reserve(8);
    this.end = this.bytes.writeBigInt64BE(BigInt.asIntN(64, value), this.end);
  }

  /** Least significant byte first. */
  double(value: number): void {
    this.reserve(8);
    this.end = this.bytes.writeDoubleLE(value, this.end);
  }

  /** What `write` writes, with its length as a varint before it. */
  nested(write: () => void): void {
    const start = this.end + 1;
    this.byte(0);
    write();
    const length = this.end - start;
    let rest = length;
    let at = start - 1;
    const more = lengthOfVarint(length) - 1;
    if (more > 0) {
      this.reserve(more);
      this.bytes.copyWithin(start + more, start, this.end);
      this.end += more;
    }
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80), at += 1)
      this.bytes[at] = (rest % 0x80) | 0x80;
    this.bytes[at] = rest;
  }

  /** What a field of Protocol Buffers begins with. */
  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire);
  }

  copy(from: Buffer): void {
    this.reserve(from.length);
    from.copy(this.bytes, this.end);
    this.end += from.length;
  }

  /** UTF-8; `length` is its size in bytes. */
  text(text: string, length: number): void {
    this.reserve(length);
    this.bytes.write(text, this.end, "utf8");
    this.end += length;
  }

  /** UTF-8, with its size as a varint before it. */
  prefixedText(text: string): void {
    const length = Buffer.byteLength(text, "utf8");
    this.varint(length);
    this.text(text, length);
  }

  /** Least significant seven bits first, as in Protocol Buffers; at most 2^53. */
  varint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.end] = (rest % 0x80) | 0x80;
      this.end += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.end] = rest;
    this.end += 1;
  }

  /** What was written. The writer must not be used after. */
  done(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  private reserve(more: number): void {
    const needed = this.end + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

function lengthOfVarint(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}
