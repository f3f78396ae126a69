/**
 * MessagePack as Terraform writes values: numbers may be integers, floats or decimal text, and an
 * extension marks a value that is not known yet.
 */
import { UNKNOWN } from "../../resources";
import { MalformedMessage, Writer } from "../../grpc";

/**
 * A value before a type gives it a meaning: plain data, `UNKNOWN`, an integer that a number cannot
 * hold, or bytes, which is how a type inside a value is written.
 */
export type Raw =
  null | boolean | number | bigint | string | typeof UNKNOWN | Buffer | readonly Raw[] | RawObject;
export interface RawObject {
  readonly [key: string]: Raw;
}

export const isRawObject = (raw: Raw | undefined): raw is RawObject =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) && !Buffer.isBuffer(raw);

const DEPTH_MAX = 128;

/** @throws MalformedMessage where the bytes are not a value, end early or continue after it */
export function decodeMsgpack(bytes: Buffer): Raw {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (reader.at !== bytes.length) throw new MalformedMessage("bytes follow the value");
  return value;
}

class Reader {
  at = 0;
  constructor(private readonly bytes: Buffer) {}

  value(depth: number): Raw {
    if (depth > DEPTH_MAX) throw new MalformedMessage(`the value is deeper than ${DEPTH_MAX}`);
    const tag = this.unsigned(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.map(tag & 0x0f, depth);
    if (tag < 0xa0) return this.array(tag & 0x0f, depth);
    if (tag < 0xc0) return this.text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    return this.tagged(tag, depth);
  }

  /** From nil, 0xc0, to the longest map, 0xdf. */
  private tagged(tag: number, depth: number): Raw {
    if (tag === 0xc0) return null;
    if (tag === 0xc1) throw new MalformedMessage("0xc1 does not begin a value");
    if (tag < 0xc4) return tag === 0xc3;
    if (tag < 0xc7) return this.take(this.unsigned(1 << (tag - 0xc4)));
    if (tag < 0xca) return this.extension(this.unsigned(1 << (tag - 0xc7)));
    if (tag === 0xca) return this.take(4).readFloatBE(0);
    if (tag === 0xcb) return this.take(8).readDoubleBE(0);
    if (tag < 0xcf) return this.unsigned(1 << (tag - 0xcc));
    if (tag === 0xcf) return narrow(this.take(8).readBigUInt64BE(0));
    if (tag < 0xd3) return this.signed(1 << (tag - 0xd0));
    if (tag === 0xd3) return narrow(this.take(8).readBigInt64BE(0));
    if (tag < 0xd9) return this.extension(1 << (tag - 0xd4));
    if (tag < 0xdc) return this.text(this.unsigned(1 << (tag - 0xd9)));
    if (tag < 0xde) return this.array(this.unsigned(2 << (tag - 0xdc)), depth);
    return this.map(this.unsigned(2 << (tag - 0xde)), depth);
  }

  /** Moves past the next bytes, after a check that they exist, and returns where they begin. */
  private advance(length: number): number {
    const start = this.at;
    if (start + length > this.bytes.length) throw new MalformedMessage("the value ends early");
    this.at = start + length;
    return start;
  }

  private take(length: number): Buffer {
    return this.bytes.subarray(this.advance(length), this.at);
  }

  private unsigned(length: number): number {
    const start = this.advance(length);
    return length === 1 ? (this.bytes[start] ?? 0) : this.bytes.readUIntBE(start, length);
  }

  private signed(length: number): number {
    return this.bytes.readIntBE(this.advance(length), length);
  }

  private text(length: number): string {
    return this.bytes.toString("utf8", this.advance(length), this.at);
  }

  /** Extension 0 is unknown, 12 is unknown with a refinement; any other can only be newer. */
  private extension(length: number): Raw {
    this.take(length + 1);
    return UNKNOWN;
  }

  private array(length: number, depth: number): Raw {
    // Every element takes at least one byte, so a larger length is wrong.
    if (length > this.bytes.length - this.at) throw new MalformedMessage("the value ends early");
    // Built while it is read: a header alone takes no memory for what may never come.
    const elements: Raw[] = [];
    while (elements.length < length) elements.push(this.value(depth + 1));
    return elements;
  }

  private map(length: number, depth: number): Raw {
    if (length > this.bytes.length - this.at) throw new MalformedMessage("the value ends early");
    const entries: [string, Raw][] = [];
    for (let index = 0; index < length; index += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== "string") throw new MalformedMessage("a key is not text");
      entries.push([key, this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }
}

const narrow = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

/** Writes a value; map keys are sorted, as Terraform does. */
export function encodeMsgpack(value: Raw): Buffer {
  const writer = new Writer();
  write(writer, value);
  return writer.done();
}

const UNKNOWN_BYTES = Buffer.from([0xd4, 0x00, 0x00]);

function write(writer: Writer, value: Raw): void {
  if (value === null) writer.byte(0xc0);
  else if (typeof value === "string") writeText(writer, value);
  else if (typeof value === "boolean") writer.byte(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") writeNumber(writer, value);
  else if (typeof value === "bigint") writeBigInteger(writer, value);
  else if (value === UNKNOWN) writer.copy(UNKNOWN_BYTES);
  else if (Buffer.isBuffer(value)) {
    writer.byte(0xc6);
    writer.uint32(value.length);
    writer.copy(value);
  } else if (Array.isArray(value)) writeArray(writer, value as readonly Raw[]);
  else if (isRawObject(value)) writeMap(writer, value);
}

/** Other than safe integers as decimal text: Terraform reads the very digits of the program. */
function writeNumber(writer: Writer, value: number): void {
  if (!Number.isSafeInteger(value)) writeText(writer, String(value));
  else if (value >= 0 && value < 0x80) writer.byte(value);
  else writeBigInteger(writer, BigInt(value));
}

function writeBigInteger(writer: Writer, value: bigint): void {
  const isSigned = BigInt.asIntN(64, value) === value;
  if (!isSigned && BigInt.asUintN(64, value) !== value) {
    writeText(writer, value.toString());
    return;
  }
  writer.byte(isSigned ? 0xd3 : 0xcf);
  writer.int64(value);
}

function writeText(writer: Writer, text: string): void {
  const length = Buffer.byteLength(text, "utf8");
  if (length < 32) writer.byte(0xa0 | length);
  else if (length < 0x100) {
    writer.byte(0xd9);
    writer.byte(length);
  } else {
    writer.byte(0xdb);
    writer.uint32(length);
  }
  writer.text(text, length);
}

function writeArray(writer: Writer, elements: readonly Raw[]): void {
  if (elements.length < 16) writer.byte(0x90 | elements.length);
  else {
    writer.byte(0xdd);
    writer.uint32(elements.length);
  }
  for (const element of elements) write(writer, element);
}

function writeMap(writer: Writer, value: RawObject): void {
  const keys = Object.keys(value).sort();
  if (keys.length < 16) writer.byte(0x80 | keys.length);
  else {
    writer.byte(0xdf);
    writer.uint32(keys.length);
  }
  for (const key of keys) {
    writeText(writer, key);
    write(writer, value[key] ?? null);
  }
}
