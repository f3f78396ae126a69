/**
 * Our message tables, compared with the message classes of Pulumi's own SDK. Those have no
 * descriptors, so a message with every field is written by one side and read by the other.
 */
import { expect } from "@jest/globals";
import type { Message as Official } from "google-protobuf";
import { decodeMessage, encodeMessage, encodeStruct, type Message } from "../../provider/grpc";

export interface OfficialClass {
  new (): Official;
  deserializeBinary(bytes: Uint8Array): Official;
}

type Table = Message<unknown>;
type Field = Table["fields"][number];
type Values = Readonly<Record<string, unknown>>;

/** Messages that tables pass on as bytes: samples with one text in them. */
const PASSED_ON: Readonly<Record<string, Buffer>> = {
  replacement_trigger: Buffer.from([0x1a, 1, 0x78]),
  customTimeouts: Buffer.from([0x0a, 1, 0x79]),
  resource_hooks: Buffer.from([0x0a, 1, 0x7a]),
  hooks: Buffer.from([0x0a, 1, 0x7a]),
  aliases: Buffer.from([0x0a, 1, 0x77]),
};

/** A message in which no two fields have the same value. */
function sampleOf(table: Table): Values {
  return Object.fromEntries(
    table.fields.map(([name, [number, type, label]]) => {
      const one = valueOf([name, [number, type]]);
      if (label === "list") return [name, [one, valueOf([name, [number + 1000, type]])]];
      return [name, label === "map" ? { [`key ${number}`]: one } : one];
    }),
  );
}

function valueOf([name, [number, type]]: Field): unknown {
  if (type === "string") return `text ${number}`;
  if (type === "bytes") return PASSED_ON[name] ?? encodeStruct({ [`member ${number}`]: number });
  if (type === "bool") return true;
  if (type === "integer") return number + 2;
  return type === "double" ? number + 0.5 : sampleOf(type());
}

/** Expects that the class reads what the table writes, under the same names, and the reverse. */
export function expectSame(table: Table, official: OfficialClass): void {
  const sample = sampleOf(table);
  const theirs = official.deserializeBinary(encodeMessage(table, sample));
  expect(decodeMessage(table, Buffer.from(theirs.serializeBinary()))).toEqual(sample);
  expect(lowered(theirs.toObject())).toMatchObject(shown(table, sample));
}

/** The values as the class shows them, without those that it shows in a form of its own. */
const shown = (table: Table, values: Values): Values =>
  Object.fromEntries(
    table.fields
      .filter(([, [, type]]) => type !== "bytes")
      .map(([name, [, type, label = ""]]) => {
        const one = (value: unknown): unknown =>
          typeof type === "function" ? shown(type(), value as Values) : value;
        const value = values[name];
        const key = `${name.replaceAll("_", "")}${label === "optional" ? "" : label}`;
        if (label === "list") return [key.toLowerCase(), (value as unknown[]).map(one)];
        if (label !== "map") return [key.toLowerCase(), one(value)];
        return [
          key.toLowerCase(),
          Object.entries(value as Values).map(([member, each]) => [member, one(each)]),
        ];
      }),
  );

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toLowerCase(), lowered(each)]),
  );
}
