/**
 * `google.protobuf.Struct`: any JSON object as a message, read and written without an object per
 * value in between.
 */
import {
  BYTES,
  DEPTH_MAX,
  FIXED64,
  MalformedMessage,
  Reader,
  skip,
  VARINT,
  writeText,
} from "./protobuf";
import { Writer } from "./writer";

type Members = Record<string, unknown>;

/** Field numbers of `Value`, one of which is there. */
const field = { null: 1, number: 2, text: 3, boolean: 4, struct: 5, list: 6 } as const;

/**
 * Reads a Struct; no bytes are an empty one.
 * @throws MalformedMessage
 */
export const decodeStruct = (bytes: Buffer): Members => readStruct(new Reader(bytes), 0);

function readStruct(reader: Reader, depth: number): Members {
  if (depth > DEPTH_MAX) throw new MalformedMessage(`a value is deeper than ${DEPTH_MAX}`);
  const members: [string, unknown][] = [];
  while (reader.at < reader.bytes.length) {
    if (isNext(reader, 1, BYTES)) members.push(readMember(inner(reader), depth));
  }
  // Not by assignment: a member may be called __proto__.
  return Object.fromEntries(members);
}

/** Whether the next field is this one; any other is passed over. */
function isNext(reader: Reader, number: number, wire: number): boolean {
  const tag = reader.varint();
  if (tag === number * 8 + wire) return true;
  skip(reader, tag % 8);
  return false;
}

const inner = (reader: Reader): Reader => new Reader(reader.take(reader.varint()));

function readMember(reader: Reader, depth: number): [string, unknown] {
  let key = "";
  let value: unknown = null;
  while (reader.at < reader.bytes.length) {
    const tag = reader.varint();
    if (tag === 8 + BYTES) key = reader.text();
    else if (tag === 16 + BYTES) value = readValue(inner(reader), depth);
    else skip(reader, tag % 8);
  }
  return [key, value];
}

function readValue(reader: Reader, depth: number): unknown {
  let value: unknown = null;
  while (reader.at < reader.bytes.length) {
    const tag = reader.varint();
    if (tag === field.text * 8 + BYTES) value = reader.text();
    else if (tag === field.number * 8 + FIXED64) value = reader.double();
    else if (tag === field.boolean * 8 + VARINT) value = reader.varint() !== 0;
    else if (tag === field.struct * 8 + BYTES) value = readStruct(inner(reader), depth + 1);
    else if (tag === field.list * 8 + BYTES) value = readList(inner(reader), depth + 1);
    else skip(reader, tag % 8);
  }
  return value;
}

function readList(reader: Reader, depth: number): unknown[] {
  if (depth > DEPTH_MAX) throw new MalformedMessage(`a value is deeper than ${DEPTH_MAX}`);
  const values: unknown[] = [];
  while (reader.at < reader.bytes.length) {
    if (isNext(reader, 1, BYTES)) values.push(readValue(inner(reader), depth));
  }
  return values;
}

/** Writes what JSON can hold; members that are undefined are left out. */
export function encodeStruct(members: Readonly<Members>): Buffer {
  const writer = new Writer();
  writeStruct(writer, members);
  return writer.done();
}

function writeStruct(writer: Writer, members: Readonly<Members>): void {
  for (const [key, value] of Object.entries(members)) {
    if (value === undefined) continue;
    writer.varint(8 + BYTES);
    writer.nested(() => {
      writeText(writer, 1, key);
      writer.varint(16 + BYTES);
      writer.nested(() => writeValue(writer, value));
    });
  }
}

function writeValue(writer: Writer, value: unknown): void {
  if (typeof value === "string") {
    writeText(writer, field.text, value);
  } else if (typeof value === "number") {
    writer.varint(field.number * 8 + FIXED64);
    writer.double(value);
  } else if (typeof value === "boolean") {
    writer.varint(field.boolean * 8 + VARINT);
    writer.varint(value ? 1 : 0);
  } else if (Array.isArray(value)) {
    writer.varint(field.list * 8 + BYTES);
    writer.nested(() => {
      for (const element of value) {
        writer.varint(8 + BYTES);
        writer.nested(() => writeValue(writer, element));
      }
    });
  } else if (typeof value === "object" && value !== null) {
    writer.varint(field.struct * 8 + BYTES);
    writer.nested(() => writeStruct(writer, value as Members));
  } else {
    writer.varint(field.null * 8 + VARINT);
    writer.varint(0);
  }
}
