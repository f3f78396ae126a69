/**
 * Our message tables, compared with the message classes of Pulumi's own SDK. Those have no
 * descriptors, so a message with every field is written by one side and read by the other.
 */
import { isDeepStrictEqual } from "node:util";
import { Message as Official, type Map as OfficialMap } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { decodeMessage, encodeMessage, encodeStruct, type Message } from "../../provider/grpc";

export interface OfficialClass {
  new (): Official;
  deserializeBinary(bytes: Uint8Array): Official;
}

type Field = Message<unknown>["fields"][number];
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
function sampleOf(table: Message<unknown>): Values {
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

/** What is wrong with a table, read as the class. A table may lack fields. */
export function differences(table: Message<unknown>, official: OfficialClass): string[] {
  const sample = sampleOf(table);
  try {
    const theirs = official.deserializeBinary(encodeMessage(table, sample));
    const wrong = differing(table, sample, theirs);
    const back = decodeMessage(table, Buffer.from(theirs.serializeBinary()));
    return isDeepStrictEqual(back, sample)
      ? wrong
      : [...wrong, "what they write is not what we wrote"];
  } catch (error) {
    return [String(error)]; // They cannot read what we write.
  }
}

function differing(table: Message<unknown>, sample: Values, theirs: Official): string[] {
  return table.fields.flatMap(([name, [, type, label]]) => {
    const getter = getterOf(theirs, name, label);
    if (getter === undefined) return [`${name} does not exist`];
    const read = getter();
    const ours = sample[name];
    const nested = typeof type === "function" ? type() : undefined;
    const pairs: readonly (readonly [unknown, unknown])[] =
      label === "list"
        ? (ours as unknown[]).map((each, index) => [each, (read as unknown[])[index]])
        : label === "map"
          ? Object.entries(ours as Values).map(([key, each]) => [
              each,
              (read as OfficialMap<string, unknown>).get(key),
            ])
          : [[ours, read]];
    return pairs.flatMap(([one, other]) => mistakes({ name, nested, one, other }));
  });
}

interface Pair {
  readonly name: string;
  readonly nested: Message<unknown> | undefined;
  readonly one: unknown;
  readonly other: unknown;
}

function mistakes({ name, nested, one, other }: Pair): string[] {
  if (nested) {
    return other instanceof Official
      ? differing(nested, one as Values, other).map((mistake) => `${name}.${mistake}`)
      : [`${name} is not a message`];
  }
  const isPassedOn = other instanceof Struct || name in PASSED_ON;
  const read = isPassedOn ? (other as Official).serializeBinary() : other;
  const isSame = Buffer.isBuffer(one)
    ? read instanceof Uint8Array && one.equals(read)
    : one === read;
  return isSame ? [] : [`${name} is read as another value`];
}

/** `deleteBeforeReplace` is `getDeletebeforereplace` there, `replace_with` is `getReplaceWithList`. */
function getterOf(theirs: Official, name: string, label?: string): (() => unknown) | undefined {
  const many = label === "list" ? "list" : label === "map" ? "map" : "";
  const wanted = `get${name.replaceAll("_", "")}${many}`.toLowerCase();
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(theirs));
  const bytes = methods.find((method) => method.toLowerCase() === `${wanted}_asu8`);
  const found = bytes ?? methods.find((method) => method.toLowerCase() === wanted);
  // A generated class's getters take nothing that is needed.
  return found === undefined
    ? undefined
    : (Reflect.get(theirs, found) as () => unknown).bind(theirs);
}
