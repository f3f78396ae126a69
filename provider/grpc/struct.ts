/**
 * `google.protobuf.Struct`: any JSON object as a message, read and written without an object per
 * value in between.
 */
import { DEPTH_MAX, MalformedMessage, Reader, wireType, Writer } from "./wire-format";

type Members = Record<string, unknown>;

/** What a field begins with. */
const tagOf = (number: number, wire: number): number => number * 8 + wire;

/** The only field of a `Struct`, and of a `ListValue`. */
const ELEMENT = tagOf(1, wireType.bytes);
/** The fields of a member of a `Struct`. */
const KEY = tagOf(1, wireType.bytes);
const VALUE = tagOf(2, wireType.bytes);
/** The fields of `Value`, which has exactly one of them. */
const tags = {
  null: tagOf(1, wireType.varint),
  number: tagOf(2, wireType.fixed64),
  text: tagOf(3, wireType.bytes),
  boolean: tagOf(4, wireType.varint),
  struct: tagOf(5, wireType.bytes),
  list: tagOf(6, wireType.bytes),
} as const;

/** No bytes are an empty Struct. @throws MalformedMessage */
export const decodeStruct = (bytes: Buffer): Members => readStruct(new Reader(bytes), 0);

/** Not by assignment: a member may be called __proto__. */
const readStruct = (reader: Reader, depth: number): Members =>
  Object.fromEntries(readElements(reader, depth, readMember));

/** Fields that are not elements are skipped. */
function readElements<T>(
  reader: Reader,
  depth: number,
  read: (of: Reader, depth: number) => T,
): T[] {
  if (depth > DEPTH_MAX) throw new MalformedMessage(`a value is deeper than ${DEPTH_MAX}`);
  const elements: T[] = [];
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === ELEMENT) elements.push(read(reader.nested(), depth));
    else reader.skip(tag % 8);
  }
  return elements;
}

function readMember(reader: Reader, depth: number): [string, unknown] {
  let key = "";
  let value: unknown = null;
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === KEY) key = reader.text();
    else if (tag === VALUE) value = readValue(reader.nested(), depth);
    else reader.skip(tag % 8);
  }
  return [key, value];
}

function readValue(reader: Reader, depth: number): unknown {
  let value: unknown = null;
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    if (tag === tags.text) value = reader.text();
    else if (tag === tags.number) value = reader.double();
    else if (tag === tags.boolean) value = reader.varint() !== 0;
    else if (tag === tags.struct) value = readStruct(reader.nested(), depth + 1);
    else if (tag === tags.list) value = readElements(reader.nested(), depth + 1, readValue);
    else reader.skip(tag % 8);
  }
  return value;
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
    writer.varint(ELEMENT);
    writer.nested(() => {
      writer.varint(KEY);
      writer.prefixedText(key);
      writer.varint(VALUE);
      writer.nested(() => writeValue(writer, value));
    });
  }
}

function writeValue(writer: Writer, value: unknown): void {
  if (typeof value === "string") {
    writer.varint(tags.text);
    writer.prefixedText(value);
  } else if (typeof value === "number") {
    writer.varint(tags.number);
    writer.double(value);
  } else if (typeof value === "boolean") {
    writer.varint(tags.boolean);
    writer.varint(value ? 1 : 0);
  } else if (Array.isArray(value)) {
    writer.varint(tags.list);
    writer.nested(() => {
      for (const element of value) {
        writer.varint(ELEMENT);
        writer.nested(() => writeValue(writer, element));
      }
    });
  } else if (typeof value === "object" && value !== null) {
    writer.varint(tags.struct);
    writer.nested(() => writeStruct(writer, value as Members));
  } else {
    writer.varint(tags.null);
    writer.varint(0);
  }
}
