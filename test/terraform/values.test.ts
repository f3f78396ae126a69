/** Values between Terraform and the engine: nothing is lost, and equal values keep their bytes. */
import { expect, test } from "@jest/globals";
import { shapeOf } from "../../provider/contract";
import { UNKNOWN } from "../../provider/resources";
import { inferType, parseType, typeJson, typeOf } from "../../provider/terraform/schema/types";
import type { Type } from "../../provider/terraform/schema/types";
import {
  fromPlain,
  fromPlainLike,
  samePlain,
  toPlain,
} from "../../provider/terraform/values/values";
import { decodeMsgpack, encodeMsgpack, type Raw } from "../../provider/terraform/wire/msgpack";
import { MalformedMessage } from "../../provider/grpc";
import { z } from "zod";

const members: Type = ["set", ["object", { email: "string", role: "string" }]];
const dynamic = (type: Type, value: Raw): Raw => [typeJson(type), value];

test("types follow from shapes, and a value that may have any shape is dynamic", () => {
  const of = (schema: z.ZodType, unordered = false): Type => typeOf(shapeOf(schema), { unordered });
  expect(of(z.array(z.string()), true)).toEqual(["set", "string"]);
  expect(of(z.array(z.string()))).toEqual(["list", "string"]);
  expect(of(z.record(z.string(), z.string()))).toEqual(["map", "string"]);
  expect(of(z.record(z.string(), z.unknown()))).toBe("dynamic");
  const member = z.object({ email: z.string(), role: z.string().optional() });
  expect(of(z.array(member), true)).toEqual(members);
});

test("a type is read from its JSON, and anything else is refused", () => {
  const type: Type = ["object", { a: ["tuple", ["string", ["list", "number"]]], b: "dynamic" }];
  expect(parseType(JSON.stringify(type))).toEqual(type);
  for (const bad of ['"text"', '["object",null]', '["tuple",{}]', '["list","x"]', "7", "{"]) {
    expect(() => parseType(bad)).toThrow();
  }
});

test("null members are dropped, and unknown members are kept", () => {
  const one = { email: "a@b.c" };
  const other: Record<string, Raw> = { email: UNKNOWN, role: "x" };
  expect(toPlain(members, [{ ...one, role: null }, other])).toEqual([one, other]);
  expect(fromPlain(members, [{ email: "a@b.c" }])).toEqual([{ email: "a@b.c", role: null }]);
  expect(toPlain("string", UNKNOWN)).toBe(UNKNOWN);
});

test("a dynamic value carries its type and keeps null inside", () => {
  const value = { region: "eu", size: 0.5, tags: ["a", 1], none: null, on: true };
  const raw = fromPlain("dynamic", value);
  expect(toPlain("dynamic", raw)).toEqual(value);
  expect(toPlain("dynamic", decodeMsgpack(encodeMsgpack(raw)))).toEqual(value);
  const tags: Type = ["tuple", ["string", "number"]];
  const types = { region: "string", size: "number", tags, none: "dynamic", on: "bool" };
  expect(inferType(value)).toEqual(["object", types]);
});

test("a value that means the same is returned as it was written", () => {
  const list = dynamic(["object", { tags: ["list", "string"] }], { tags: ["a"] });
  expect(fromPlainLike("dynamic", { tags: ["a"] }, list)).toBe(list);
  expect(fromPlainLike("dynamic", { tags: ["b"] }, list)).not.toBe(list);
  const third = dynamic("number", "0.33333333333333333333333333333333");
  expect(fromPlainLike("dynamic", 1 / 3, third)).toBe(third);
  const set: Raw = ["b", "a"];
  expect(fromPlainLike(["set", "string"], ["a", "b"], set)).toBe(set);
  expect(fromPlainLike(["list", "string"], ["a", "b"], set)).not.toBe(set);
});

test("an unknown value equals nothing", () => {
  expect(samePlain("string", UNKNOWN, UNKNOWN)).toBe(false);
  expect(samePlain(members, [{ email: "a" }], [{ email: "a", role: undefined }])).toBe(true);
});

test("a value that does not fit the schema is refused", () => {
  const misfits: [Type, Raw][] = [
    ["number", "twelve"],
    ["number", true],
    ["bool", "true"],
    ["string", 7],
    [["list", "string"], "a"],
    [["map", "string"], ["a"]],
    [["object", { a: "string" }], { b: "x" }],
    ["dynamic", "x"],
    ["dynamic", [Buffer.from("{"), 1]],
    ["dynamic", [Buffer.from('"bool"'), 1]],
  ];
  for (const [type, raw] of misfits) expect(() => toPlain(type, raw)).toThrow(MalformedMessage);
});
