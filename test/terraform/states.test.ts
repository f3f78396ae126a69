import { expect, test } from "@jest/globals";
import { UNKNOWN } from "../../provider/resources";
import { typeJson, type Type } from "../../provider/terraform/schema/types";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { Raw, RawObject } from "../../provider/terraform/wire/msgpack";
import { toPlain } from "../../provider/terraform/values/values";
import { strike } from "../support/ask";
import { dynamic, emulator, NOTHING, provider, restarted, said, setUp } from "./support/provider";
import type { Held } from "./support/provider";

setUp();

const upgrade = (state: unknown, version = 0) =>
  provider.call("UpgradeResourceState", m.upgradeRequest, m.upgradeResponse, {
    type_name: "erphost_server",
    version,
    raw_state: { json: Buffer.from(typeof state === "string" ? state : JSON.stringify(state)) },
  });

test("an upgrade of a state keeps every digit, and drops attributes that are no longer known", async () => {
  const exact =
    '{"id":"srv_1","name":"a","properties":{"type":"number","value":0.3333333333333333333333}}';
  expect((await upgrade(exact)).upgraded_state?.json?.toString()).toBe(exact);
  const { upgraded_state } = await upgrade({ id: "srv_1", name: "a", gone_since_then: 1 });
  const kept = JSON.parse(upgraded_state?.json?.toString() ?? "") as unknown;
  expect(kept).toEqual({ id: "srv_1", name: "a" });
});

test("a state of a later release is refused, and so is one that is not an object", async () => {
  expect(said((await upgrade({ id: "srv_1" }, 7)).diagnostics)).toContain("later release");
  expect(said((await upgrade("[]")).diagnostics)).toContain("is not a JSON object");
});

test("a state without the provider's metadata is refused, and the remedy is a new import", async () => {
  const state = { id: "srv_1", name: "a" };
  const { diagnostics } = await provider.read("server", { state, private: NOTHING });
  expect(said(diagnostics)).toContain("import it again");
});

test("a tainted object whose state comes without metadata is deleted if the service lists it", async () => {
  const made = await provider.apply("server", { name: "tainted" });
  const other = { ...made.state, created_at: "2001-01-01T00:00:00.000Z" };
  const refused = await provider.destroy("server", { state: other, private: NOTHING });
  expect(said(refused.diagnostics)).toContain("it is another object");
  expect(emulator.objects("server")).toHaveLength(1);
  const held = { state: made.state, private: NOTHING };
  expect(await provider.destroy("server", held)).toMatchObject({ state: null, diagnostics: [] });
  expect(emulator.objects("server")).toHaveLength(0);
  const again = await provider.destroy("server", held);
  expect(again.diagnostics).toMatchObject([{ severity: m.Severity.warning }]);
  expect(again.state).toBeNull();
});

test.each([null, 7])(
  "an object whose id in the state is %s is not taken for gone, and the error says how to continue",
  async (id) => {
    const made = await provider.apply("server", { name: "web" });
    // Not what this provider writes: a state that somebody edited.
    const broken = { ...made.state, id } as unknown as RawObject;
    const held = { state: broken, private: NOTHING };
    const read = await provider.read("server", held);
    expect(read.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
    expect(read.state).not.toBeNull();
    const kept = await provider.destroy("server", held);
    expect(said(kept.diagnostics)).toContain("has no id");
    expect(kept.state).not.toBeNull();
    expect(emulator.objects("server")).toHaveLength(1);
  },
);

test("a tainted object whose delete failed is found again, unless its id belongs to another object", async () => {
  const secret_properties = { password: "x" };
  const made = await provider.apply("server", { name: "tainted", secret_properties });
  const bare = { state: made.state, private: NOTHING };
  for (const [call, status] of [
    ["DELETE /servers/srv_1", 409],
    ["GET /servers", 403],
  ] as const) {
    const fresh = await restarted(emulator);
    strike(emulator, call, status);
    const failed = await fresh.destroy("server", bare);
    expect(failed.state).toEqual(made.state);
    expect(failed.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
    emulator.setFaults([]);
    const other = { ...failed, state: { ...made.state, created_at: "2001-01-01T00:00:00.000Z" } };
    const read = await fresh.read("server", failed);
    expect(read).toMatchObject({ state: made.state, diagnostics: [] });
    if (status === 403) {
      const wrong = await fresh.read("server", other);
      expect(said(wrong.diagnostics)).toContain("it is another object");
    }
    expect((await fresh.plan("server", null, read)).diagnostics).toEqual([]);
  }
});

test("a tainted rotation, which is not an object in the service, is deleted without metadata", async () => {
  const key = emulator.createKey({ name: "k", permissions: ["servers:read"] });
  const made = await provider.apply("api_key_rotation", { key_id: key.id });
  const bare = { state: made.state, private: NOTHING };
  const gone = await provider.destroy("api_key_rotation", bare);
  expect(gone).toMatchObject({ state: null, diagnostics: [] });
});

const take = (id: string) => provider.import("server", id);

test("an imported state keeps what the program does not give, even when something else is edited", async () => {
  emulator.createObjects("server", [{ name: "a", region: "eu", ip_address: "10.0.0.1" }]);
  const held = await take("srv_1");
  const properties = dynamic({ region: "eu" });
  const planned = await provider.plan("server", { name: "b", properties }, held);
  const edited = await provider.apply("server", { name: "b", properties }, held);
  expect(edited.state?.["properties"]).toEqual(planned.planned?.["properties"]);
  expect(edited.state).toMatchObject({ name: "b", properties: held.state?.["properties"] });
  const read = await provider.read("server", edited);
  const same = await provider.plan("server", { name: "b", properties }, read);
  expect(same.planned).toEqual(edited.state);
  const moved: RawObject = { name: "b", properties: dynamic({ region: "us" }) };
  expect((await provider.apply("server", moved, read)).state).toMatchObject(moved);
  expect(emulator.objects("server")).toMatchObject([{ region: "us", ip_address: "10.0.0.1" }]);
});

test.each<Type>(["string", ["map", "string"], ["object", { region: "string" }]])(
  "a null of type %j is a null: it is created, read, updated, taken back and imported without a difference",
  async (type) => {
    const none = [typeJson(type), null];
    const config = (value: Raw): RawObject => ({
      name: "a",
      properties: [typeJson(type), value],
      secret_properties_wo: none,
    });
    const expectNoChange = async (held: Held) => {
      const { planned, diagnostics } = await provider.plan("server", config(null), held);
      // OpenTofu wants the null of a write-only attribute back as it was given.
      const unchanged = { ...held.state, secret_properties_wo: none };
      expect({ planned, diagnostics }).toEqual({ planned: unchanged, diagnostics: [] });
    };
    const unknown = await provider.plan("server", config(UNKNOWN));
    expect(unknown.planned).toMatchObject(config(UNKNOWN));
    // The engines compare the type of a null as well.
    const made = await provider.apply("server", config(null));
    expect(made).toMatchObject({ state: config(null), diagnostics: [] });
    await expectNoChange(await provider.read("server", made));
    const given: RawObject = { name: "a", properties: dynamic({ region: "eu" }) };
    const full = await provider.apply("server", given, made);
    expect(full.state).toMatchObject(given);
    const back = await provider.apply("server", config(null), full);
    expect(back.state).toMatchObject(config(null));
    await expectNoChange(await provider.read("server", back));
    emulator.createObjects("server", [{ name: "a" }]);
    for (const id of ["srv_1", "srv_2"]) await expectNoChange(await take(id));
  },
);

test("an object with decomposed names is found, shown and planned as the engines write them", async () => {
  const [nfd, nfc] = ["cafe\u0301", "caf\u00e9"];
  const [{ id } = {}] = emulator.createObjects("server", [{ name: nfd, [nfd]: nfd }]);
  const value = { [nfc]: nfc };
  const shown = (state: RawObject | null) => toPlain("dynamic", state?.["properties"]);
  expect(shown(await provider.data("server", { name: nfc }))).toEqual(value);
  expect(said((await provider.plan("server", { name: nfc })).diagnostics)).toContain(id);
  const held = await provider.import("server", `name=${nfc}`);
  expect(shown(held.state)).toEqual(value);
  const config: RawObject = { name: nfc, properties: dynamic(value) };
  for (const state of [held, await provider.read("server", held)])
    expect((await provider.plan("server", config, state)).planned).toEqual(held.state);
});
