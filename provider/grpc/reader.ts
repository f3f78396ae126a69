/** Reads the parts that every message of Protocol Buffers is made of. */

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

  double(): number {
    return this.take(8).readDoubleLE(0);
  }

  text(): string {
    const length = this.varint();
    const start = this.at;
    if (start + length > this.bytes.length) {
      throw new MalformedMessage("the message ends inside a field");
    }
    this.at = start + length;
    return this.bytes.toString("utf8", start, this.at);
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

  private take(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) {
      throw new MalformedMessage("the message ends inside a field");
    }
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}
