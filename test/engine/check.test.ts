/** Bad input gets one clear sentence with the field and the remedy, before any call. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolveContract, type Values } from "../../provider/contract";
import { nearest, plainVoice, say } from "../../provider/messages";
import { check, kinds, UNKNOWN } from "../../provider/resources";
import { kind } from "./support";

const contract = resolveContract();
const said = (name: string, inputs: Values): string[] =>
  check(contract, kind(name), inputs).issues.map((issue) => say(plainVoice, issue).clause);

const key = { name: "ci", permissions: ["servers:read"] };
/** Good inputs of each kind, next to which one is bad. */
const GOOD: Readonly<Record<string, Values>> = {
  ...{ server: { name: "a" }, instance: { name: "a", server_id: "s" }, team: { name: "t" } },
  ...{ api_key: key, backup: {} },
};
const CANARY = "canary-5b1d";

describe("a check refuses", () => {
  test.each<[of: string, inputs: Values, says: string]>([
    ["server", { nam: "b" }, "nam is not an input of a server (did you mean name?)"],
    ["server", { zzzzzz: 1 }, "zzzzzz is not an input of a server"],
    ["server", { constructor: 1 }, "constructor is not an input of a server"],
    ["server", { status: "running" }, "status is decided by the service and cannot be set"],
    ["instance", { server_id: undefined }, "server_id is required"],
    ["server", { name: null }, "name is required"],
    ["server", { name: 17 }, "name must be a string"],
    ["server", { ready_states: [] }, "ready_states "],
    ["server", { properties: { name: "x" } }, "properties.name belongs to the field name; set"],
    ["server", { properties: { status: "x" } }, "properties.status is decided by the service"],
    ["server", { secret_properties: { name: "x" } }, "secret_properties.name belongs to the field"],
    [
      "server",
      { properties: { x: 1 }, secret_properties: { x: 2 } },
      "secret_properties.x is also in properties; keep it in one of the two",
    ],
    ["api_key", { ip_whitelist: ["10.0.0.0/33"] }, "ip_whitelist[0] must be an IPv4 address, an"],
    ["api_key", { rotation_period: "90x" }, "rotation_period must be a number of days followed"],
    ["api_key", { rotate_after: "90x" }, "rotate_after must be a number of days"],
    ["api_key", { permissions: ["team:read"] }, 'permissions[0] is not a scope: "team:read". Use'],
    ["api_key", { permissions: [] }, "permissions "],
    ["api_key", { notification_email: "nobody" }, "notification_email is not a valid email"],
    ["api_key", { expires_at: "tomorrow" }, "expires_at "],
    ["api_key", { recipient: "age1xyz" }, "recipient must be an age public key"],
    [
      "api_key",
      { rotate_after: "90d", auto_rotate: true },
      "rotate_after would rotate a key that the service rotates itself (auto_rotate is true)",
    ],
    ["api_key", { triggers: { a: "1" }, rotation_enabled: true }, "triggers would rotate"],
    ["backup", {}, "exactly one of instance_id and server_id is required"],
    ["backup", { instance_id: "i", server_id: "s" }, "exactly one of instance_id and server_id is"],
    ["backup", { server_id: "s", triggers: { a: 1 } }, "triggers.a "],
    [
      "team",
      { members: [{ email: "a@b.co" }, { email: "A@b.co" }] },
      "members[1].email is the same as in members[0]; keep one",
    ],
    ["team", { members: [{ role: "x" }] }, "members[0].email "],
  ])("for a %s with %j: %s", (of, inputs, says) => {
    const [sentence = "", ...more] = said(of, { ...GOOD[of], ...inputs });
    expect([sentence.slice(0, says.length), ...more]).toEqual([says]);
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
  test.each<[of: string, inputs: Values]>([
    ["api_key", { ip_whitelist: ["10.0.0.1", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32"] }],
    ["api_key", { permissions: ["servers:*", "admin", "read"] }],
    ["api_key", { auto_rotate: true, rotation_period: "90d" }],
    ["api_key", { rotate_after: "90d", rotation_enabled: false }],
    ["server", { properties: { a: null, b: [1, { c: true }] } }],
  ])("a %s with %j", (of, inputs) => {
    expect(said(of, { ...GOOD[of], ...inputs })).toEqual([]);
  });

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
    const members = [{ email: UNKNOWN }, { email: UNKNOWN }];
    expect(said("team", { name: "t", members })).toEqual([]);
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
