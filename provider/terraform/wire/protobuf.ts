/**
 * Protocol Buffers, as much as the plugin protocol needs: messages described as plain data, read and
 * written by one short interpreter. Nothing is parsed or compiled when the provider starts.
 */

/** What a field holds; another message is named by a function, so that messages may recur. */
export type FieldType = "string" | "bytes" | "bool" | "integer" | (() => Message<unknown>);

/** Number, type, and how often: once, as a list, or as a map with string keys. */
export type FieldSpec = readonly [number: number, type: FieldType, many?: "list" | "map"];

/** A message's fields by name; `T` is what its value looks like. */
export interface Message<T> {
  readonly fields: Readonly<Record<string, FieldSpec>>;
  readonly byNumber: ReadonlyMap<number, readonly [string, FieldSpec]>;
  /** Never there; ties the value's type to its description. */
  readonly value?: T;
}

export const message = <T>(fields: Readonly<Record<string, FieldSpec>>): Message<T> => ({
  fields,
  byNumber: new Map(Object.entries(fields).map(([name, spec]) => [spec[0], [name, spec] as const])),
});

/** The bytes are no such message. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

const DEPTH_MAX = 64;
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Writes a message; members that are undefined are left out. */
export function encodeMessage<T>(type: Message<T>, value: T): Buffer {
  const parts: Buffer[] = [];
  // A message's value is an object whose members its description names.
  writeMessage(parts, type, value as Readonly<Record<string, unknown>>);
  return Buffer.concat(parts);
}

function writeMessage(
  parts: Buffer[],
  type: Message<unknown>,
  value: Readonly<Record<string, unknown>>,
): void {
  for (const [name, [number, inner, many]] of Object.entries(type.fields)) {
    const member = value[name];
    if (member === undefined) continue;
    if (many === "list") {
      for (const element of member as readonly unknown[]) writeField(parts, number, inner, element);
    } else if (many === "map") {
      for (const [key, element] of Object.entries(member as Readonly<Record<string, unknown>>)) {
        const entry: Buffer[] = [];
        writeField(entry, 1, "string", key);
        writeField(entry, 2, inner, element);
        writeBytes(parts, number, Buffer.concat(entry));
      }
    } else {
      writeField(parts, number, inner, member);
    }
  }
}

function writeField(parts: Buffer[], number: number, type: FieldType, value: unknown): void {
  if (typeof type === "function") {
    const inner: Buffer[] = [];
    writeMessage(inner, type(), value as Readonly<Record<string, unknown>>);
    writeBytes(parts, number, Buffer.concat(inner));
  } else if (type === "bytes") {
    writeBytes(parts, number, value as Buffer);
  } else if (type === "string") {
    writeBytes(parts, number, Buffer.from(value as string, "utf8"));
  } else {
    parts.push(varint(number * 8 + VARINT), varint(Number(value)));
  }
}

const writeBytes = (parts: Buffer[], number: number, bytes: Buffer): void => {
  parts.push(varint(number * 8 + BYTES), varint(bytes.length), bytes);
};

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? BigInt.asUintN(64, BigInt(value)) : BigInt(value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/**
 * Reads a message: every field is there, absent ones with their default (an absent message is
 * undefined); unknown fields are passed over.
 * @throws MalformedMessage
 */
export function decodeMessage<T>(type: Message<T>, bytes: Buffer): T {
  return readMessage(type, new Reader(bytes), 0) as T;
}

class Reader {
  at = 0;
  constructor(readonly bytes: Buffer) {}

  varint(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw new MalformedMessage("the message ends inside a number");
      this.at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new MalformedMessage("a number is longer than 64 bits");
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

function readMessage(type: Message<unknown>, reader: Reader, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new MalformedMessage(`the message is deeper than ${DEPTH_MAX}`);
  const value = defaults(type);
  while (reader.at < reader.bytes.length) {
    const tag = reader.varint();
    const known = type.byNumber.get(tag >>> 3);
    if (known) readField(value, known, tag & 7, reader, depth);
    else skip(reader, tag & 7);
  }
  return value;
}

function defaults(type: Message<unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, [, inner, many]] of Object.entries(type.fields)) {
    if (many === "list") value[name] = [];
    else if (many === "map") value[name] = {};
    else if (inner === "string") value[name] = "";
    else if (inner === "bytes") value[name] = Buffer.alloc(0);
    else if (inner === "bool") value[name] = false;
    else if (inner === "integer") value[name] = 0;
  }
  return value;
}

function readField(
  into: Record<string, unknown>,
  [name, [number, type, many]]: readonly [string, FieldSpec],
  wire: number,
  reader: Reader,
  depth: number,
): void {
  const expected = type === "bool" || type === "integer" ? VARINT : BYTES;
  if (wire !== expected) {
    throw new MalformedMessage(`field ${number} (${name}) has the wire type ${wire}`);
  }
  if (many === "map") {
    const entry = readMessage(entryOf(type), new Reader(reader.take(reader.varint())), depth + 1);
    const { key, value } = entry as { key: string; value: unknown }; // What entryOf describes.
    (into[name] as Record<string, unknown>)[key] = value;
    return;
  }
  const value = readValue(type, reader, depth);
  if (many === "list") (into[name] as unknown[]).push(value);
  else into[name] = value;
}

const entryOf = (type: FieldType): Message<unknown> =>
  message({ key: [1, "string"], value: [2, type] });

function readValue(type: FieldType, reader: Reader, depth: number): unknown {
  if (type === "bool") return reader.varint() !== 0;
  if (type === "integer") return reader.varint();
  const bytes = reader.take(reader.varint());
  if (type === "bytes") return bytes;
  if (type === "string") return bytes.toString("utf8");
  return readMessage(type(), new Reader(bytes), depth + 1);
}

function skip(reader: Reader, wire: number): void {
  if (wire === VARINT) reader.varint();
  else if (wire === BYTES) reader.take(reader.varint());
  else if (wire === FIXED64) reader.take(8);
  else if (wire === FIXED32) reader.take(4);
  else throw new MalformedMessage(`there is no wire type ${wire}`);
}
