/** Bad input gets one clear sentence with the field and the remedy, before any call. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolveContract, type Values } from "../../provider/contract";
import { check, UNKNOWN } from "../../provider/engine";
import { nearest, plainVoice, say } from "../../provider/messages";
import { kinds } from "../../provider/resources";
import { kind } from "./support";

const contract = resolveContract();
const said = (name: string, inputs: Values): string[] =>
  check(contract, kind(name), inputs).issues.map((issue) => say(plainVoice, issue).clause);

const key = { name: "ci", permissions: ["servers:read"] };
const CANARY = "canary-5b1d";

describe("a check refuses", () => {
  test.each<[string, string, Values, RegExp]>([
    [
      "an unknown input",
      "server",
      { name: "a", nam: "b" },
      /^nam is not an input of a server \(did you mean name\?\)$/,
    ],
    [
      "an unknown input that resembles nothing",
      "server",
      { name: "a", zzzzzz: 1 },
      /^zzzzzz is not an input of a server$/,
    ],
    ["an output", "server", { name: "a", status: "running" }, /^status is decided by the service/],
    ["a missing input", "instance", { name: "a" }, /^server_id is required$/],
    ["null for a required input", "server", { name: null }, /^name is required$/],
    ["a number for a text", "server", { name: 17 }, /^name must be a string$/],
    [
      "a bad CIDR",
      "api_key",
      { ...key, ip_whitelist: ["10.0.0.0/33"] },
      /^ip_whitelist\[0\] must be an IPv4 address, an IPv6 address or a CIDR range/,
    ],
    [
      "a bad period",
      "api_key",
      { ...key, rotation_period: "90x" },
      /^rotation_period must be a number of days followed by the letter d, such as 90d$/,
    ],
    [
      "a bad rotate_after",
      "api_key",
      { ...key, rotate_after: "90x" },
      /^rotate_after must be a number of days/,
    ],
    [
      "an unknown scope",
      "api_key",
      { ...key, permissions: ["server:read"] },
      /^permissions\[0\] is not a scope: "server:read"\. Use one of servers:read, /,
    ],
    ["an empty list of scopes", "api_key", { ...key, permissions: [] }, /^permissions /],
    [
      "a bad e-mail",
      "api_key",
      { ...key, notification_email: "nobody" },
      /^notification_email is not a valid email/,
    ],
    ["a bad time", "api_key", { ...key, expires_at: "tomorrow" }, /^expires_at /],
    [
      "a bad recipient",
      "api_key",
      { ...key, recipient: "age1xyz" },
      /^recipient must be an age public key/,
    ],
    [
      "a key that a field owns",
      "server",
      { name: "a", properties: { name: "x" } },
      /^properties\.name belongs to the field name; set that instead$/,
    ],
    [
      "a key that an output owns",
      "server",
      { name: "a", properties: { status: "x" } },
      /^properties\.status is decided by the service and cannot be set$/,
    ],
    [
      "a secret key that a field owns",
      "server",
      { name: "a", secret_properties: { name: "x" } },
      /^secret_properties\.name belongs to the field name/,
    ],
    [
      "a key in both bags",
      "server",
      { name: "a", properties: { x: 1 }, secret_properties: { x: 2 } },
      /^secret_properties\.x is also in properties; keep it in one of the two/,
    ],
    ["a backup of nothing", "backup", {}, /^exactly one of instance_id and server_id is required$/],
    [
      "a backup of two things",
      "backup",
      { instance_id: "i", server_id: "s" },
      /^exactly one of instance_id and server_id is required$/,
    ],
    [
      "two rotators",
      "api_key",
      { ...key, rotate_after: "90d", auto_rotate: true },
      /^rotate_after would rotate a key that the service rotates itself \(auto_rotate is true\)/,
    ],
    [
      "two rotators by trigger",
      "api_key",
      { ...key, triggers: { a: "1" }, rotation_enabled: true },
      /^triggers would rotate/,
    ],
    [
      "a member twice",
      "team",
      { name: "t", members: [{ email: "a@b.co" }, { email: "a@b.co" }] },
      /^members\[1\]\.email is the same as in members\[0\]; keep one$/,
    ],
    [
      "a member without e-mail",
      "team",
      { name: "t", members: [{ role: "x" }] },
      /^members\[0\]\.email /,
    ],
    ["a bad ready state", "server", { name: "a", ready_states: [] }, /^ready_states /],
    [
      "triggers that are not strings",
      "backup",
      { server_id: "s", triggers: { a: 1 } },
      /^triggers\.a /,
    ],
  ])("a check refuses %s", (_, name, inputs, sentence) => {
    const sentences = said(name, inputs);
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(sentence);
  });

  test("a check reports every fault at once, each in its place", () => {
    expect(said("instance", { nam: "x", version: 1 })).toHaveLength(4);
  });

  test.each(["constructor", "toString", "hasOwnProperty", "__proto__"])(
    "a property called %s is taken, and is refused only where it is in both maps",
    (name) => {
      const server = kind("server");
      const properties = Object.fromEntries([[name, 1]]);
      const one = { name: "a", properties, secret_properties: {} };
      expect(check(contract, server, one).issues).toEqual([]);
      const both = { ...one, secret_properties: properties };
      expect(check(contract, server, both).issues).toMatchObject([{ code: "secret_and_open" }]);
    },
  );

  test("a wire name that a profile gives belongs to its field in properties as well", () => {
    const renamed = resolveContract({ resources: { server: { fields: { name: "label" } } } });
    const inputs = { name: "a", properties: { label: "x" } };
    expect(check(renamed, kind("server"), inputs).issues).toMatchObject([
      { path: ["properties", "label"], code: "owned_by_field", parts: { owner: "name" } },
    ]);
    expect(said("server", inputs)).toEqual([]);
  });
});

describe("a check accepts", () => {
  test.each<[string, string, Values]>([
    [
      "addresses of every form",
      "api_key",
      { ...key, ip_whitelist: ["10.0.0.1", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32"] },
    ],
    ["wildcards and levels", "api_key", { ...key, permissions: ["servers:*", "admin", "read"] }],
    [
      "the service's own rotation alone",
      "api_key",
      { ...key, auto_rotate: true, rotation_period: "90d" },
    ],
    [
      "a rotation of the program next to the service's that is off",
      "api_key",
      { ...key, rotate_after: "90d", rotation_enabled: false },
    ],
    [
      "anything in properties",
      "server",
      { name: "a", properties: { a: null, b: [1, { c: true }] } },
    ],
  ])("a check accepts %s", (_, name, inputs) => expect(said(name, inputs)).toEqual([]));

  test("inputs that are undefined or null count as left out", () => {
    const { inputs, issues } = check(contract, kind("instance"), {
      name: "a",
      server_id: "s",
      version: null,
      edition: undefined,
    });
    expect({ inputs, issues }).toEqual({ inputs: { name: "a", server_id: "s" }, issues: [] });
  });

  test("a check accepts unknown values, at any depth", () => {
    for (const each of Object.values(kinds)) {
      for (const [name] of each.inputs) {
        const about = check(contract, each, { [name]: UNKNOWN }).issues.filter(
          ({ path: [head] }) => head === name,
        );
        expect(about).toEqual([]);
      }
    }
    expect(said("api_key", { ...key, permissions: [UNKNOWN, "servers:read"] })).toEqual([]);
    expect(said("team", { name: "t", members: [{ email: UNKNOWN }, { email: UNKNOWN }] })).toEqual(
      [],
    );
    expect(said("backup", { server_id: UNKNOWN })).toEqual([]);
    expect(said("backup", { server_id: UNKNOWN, instance_id: "i" })).toEqual([]);
  });
});

test("no sentence of a check holds a secret", () => {
  const secrets: Values[] = [
    { name: "a", secret_properties: CANARY },
    { name: "a", secret_properties: [CANARY] },
    { name: "a", secret_properties: { name: CANARY } },
    { name: "a", secret_properties: { x: CANARY }, properties: { x: CANARY } },
  ];
  for (const inputs of secrets) {
    const sentences = said("server", inputs);
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.join()).not.toContain(CANARY);
  }
});

test("a check never throws, whatever it is given", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(kinds)),
      fc.dictionary(
        fc.constantFrom(...Object.values(kinds).flatMap((each) => Object.keys(each.fields)), "odd"),
        fc.anything({ maxDepth: 3 }),
      ),
      (each, inputs) => {
        const { issues } = check(contract, each, inputs);
        for (const issue of issues) expect(say(plainVoice, issue).clause.length).toBeGreaterThan(5);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ["regoin", "region"],
  ["regio", "region"],
  ["regions", "region"],
  ["xregion", "region"],
  ["syze", "size"],
  ["provider_i", "provider_id"],
  ["providerrr_ids", "provider_id"],
  ["REGION", undefined],
  ["colour", undefined],
  ["", undefined],
  ["an_entirely_different_name", undefined],
])("instead of %p, %p was meant", (name, meant) => {
  expect(nearest(name, ["region", "size", "provider_id"])).toBe(meant);
});

test("nothing is guessed where nothing is known", () => {
  expect(nearest("region", [])).toBeUndefined();
});
