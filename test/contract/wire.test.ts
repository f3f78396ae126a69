/** Between contract names, program names and the wire; reading is lenient, writing strict. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { pathText } from "../../provider/messages";
import {
  canonicalJson,
  decodeRecord,
  encodeBody,
  InvalidInput,
  issueAt,
  isOdd,
  ownedProperties,
  resolveContract,
} from "../../provider/contract";
import fixture from "../fixtures/profile.json";

const { server, team, api_key: apiKey } = resolveContract().resources;
const other = resolveContract(fixture).resources.server;

describe("a record", () => {
  test("a record needs an id and nothing else", () => {
    const record = { id: "s", fields: { id: "s" }, properties: {} };
    expect(decodeRecord(server, { id: "s" })).toEqual(record);
  });

  test.each([
    ["no object", 5],
    ["null", null],
    ["a list", []],
    ["without an id", { name: "a" }],
    ["with an empty id", { id: "" }],
    ["with a number for an id", { id: 5 }],
    ["whose id begins a new line", { id: "srv_1\nterraform destroy" }],
    ["whose id clears the terminal", { id: "srv_1\u001b[2J" }],
  ])("a malformed record is odd and not an error: %s", (_, answer) => {
    expect(isOdd(decodeRecord(server, answer))).toBe(true);
  });

  test("a field that is null counts as absent", () => {
    const read = decodeRecord(server, { id: "s", name: null, status: null });
    expect(read).toMatchObject({ fields: { id: "s" } });
  });

  test("the shapes of a record are checked, and formats are not", () => {
    const fields = { created_at: "yesterday", rotation_period: "2w" };
    expect(decodeRecord(apiKey, { id: "k", ...fields })).toMatchObject({ fields });
    expect(decodeRecord(apiKey, { id: "k", permissions: "all" })).toEqual({
      id: "k",
      problem: { code: "record_value", parts: { at: "permissions", type: "list" } },
    });
    expect(isOdd(decodeRecord(team, { id: "t", members: [{ role: "x" }] }))).toBe(true);
  });

  test("unknown fields of a record are kept as they came", () => {
    expect(decodeRecord(server, { id: "s", name: "a", Region: { x: 1 } })).toMatchObject({
      fields: { name: "a" },
      properties: { Region: { x: 1 } },
    });
  });

  test("a record uses the wire names of the profile", () => {
    expect(decodeRecord(other, { id: "s", label: "a", name: "free" })).toMatchObject({
      fields: { name: "a" },
      properties: { name: "free" },
    });
    expect(encodeBody(other, { name: "a" }, { size: 1 })).toEqual({ label: "a", size: 1 });
    const owned = ownedProperties(other, { label: 1, name: 1, size: 1 });
    expect(owned.map(({ path }) => path[1])).toEqual(["label", "name"]);
  });

  test("an encoded body is decoded to the same fields", () => {
    fc.assert(
      fc.property(
        fc.record({ name: fc.string(), status: fc.string() }),
        fc.dictionary(fc.stringMatching(/^x[a-z]{1,8}$/), fc.jsonValue()),
        (fields, properties) => {
          const read = decodeRecord(other, { id: "s", ...encodeBody(other, fields, properties) });
          expect(read).toEqual({ id: "s", fields: { ...fields, id: "s" }, properties });
        },
      ),
    );
  });
});

test("canonical JSON is the same for equal values, whatever the order of their keys", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, each]) => [key, reversed(each)] as const);
    return Object.fromEntries(members.reverse());
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("an InvalidInput has a sentence for each place, and a remedy", () => {
  expect(pathText(["members", 0, "email"])).toBe("members[0].email");
  const error = new InvalidInput("team", [
    issueAt(["a", 1], "required", {}),
    issueAt([], "stated", { text: "fails", remedy: "Mend it." }),
  ]);
  expect(error.message).toBe("team: a[1] is required; fails. Mend it.");
  expect(error.code).toBe("invalid_input");
});
