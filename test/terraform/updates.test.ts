/** Updates: of what is ignored, of what is not known yet when they are planned, of a secret's form. */
import { expect, test } from "@jest/globals";
import { UNKNOWN } from "../../provider/resources";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { dynamic, emulator, provider, said, setUp } from "./support/provider";

const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const key: RawObject = { name: "ci", permissions: ["servers:read"] };

setUp();

test("a key with a recipient leaves no plain secret in its state, not even one of an older release", async () => {
  const sealed = { ...key, recipient: AGE };
  const plain = await provider.apply("api_key", key);
  const closed = await provider.apply("api_key", sealed, plain);
  expect(closed.state).toMatchObject({
    value: null,
    encrypted_value: expect.stringMatching(/^-+BEGIN AGE/),
  });
  const leak: RawObject = { ...closed.state, value: plain.state?.["value"] ?? null };
  const healed = await provider.apply("api_key", sealed, { ...closed, state: leak });
  expect(healed).toMatchObject({ state: closed.state, diagnostics: [] });
  const { state } = await provider.apply("api_key", key, healed);
  expect(state).toMatchObject({ value: expect.stringMatching(/_test_/), encrypted_value: null });
});

const host: RawObject = { server_id: "srv_1" };
const again = (n: string): RawObject => {
  return { secret_properties_wo: dynamic({ pin: n }), secret_properties_wo_version: n };
};

test.each<[kind: string, given: RawObject, ignored: RawObject, edit?: RawObject]>([
  ["server", { properties: dynamic({ region: "eu" }) }, { properties: dynamic({ size: "l" }) }],
  ["server", { properties: dynamic({ region: "eu" }) }, { properties: null }],
  ["server", { secret_properties: { pin: "1" } }, { secret_properties: { pin: "2" } }],
  ["server", { deletion_protection: true }, { deletion_protection: null }],
  ["server", again("1"), again("2")],
  ["instance", { ...host, version: "18.0" }, { server_id: "srv_2", version: "17.0" }],
  ["instance", { ...host, version: "18.0" }, { version: null }],
  ["backup", { instance_id: "ins_1", triggers: { n: "1" } }, { triggers: null }, { wait: false }],
  ["team", { members: [{ email: "a@b.co", role: "admin" }] }, { members: [] }],
  ["api_key", { ...key, triggers: { n: "1", m: "1" } }, { triggers: { n: "1" } }],
  ["api_key", { ...key, ip_whitelist: ["::1"] }, { ip_whitelist: [], permissions: ["admin"] }],
  ["api_key_rotation", { key_id: "key_9" }, { triggers: { n: "2" } }, { rotate_after: "90d" }],
])(
  "an update of a %s changes nothing that is ignored (%#)",
  async (kind, given, ignored, edit = { name: "b" }) => {
    emulator.createObjects("server", [{ name: "host" }, { name: "other" }]);
    emulator.createObjects("instance", [{ name: "erp", server_id: "srv_1" }]);
    const { id } = emulator.createKey({ name: "old", permissions: ["servers:read"] });
    const known = { ...given, ...(given["key_id"] && { key_id: id }) };
    const made = await provider.apply(kind, { name: "a", ...known });
    expect(made.diagnostics).toEqual([]);
    const type = kind.replace("_rotation", "");
    const inService = () => emulator.objects(type).map((each) => ({ ...each, name: "" }));
    const before = inService();
    const config = { name: "a", ...known, ...ignored, ...edit };
    const held = { ...made, ignored: Object.keys(ignored) };
    const next = await provider.apply(kind, config, held);
    expect(next).toMatchObject({ state: { ...made.state, ...edit }, diagnostics: [] });
    expect(inService()).toEqual(before);
    const seen = await provider.read(kind, next);
    expect(seen.state).toEqual(next.state);
    const after = await provider.plan(kind, config, { ...held, ...seen });
    expect(after).toMatchObject({ planned: next.state, diagnostics: [] });
  },
);

const released = { ...key, triggers: { n: "1" } };
const due = { ...released, rotate_after: "90d" };
const hidden: RawObject = { name: "web", secret_properties_wo: dynamic({ pin: "1" }) };

test.each<[kind: string, unknown: string, made: RawObject, edited: RawObject]>([
  ["api_key", "recipient", { ...key, recipient: AGE }, key],
  ["api_key", "recipient", due, released],
  ["api_key", "triggers", due, released],
  ["api_key", "rotate_after", due, due],
  ["server", "wait", { name: "web" }, { name: "erp", wait: false }],
  ["server", "ready_states", { name: "web" }, { name: "erp", ready_states: ["stopped"] }],
  ["server", "secret_properties", hidden, hidden],
])(
  "what the plan of a %s knows while %s is unknown stays so once that is known (%#)",
  async (kind, unknown, made, edited) => {
    const { state, private: own } = await provider.apply(kind, made);
    emulator.advance("91d");
    await provider.use(emulator);
    const held = await provider.read(kind, { state, private: own });
    const first = await provider.plan(kind, { ...edited, [unknown]: UNKNOWN }, held);
    expect(first.planned).toMatchObject({ [unknown]: UNKNOWN });
    expect(said(first.diagnostics)).not.toContain("Symbol");
    const stays = Object.entries(first.planned ?? {}).filter(([, value]) => value !== UNKNOWN);
    const second = await provider.plan(kind, edited, held);
    expect(second.planned).toMatchObject(Object.fromEntries(stays));
  },
);

test.each([
  ["omit", "1"],
  ["null", "1"],
  ["null", "2"],
])(
  "a secret that becomes write-only without a version stays in the service, or is sent where it changed, and leaves the state (%s, %s)",
  async (unset, pin) => {
    await provider.use(emulator, { profile: JSON.stringify({ unset }) });
    const plain = { name: "web", secret_properties: { pin: "1" } };
    const made = await provider.apply("server", plain);
    expect(made.diagnostics).toEqual([]);
    const config: RawObject = { name: "web", secret_properties_wo: dynamic({ pin }) };
    const moved = await provider.apply("server", config, made);
    expect(moved).toMatchObject({ state: { secret_properties: null }, diagnostics: [] });
    expect(moved.private.toString()).not.toMatch(/secret_properties\./);
    expect(emulator.objects("server")).toMatchObject([{ pin }]);
    expect((await provider.plan("server", config, moved)).planned).toEqual(moved.state);
  },
);
