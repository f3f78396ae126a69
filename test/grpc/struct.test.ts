/** `Struct` on the wire, compared with Google's own reading and writing of it. */
import { randomInt } from "node:crypto";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { expect, test } from "@jest/globals";
import { decodeStruct, encodeStruct, MalformedMessage } from "../../provider/grpc";

type Json = Record<string, JavaScriptValue>;
const theirs = (value: Json): Buffer => Buffer.from(Struct.fromJavaScript(value).serializeBinary());

const samples: Readonly<Record<string, Json>> = {
  nothing: {},
  "each kind": { text: "ä€😀", number: -1.5, yes: true, no: false, none: null, list: [1, [null]] },
  "an object in an object": { outer: { inner: { deep: [{ a: 1 }, {}] } } },
  "the empty key": { "": "" },
  "a length of two bytes": { long: "x".repeat(200), list: [...Array(100).keys()] },
  "a length of three bytes": { longer: "y".repeat(70_000), nested: { too: "z".repeat(20_000) } },
};

function randomValue(depth: number): JavaScriptValue {
  const kind = randomInt(depth > 4 ? 4 : 6);
  if (kind === 0) return null;
  if (kind === 1) return randomInt(2 ** 40) / 7;
  if (kind === 2) return randomInt(2) === 1;
  if (kind === 3)
    return String.fromCodePoint(...Array.from({ length: randomInt(200) }, () => randomInt(0xd000)));
  if (kind === 4) return Array.from({ length: randomInt(5) }, () => randomValue(depth + 1));
  return randomObject(depth + 1);
}
const randomObject = (depth: number): Json =>
  Object.fromEntries(Array.from({ length: randomInt(6) }, (_, i) => [`k${i}`, randomValue(depth)]));

const expectReadBothWays = (value: Json): void => {
  expect(decodeStruct(theirs(value))).toEqual(value);
  expect(Struct.deserializeBinary(encodeStruct(value)).toJavaScript()).toEqual(value);
};

test.each(Object.entries(samples))("a Struct with %s is read as it was written", (_, value) =>
  expectReadBothWays(value),
);

test("a Struct of random members is read as it was written", () => {
  for (let round = 0; round < 200; round += 1) expectReadBothWays(randomObject(0));
});

test("a member called __proto__ of a Struct is a plain member", () => {
  const read = decodeStruct(encodeStruct(JSON.parse('{"__proto__":{"polluted":true}}') as Json));
  expect(Object.keys(read)).toEqual(["__proto__"]);
  expect((read as { polluted?: boolean }).polluted).toBeUndefined();
});

test("a Struct omits members that are undefined, but keeps the positions of a list", () => {
  const read = decodeStruct(encodeStruct({ gone: undefined, list: [undefined, 1] }));
  expect(read).toEqual({ list: [null, 1] });
});

test("a Struct that is cut off or too deep is refused", () => {
  const bytes = theirs({ name: "server", nested: { a: [1, 2] } });
  for (let length = 1; length < bytes.length; length += 1) {
    const cut = bytes.subarray(0, length);
    try {
      decodeStruct(cut); // A cut between two members leaves a shorter message.
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedMessage);
    }
  }
  expect(() => decodeStruct(bytes.subarray(0, 5))).toThrow(MalformedMessage);
  const nested = (depth: number): Json => (depth === 0 ? {} : { deep: nested(depth - 1) });
  expect(decodeStruct(encodeStruct(nested(60)))).toEqual(nested(60));
  expect(() => decodeStruct(encodeStruct(nested(80)))).toThrow(MalformedMessage);
});
