/**
 * Protocol Buffers, as much as the plugin protocol needs: messages described as plain data, read and
 * written by one short interpreter. Nothing is parsed or compiled when the provider starts.
 */

import { Writer } from "./writer";

/** What a field holds; another message is named by a function, so that messages may recur. */
export type FieldType =
  "string" | "bytes" | "bool" | "integer" | "double" | (() => Message<unknown>);

/** Number, type, and how often: once, as a list, or as a map with string keys. */
export type FieldSpec = readonly [number: number, type: FieldType, many?: "list" | "map"];

/** A message's fields; `T` is what its value looks like. */
export interface Message<T> {
  readonly byNumber: ReadonlyMap<number, readonly [string, FieldSpec]>;
  /** Never there; ties the value's type to its description. */
  readonly value?: T;
}

export const message = <T>(fields: Readonly<Record<string, FieldSpec>>): Message<T> => ({
  byNumber: new Map(Object.entries(fields).map(([name, spec]) => [spec[0], [name, spec] as const])),
});

/** The bytes are no such message. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

export const DEPTH_MAX = 64;
const NO_BYTES = Buffer.alloc(0);
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;
const VARINT_BYTES_MAX = 10;

/** Writes a message; members that are undefined are left out. Integers are none below zero. */
export function encodeMessage<T>(type: Message<T>, value: T): Buffer {
  const writer = new Writer();
  // A message's value is an object whose members its description names.
  writeMessage(writer, type, value as Values);
  return writer.done();
}

type Values = Readonly<Record<string, unknown>>;

function writeMessage(writer: Writer, type: Message<unknown>, value: Values): void {
  for (const [name, [number, inner, many]] of type.byNumber.values()) {
    const member = value[name];
    if (member === undefined) continue;
    if (many === "list") {
      for (const element of member as readonly unknown[]) {
        writeField(writer, number, inner, element);
      }
    } else if (many === "map") {
      for (const [key, element] of Object.entries(member as Values)) {
        writer.varint(number * 8 + BYTES);
        writer.nested(() => {
          writeField(writer, 1, "string", key);
          writeField(writer, 2, inner, element);
        });
      }
    } else {
      writeField(writer, number, inner, member);
    }
  }
}

function writeField(writer: Writer, number: number, type: FieldType, value: unknown): void {
  if (typeof type === "function") {
    writer.varint(number * 8 + BYTES);
    writer.nested(() => writeMessage(writer, type(), value as Values));
  } else if (type === "bytes") {
    const bytes = value as Buffer;
    writer.varint(number * 8 + BYTES);
    writer.varint(bytes.length);
    writer.copy(bytes);
  } else if (type === "string") {
    writeText(writer, number, value as string);
  } else if (type === "double") {
    writer.varint(number * 8 + FIXED64);
    writer.double(value as number);
  } else {
    writer.varint(number * 8 + VARINT);
    writer.varint(Number(value));
  }
}

export function writeText(writer: Writer, number: number, text: string): void {
  const length = Buffer.byteLength(text, "utf8");
  writer.varint(number * 8 + BYTES);
  writer.varint(length);
  writer.text(text, length);
}

/**
 * Reads a message: every field is there, absent ones with their default (an absent message is
 * undefined); unknown fields are passed over.
 * @throws MalformedMessage
 */
export function decodeMessage<T>(type: Message<T>, bytes: Buffer): T {
  return readMessage(type, new Reader(bytes), 0) as T;
}

/** Where reading stands in the bytes of a message. */
export class Reader {
  at = 0;
  constructor(readonly bytes: Buffer) {}

  /** Exact up to 2^53, which no field of the protocol comes near. */
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
    const wire = tag % 8;
    const known = type.byNumber.get((tag - wire) / 8);
    if (known) readField(value, known, wire, reader, depth);
    else skip(reader, wire);
  }
  return value;
}

function defaults(type: Message<unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, [, inner, many]] of type.byNumber.values()) {
    if (many === "list") value[name] = [];
    else if (many === "map") value[name] = {};
    else if (inner === "string") value[name] = "";
    else if (inner === "bytes") value[name] = NO_BYTES;
    else if (inner === "bool") value[name] = false;
    else if (inner === "integer" || inner === "double") value[name] = 0;
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
  if (wire !== wireOf(type)) {
    throw new MalformedMessage(`field ${number} (${name}) has the wire type ${wire}`);
  }
  if (many === "map") {
    const entry = readMessage(entryOf(type), new Reader(reader.take(reader.varint())), depth + 1);
    const { key, value } = entry as { key: string; value: unknown }; // What entryOf describes.
    // Not by assignment: a key may be __proto__.
    Object.defineProperty(into[name], key, { value, enumerable: true, configurable: true });
    return;
  }
  const value = readValue(type, reader, depth);
  if (many === "list") (into[name] as unknown[]).push(value);
  else into[name] = value;
}

function wireOf(type: FieldType): number {
  if (type === "double") return FIXED64;
  return type === "bool" || type === "integer" ? VARINT : BYTES;
}

const entryOf = (type: FieldType): Message<unknown> =>
  message({ key: [1, "string"], value: [2, type] });

function readValue(type: FieldType, reader: Reader, depth: number): unknown {
  if (type === "bool") return reader.varint() !== 0;
  if (type === "integer") return reader.varint();
  if (type === "double") return reader.double();
  if (type === "string") return reader.text();
  const bytes = reader.take(reader.varint());
  if (type === "bytes") return bytes;
  return readMessage(type(), new Reader(bytes), depth + 1);
}

export function skip(reader: Reader, wire: number): void {
  if (wire === VARINT) reader.varint();
  else if (wire === BYTES) reader.take(reader.varint());
  else if (wire === FIXED64) reader.take(8);
  else if (wire === FIXED32) reader.take(4);
  else throw new MalformedMessage(`there is no wire type ${wire}`);
}
