/**
 * Protocol Buffers, as far as the plugin protocols need them: messages described as plain data, read
 * and written by one short interpreter. Nothing is parsed or compiled when the provider starts.
 */
import { DEPTH_MAX, MalformedMessage, Reader, wireType, Writer } from "./wire-format";

/** What a field holds. Another message is named by a function, so that messages may recur. */
export type FieldType =
  "string" | "bytes" | "bool" | "integer" | "double" | (() => Message<unknown>);

/**
 * Number, type, and how often: once, as a list, or as a map with string keys. An absent field reads
 * as its default (a message as undefined); one that is "optional" as undefined.
 */
export type FieldSpec = readonly [
  number: number,
  type: FieldType,
  label?: "list" | "map" | "optional",
];

/** A message's fields; `T` is the shape of its value. */
export interface Message<T> {
  readonly fields: readonly (readonly [name: string, spec: FieldSpec])[];
  readonly byNumber: ReadonlyMap<number, readonly [name: string, spec: FieldSpec]>;
  /** Never there; ties the value's type to its description. */
  readonly value?: T;
}

/** Describes every member of `T`. */
export const message = <T>(specs: Readonly<Record<keyof T & string, FieldSpec>>): Message<T> => {
  const fields = Object.entries<FieldSpec>(specs);
  return { fields, byNumber: new Map(fields.map((field) => [field[1][0], field])) };
};

const NO_BYTES = Buffer.alloc(0);

/** Writes a message; members that are undefined are left out. No integer is negative. */
export function encodeMessage<T>(type: Message<T>, value: T): Buffer {
  const writer = new Writer();
  // A message's value is an object whose members its description names.
  writeMessage(writer, type, value as Values);
  return writer.done();
}

type Values = Readonly<Record<string, unknown>>;

function writeMessage(writer: Writer, type: Message<unknown>, value: Values): void {
  for (const [name, [number, inner, label]] of type.fields) {
    const member = value[name];
    if (member === undefined) continue;
    if (label === "list") {
      for (const element of member as readonly unknown[]) {
        writeField(writer, number, inner, element);
      }
    } else if (label === "map") {
      for (const [key, element] of Object.entries(member as Values)) {
        writer.tag(number, wireType.bytes);
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
  writer.tag(number, wireOf(type));
  if (typeof type === "function") {
    writer.nested(() => writeMessage(writer, type(), value as Values));
  } else if (type === "bytes") {
    const bytes = value as Buffer;
    writer.varint(bytes.length);
    writer.copy(bytes);
  } else if (type === "string") {
    writer.prefixedText(value as string);
  } else if (type === "double") {
    writer.double(value as number);
  } else {
    writer.varint(Number(value));
  }
}

/** Unknown fields are skipped; absent ones have their default. @throws MalformedMessage */
export function decodeMessage<T>(type: Message<T>, bytes: Buffer): T {
  return readMessage(type, new Reader(bytes)) as T;
}

function readMessage(type: Message<unknown>, reader: Reader): unknown {
  if (reader.depth > DEPTH_MAX) {
    throw new MalformedMessage(`the message is deeper than ${DEPTH_MAX}`);
  }
  const value = defaults(type);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const wire = tag % 8;
    const known = type.byNumber.get((tag - wire) / 8);
    if (!known) reader.skip(wire);
    else if (wire === wireOf(known[1][1])) readField(value, known, reader);
    else throw new MalformedMessage(`field ${known[1][0]} (${known[0]}) has the wire type ${wire}`);
  }
  return value;
}

function defaults(type: Message<unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, [, inner, label]] of type.fields) {
    if (label === "optional") continue;
    if (label === "list") value[name] = [];
    else if (label === "map") value[name] = {};
    else if (inner === "string") value[name] = "";
    else if (inner === "bytes") value[name] = NO_BYTES;
    else if (inner === "bool") value[name] = false;
    else if (inner === "integer" || inner === "double") value[name] = 0;
  }
  return value;
}

function readField(
  into: Record<string, unknown>,
  [name, [, type, label]]: readonly [string, FieldSpec],
  reader: Reader,
): void {
  if (label === "map") {
    const entry = readMessage(entryOf(type), reader.nested());
    const { key, value } = entry as { key: string; value: unknown }; // What entryOf describes.
    // Not by assignment: a key may be __proto__.
    Object.defineProperty(into[name], key, { value, enumerable: true, configurable: true });
    return;
  }
  const value = readValue(type, reader);
  if (label === "list") (into[name] as unknown[]).push(value);
  else into[name] = value;
}

function wireOf(type: FieldType): number {
  if (type === "double") return wireType.fixed64;
  return type === "bool" || type === "integer" ? wireType.varint : wireType.bytes;
}

const entryOf = (type: FieldType): Message<unknown> =>
  message<{ key: string; value: unknown }>({ key: [1, "string"], value: [2, type] });

function readValue(type: FieldType, reader: Reader): unknown {
  if (type === "bool") return reader.varint() !== 0;
  if (type === "integer") return reader.varint();
  if (type === "double") return reader.double();
  if (type === "string") return reader.text();
  if (type === "bytes") return reader.field();
  return readMessage(type(), reader.nested());
}
