/** The two codecs: each reads what it writes, and anything that is not a message is one kind of error. */
import { expect, test } from "@jest/globals";
import { decode, encode, ExtensionCodec } from "@msgpack/msgpack";
import fc from "fast-check";
import { UNKNOWN } from "../../provider/resources";
import * as m from "../../provider/terraform/wire/messages.gen";
import { decodeMsgpack, encodeMsgpack, type Raw } from "../../provider/terraform/wire/msgpack";
import { decodeMessage, encodeMessage, MalformedMessage } from "../../provider/grpc";

const { tree } = fc.letrec<{ tree: Raw }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Raw>(null, true, false, UNKNOWN),
    fc.maxSafeInteger(),
    fc.string({ maxLength: 400 }),
    fc.array(tie("tree"), { maxLength: 20 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("tree"),
      { maxKeys: 20 },
    ),
  ),
}));

/** The only way in which reading may fail. */
function readsOrRefuses(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedMessage);
  }
}

// Unknown is extension 0, whose contents say nothing.
const extensionCodec = new ExtensionCodec();
extensionCodec.register({
  type: 0,
  encode: (value) => (value === UNKNOWN ? new Uint8Array([0]) : null),
  decode: () => UNKNOWN,
});

test("another library reads the msgpack that is written here", () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(decode(encodeMsgpack(value), { extensionCodec })).toEqual(value);
    }),
  );
});

test("msgpack reads what another library writes, floats included", () => {
  const double = fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0));
  fc.assert(
    fc.property(fc.oneof(tree, fc.array(double, { maxLength: 3 })), (value) => {
      expect(decodeMsgpack(Buffer.from(encode(value, { extensionCodec })))).toEqual(value);
    }),
  );
  const floats = encode([1.5, -0.25], { forceFloat32: true });
  expect(decodeMsgpack(Buffer.from(floats))).toEqual([1.5, -0.25]);
  const bytes = encode(new Uint8Array([1, 2, 255]));
  expect(decodeMsgpack(Buffer.from(bytes))).toEqual(Buffer.from([1, 2, 255]));
});

test("msgpack writes fractions with the digits that the program wrote", () => {
  expect(decodeMsgpack(encodeMsgpack(0.1))).toBe("0.1");
  expect(decodeMsgpack(encodeMsgpack(1e21))).toBe("1e+21");
});

test("msgpack keeps bytes, and integers that a number cannot hold", () => {
  const big = Buffer.from([0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  expect(decodeMsgpack(big)).toBe(18_446_744_073_709_551_615n);
  expect(decodeMsgpack(encodeMsgpack(big))).toEqual(big);
});

test("msgpack reads every extension as unknown, also a refined one", () => {
  expect(decodeMsgpack(Buffer.from([0xd4, 0x00, 0x00]))).toBe(UNKNOWN);
  expect(decodeMsgpack(Buffer.from([0xc7, 0x03, 0x0c, 0x81, 0x01, 0xc2]))).toBe(UNKNOWN);
});

test("msgpack refuses random bytes, truncated values and trailing bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
      readsOrRefuses(() => decodeMsgpack(Buffer.from(bytes))),
    ),
    { numRuns: 2_000 },
  );
  const whole = encodeMsgpack({ name: "a", list: [1, 2, { deep: true }] });
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => decodeMsgpack(whole.subarray(0, length))).toThrow(MalformedMessage);
  }
  expect(() => decodeMsgpack(Buffer.concat([whole, Buffer.from([0])]))).toThrow("bytes follow");
});

test("headers of lists that never come take no memory", () => {
  const headers = Array<Buffer>(100).fill(Buffer.from([0xdd, 0x00, 0x20, 0x00, 0x00]));
  const nested = Buffer.concat([...headers, Buffer.alloc(0x20_0000, 0xc1)]);
  const before = process.memoryUsage.rss();
  expect(() => decodeMsgpack(nested)).toThrow("does not begin a value");
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 2 ** 20);
});

test("msgpack refuses values that are too deep, and lengths beyond the end", () => {
  expect(() => decodeMsgpack(Buffer.alloc(100_000, 0x91))).toThrow("deeper than");
  expect(() => decodeMsgpack(Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]))).toThrow("ends early");
});

const diagnostics = [
  {
    severity: m.Severity.error,
    summary: "Invalid ñame",
    detail: "x".repeat(300),
    attribute: { steps: [{ attribute_name: "members" }, { element_key_int: 0 }] },
  },
];

test("protobuf reads what it wrote, with defaults for omitted fields", () => {
  const bytes = encodeMessage(m.diagnosed, { diagnostics });
  const [read] = decodeMessage(m.diagnosed, bytes).diagnostics;
  expect(read).toMatchObject({ severity: 1, summary: "Invalid ñame", detail: "x".repeat(300) });
  expect(read?.attribute?.steps[1]?.element_key_int).toBe(0);
  const none = Buffer.alloc(0);
  const empty = { type_name: "", prior_private: none };
  expect(decodeMessage(m.planRequest, none)).toMatchObject(empty);
});

test("protobuf reads and writes maps, and skips unknown fields", () => {
  const said = { summary: "s", description: "d", description_kind: 1 };
  const parse = { ...said, parameters: [], return: { type: Buffer.from('"string"') } };
  const bytes = encodeMessage(m.functionsResponse, { functions: { parse } });
  expect(decodeMessage(m.functionsResponse, bytes).functions["parse"]?.summary).toBe("s");
  expect(decodeMessage(m.importRequest, bytes)).toMatchObject({ id: "" });
});

test("protobuf refuses truncated messages and random bytes", () => {
  const whole = encodeMessage(m.diagnosed, { diagnostics });
  for (let length = 1; length < whole.length; length += 1) {
    expect(() => decodeMessage(m.diagnosed, whole.subarray(0, length))).toThrow(MalformedMessage);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
      readsOrRefuses(() => decodeMessage(m.planRequest, Buffer.from(bytes))),
    ),
    { numRuns: 2_000 },
  );
});
