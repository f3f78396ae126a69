/** Reads and writes the parts that every message of Protocol Buffers is made of. */

/** The bytes are not such a message. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

/** Messages inside messages. */
export const DEPTH_MAX = 64;

/** How a field's value is laid out; in the lowest three bits of its tag. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const VARINT_BYTES_MAX = 10;

/** A position in the bytes of a message. */
export class Reader {
  private at = 0;

  /** @param depth how many messages this one lies in */
  constructor(
    private readonly bytes: Buffer,
    readonly depth = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Exact up to 2^53, which no field of the protocols comes near. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < VARINT_BYTES_MAX; count += 1) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw new MalformedMessage("the message ends inside a number");
      this.at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    throw new MalformedMessage("a number is longer than 64 bits");
  }

  byte(): number {
    return this.take(1).readUInt8(0);
  }

  double(): number {
    return this.take(8).readDoubleLE(0);
  }

  text(): string {
    return this.field().toString("utf8");
  }

  /** A field's bytes, after their length. */
  field(): Buffer {
    return this.take(this.varint());
  }

  /** A reader of the message that is the next field. */
  nested(): Reader {
    return new Reader(this.field(), this.depth + 1);
  }

  /** Passes over a field whose tag has been read. */
  skip(wire: number): void {
    if (wire === wireType.varint) this.varint();
    else if (wire === wireType.bytes) this.field();
    else if (wire === wireType.fixed64) this.take(8);
    else if (wire === wireType.fixed32) this.take(4);
    else throw new MalformedMessage(`there is no wire type ${wire}`);
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) {
      throw new MalformedMessage("the message ends inside a field");
    }
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}

const START_BYTES = 1024;

/** A buffer that grows at its end; most messages take one allocation. */
export class Writer {
  private bytes = Buffer.allocUnsafe(START_BYTES);
  private end = 0;

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
