/**
 * MessagePack as Terraform writes values: numbers may be integers, floats or decimal text, and an
 * extension stands for a value that is not known yet.
 */
import { isUnknown, UNKNOWN } from "../../engine";
import { MalformedMessage } from "./protobuf";

/**
 * What a value is before a type gives it a meaning: plain data, `UNKNOWN`, an integer that a number
 * can't hold, or bytes, which is how a type inside a value is written.
 */
export type Raw =
  null | boolean | number | bigint | string | typeof UNKNOWN | Buffer | readonly Raw[] | RawObject;
export interface RawObject {
  readonly [key: string]: Raw;
}

export const isRawObject = (raw: Raw | undefined): raw is RawObject =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) && !Buffer.isBuffer(raw);

const DEPTH_MAX = 128;

/** @throws MalformedMessage where the bytes are no value, end early or go on after it */
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

  private tagged(tag: number, depth: number): Raw {
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.take(this.unsigned(1 << (tag - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.extension(this.unsigned(1 << (tag - 0xc7)));
      case 0xca:
        return this.take(4).readFloatBE(0);
      case 0xcb:
        return this.take(8).readDoubleBE(0);
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.unsigned(1 << (tag - 0xcc));
      case 0xcf:
        return narrow(this.take(8).readBigUInt64BE(0));
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.signed(1 << (tag - 0xd0));
      case 0xd3:
        return narrow(this.take(8).readBigInt64BE(0));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.extension(1 << (tag - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.text(this.unsigned(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.array(this.unsigned(2 << (tag - 0xdc)), depth);
      case 0xde:
      case 0xdf:
        return this.map(this.unsigned(2 << (tag - 0xde)), depth);
      default:
        throw new MalformedMessage(`0x${tag.toString(16)} begins no value`);
    }
  }

  private take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new MalformedMessage("the value ends early");
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  private unsigned(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  private signed(length: number): number {
    return this.take(length).readIntBE(0, length);
  }

  private text(length: number): string {
    return this.take(length).toString("utf8");
  }

  /** Extension 0 is unknown, 12 is unknown with a refinement; any other can only be newer. */
  private extension(length: number): Raw {
    this.take(length + 1);
    return UNKNOWN;
  }

  private array(length: number, depth: number): Raw {
    // Every element takes a byte at least: a length beyond that is a lie.
    if (length > this.bytes.length - this.at) throw new MalformedMessage("the value ends early");
    return Array.from({ length }, () => this.value(depth + 1));
  }

  private map(length: number, depth: number): Raw {
    if (length > this.bytes.length - this.at) throw new MalformedMessage("the value ends early");
    const entries: [string, Raw][] = [];
    for (let index = 0; index < length; index += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== "string") throw new MalformedMessage("a key is no text");
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
  const parts: Buffer[] = [];
  write(parts, value);
  return Buffer.concat(parts);
}

const NIL = Buffer.from([0xc0]);
const FALSE = Buffer.from([0xc2]);
const TRUE = Buffer.from([0xc3]);
const UNKNOWN_BYTES = Buffer.from([0xd4, 0x00, 0x00]);

function write(parts: Buffer[], value: Raw): void {
  if (value === null) parts.push(NIL);
  else if (isUnknown(value)) parts.push(UNKNOWN_BYTES);
  else if (typeof value === "boolean") parts.push(value ? TRUE : FALSE);
  else if (typeof value === "number") parts.push(numberBytes(value));
  else if (typeof value === "bigint") writeBigInteger(parts, value);
  else if (typeof value === "string") writeText(parts, value);
  else if (Buffer.isBuffer(value)) parts.push(withLength(0xc6, value.length), value);
  else if (Array.isArray(value)) writeArray(parts, value as readonly Raw[]);
  else if (isRawObject(value)) writeMap(parts, value);
}

/**
 * Whole numbers as integers. Others as decimal text: Terraform reads the digits that the program
 * wrote, where a float would be a neighbour of them.
 */
function numberBytes(value: number): Buffer {
  if (!Number.isSafeInteger(value)) {
    const parts: Buffer[] = [];
    writeText(parts, String(value));
    return Buffer.concat(parts);
  }
  if (value >= 0 && value < 0x80) return Buffer.from([value]);
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xd3;
  bytes.writeBigInt64BE(BigInt(value), 1);
  return bytes;
}

function writeBigInteger(parts: Buffer[], value: bigint): void {
  const bytes = Buffer.alloc(9);
  if (BigInt.asIntN(64, value) === value) {
    bytes[0] = 0xd3;
    bytes.writeBigInt64BE(value, 1);
  } else if (BigInt.asUintN(64, value) === value) {
    bytes[0] = 0xcf;
    bytes.writeBigUInt64BE(value, 1);
  } else {
    writeText(parts, value.toString());
    return;
  }
  parts.push(bytes);
}

function writeText(parts: Buffer[], text: string): void {
  const bytes = Buffer.from(text, "utf8");
  const { length } = bytes;
  if (length < 32) parts.push(Buffer.from([0xa0 | length]));
  else if (length < 0x100) parts.push(Buffer.from([0xd9, length]));
  else parts.push(withLength(0xdb, length));
  parts.push(bytes);
}

function writeArray(parts: Buffer[], elements: readonly Raw[]): void {
  parts.push(
    elements.length < 16
      ? Buffer.from([0x90 | elements.length])
      : withLength(0xdd, elements.length),
  );
  for (const element of elements) write(parts, element);
}

function writeMap(parts: Buffer[], value: RawObject): void {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  parts.push(
    entries.length < 16 ? Buffer.from([0x80 | entries.length]) : withLength(0xdf, entries.length),
  );
  for (const [key, inner] of entries) {
    writeText(parts, key);
    write(parts, inner);
  }
}

const withLength = (tag: number, length: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes[0] = tag;
  bytes.writeUInt32BE(length, 1);
  return bytes;
};
