/** The life of every kind on a real service: as assumed, as a profile describes it, normalising. */
import { describe, expect, test } from "@jest/globals";
import type { EmulatorOptions } from "../../emulator";
import type { ServiceRecord, Values } from "../../provider/contract";
import type { Kind } from "../../provider/resources";
import { given, type EngineGiven } from "../support/given";
import { altered, fails } from "./crashes";
import { callsOf, changes, codeOf, free, kind } from "./support";
import { named, profile, readOn, withServer } from "./support";
import { strike } from "../support/ask";

const { server, instance, backup, team, apiKey } = named;

interface Case {
  readonly kind: Kind;
  readonly minimal: Values;
  readonly full: Values;
  /** Merged into `full`: an update of everything that may change. */
  readonly edit: Values;
  /** Out of band, under wire names of the service as assumed. */
  readonly drift: Values;
}

const cases: readonly Case[] = [
  {
    kind: server,
    minimal: { name: "web" },
    full: { name: "Web", ready_states: ["running"], ...free },
    edit: { name: "Web 2", properties: { Region: "EU-West", size: 3 } },
    drift: { name: "someone else's" },
  },
  {
    kind: instance,
    minimal: { name: "erp", server_id: "$server" },
    full: { name: "ERP", server_id: "$server", version: "17.0", edition: "Community", ...free },
    edit: { name: "ERP 2", version: "18.0", edition: "Enterprise" },
    drift: { version: "1.0" },
  },
  {
    kind: backup,
    minimal: { server_id: "$server" },
    full: { server_id: "$server", triggers: { day: "1" }, ...free },
    edit: {},
    drift: {},
  },
  {
    kind: team,
    minimal: { name: "ops" },
    full: {
      name: "Ops",
      members: [{ email: "z@example.com", role: "Admin" }, { email: "a@example.com" }],
      ...free,
    },
    edit: { name: "Ops 2", members: [{ email: "a@example.com", role: "member" }] },
    drift: { members: [] },
  },
  {
    kind: apiKey,
    minimal: { name: "ci", permissions: ["servers:read"] },
    full: {
      name: "CI",
      permissions: ["teams:*", "servers:read"],
      ip_whitelist: ["203.0.113.0/24", "2001:db8::/32"],
      expires_at: "2099-01-01T00:00:00Z",
      grace_period: "7d",
      notification_email: "ops@example.com",
      ...free,
    },
    edit: { name: "CI 2", permissions: ["servers:read"] },
    drift: { name: "drifted" },
  },
];

type World = { options?: EmulatorOptions; profile?: unknown; faults?: boolean };
const worlds: readonly [string, World][] = [
  ["as assumed", {}],
  ["that normalises what it is sent", { faults: true }],
  ["that a profile describes", { options: { profile }, profile }],
];

/** Kinds that a service keeps: whether it deletes one is said by the contract, and by its profile. */
const keptBy = (profile: unknown) => [backup, profile === undefined ? team : apiKey];
const normalise = [{ effect: "normalise" as const }];

describe.each(worlds)("a service %s", (_, world) => {
  const wire = (name: string, of: Kind) =>
    world.profile !== undefined && of === server && name === "name" ? "label" : name;

  describe.each(cases.map((each) => [each.kind.name, each] as const))("%s", (__, each) => {
    const { kind: of } = each;

    const created = async (inputs: Values) => {
      const service = await given(world.options);
      const { emulator } = service;
      if (world.faults) emulator.setFaults(normalise);
      const engineGiven: EngineGiven = world.profile === undefined ? {} : { profile };
      const declared = withServer(emulator, inputs, wire("name", server));
      const { state } = await service.engine(engineGiven).engine.create(of, declared);
      return { emulator, declared, state, engine: service.engine(engineGiven).engine };
    };

    test.each(["minimal", "full"] as const)(
      "an object with %s inputs is created, and nothing differs",
      async (size) => {
        const { engine, declared, state } = await created(each[size]);
        expect(await changes(engine, of, state, declared)).toEqual([]);
        const read = await readOn(engine, of, state);
        expect(await changes(engine, of, read, declared)).toEqual([]);
        expect(read).toEqual(state);
      },
    );

    test("an object is updated, drifts, is put right and is deleted", async () => {
      const { emulator, engine, declared, state } = await created(each.full);
      const wanted = { ...declared, ...each.edit };
      let now = state;
      if (Object.keys(each.edit).length > 0) {
        expect(await changes(engine, of, now, wanted)).not.toEqual([]);
        now = (await engine.update(of, now, wanted)).state;
        expect(await changes(engine, of, await readOn(engine, of, now), wanted)).toEqual([]);
        const drift = Object.entries(each.drift).map(([name, to]) => [wire(name, of), to] as const);
        emulator.changeObject(of.name, now.id, Object.fromEntries(drift));
        now = await readOn(engine, of, now);
        const heads = (await changes(engine, of, now, wanted)).map(({ path: [head] }) => head);
        expect([...new Set(heads)]).toEqual(Object.keys(each.drift));
        now = (await engine.update(of, now, wanted)).state;
        expect(await changes(engine, of, await readOn(engine, of, now), wanted)).toEqual([]);
      }
      const { retained, warnings } = await engine.delete(of, now);
      const isKept = keptBy(world.profile).includes(of);
      expect(retained).toBe(isKept);
      expect(emulator.objects(of.name).some(({ id }) => id === now.id)).toBe(isKept);
      expect(callsOf(emulator, "DELETE", /./) === 0).toBe(isKept);
      const subject = { kind: of.name, id: now.id };
      expect(warnings).toMatchObject(isKept ? [{ code: "retained", subject }] : []);
    });

    test("an object that someone else deleted is gone, or has expired", async () => {
      const { emulator, engine, state } = await created(each.minimal);
      emulator.removeObject(of.name, state.id);
      const read = await engine.read(of, state);
      expect(read.warnings).toHaveLength(1);
      if (of === backup) expect(read.state?.values["status"]).toBe("expired");
      else expect(read.state).toBeUndefined();
      if (of !== backup) await engine.delete(of, state); // An engine may delete it all the same.
    });
  });
});

test.each<[string, (record: ServiceRecord) => Pick<ServiceRecord, "fields" | "properties">]>([
  ["nothing", ({ id }) => ({ fields: { id }, properties: {} })],
  [
    "what changed",
    ({ fields: { id, name }, properties: { Region } }) => {
      return { fields: { id, name }, properties: { Region } };
    },
  ],
])("an update that is answered with %s leaves everything else as it was", async (_, part) => {
  const nulling = { settleWindowMs: 0, unset: "null" };
  const { emulator, engine } = (await given()).engine({ profile: nulling });
  strike(emulator, "POST ", "normalise");
  const inputs = withServer(emulator, {
    ...{ name: "ERP", server_id: "$server", version: "17.0", edition: "Community" },
    properties: { Region: "EU", Tier: "Gold", old: 1 },
  });
  const { state } = await engine.create(instance, inputs);
  altered("update", ({ record }) => ({ record: { id: record.id, ...part(record) } }));
  const wanted = { ...inputs, name: "shop", properties: { Region: "us", Tier: "Gold" } };
  const { state: now } = await engine.update(instance, state, wanted);

  expect(now.values).toEqual({ ...state.values, ...wanted });
  for (const after of [now, await readOn(engine, instance, now)]) {
    expect(await changes(engine, instance, after, wanted)).toEqual([]);
  }
});

test("what a program leaves open in a member of a list stays when another member is added", async () => {
  const { service, emulator, engine } = (await given()).engine({ profile: { settleWindowMs: 0 } });
  const [ada, bob] = [{ email: "Ada@example.com" }, { email: "bob@example.com" }];
  const { state } = await engine.create(team, { name: "ops", members: [ada] });
  const shown = { email: "ada@example.com", role: "owner", id: "m_1", invited_by: null };
  emulator.changeObject("team", state.id, { members: [shown] });
  const wanted = { name: "ops", members: [bob, ada] };
  const { state: now } = await engine.update(team, state, wanted);
  const members = [bob, { ...ada, role: "owner" }];
  expect(emulator.object("team", state.id)).toMatchObject({ members });
  expect(emulator.object("team", state.id)).not.toMatchObject({ members: [{}, { id: "m_1" }] });
  expect(await changes(engine, team, await readOn(engine, team, now), wanted)).toEqual([]);
  const { value: apiKey } = emulator.createKey({ permissions: ["teams:write"] });
  const blind = service.engine({ apiKey }).engine;
  expect((await blind.update(team, now, { ...wanted, members: [bob] })).warnings).toEqual([]);
  emulator.removeObject("team", state.id);
  await expect(engine.update(team, state, wanted)).rejects.toMatchObject({ code: "not_found" });
});

test("a service that replaces what it updates loses nothing that did not change", async () => {
  const profile = { settleWindowMs: 0, resources: { instance: { updateMethod: "PUT" } } };
  const { service, emulator, engine } = (await given({ profile })).engine({ profile });
  const declared = withServer(emulator, {
    ...{ name: "erp", server_id: "$server", version: "17.0" },
    properties: { net: { zone: "a" }, old: 1 },
    secret_properties: { pin: "7" },
  });
  const { state } = await engine.create(instance, declared);
  // What the program does not give stays, and what the service never shows is sent again.
  const more = { edition: "community", net: { zone: "a", mtu: 9 }, by: "hand", pin: null };
  emulator.changeObject("instance", state.id, more);
  const wanted = { ...declared, name: "ERP", properties: { net: { zone: "b" }, old: null } };
  const next = await engine.update(instance, state, wanted);
  const kept = { edition: "community", net: { zone: "b", mtu: 9 }, by: "hand", pin: "7" };
  const now = emulator.object("instance", state.id);
  expect(now).toMatchObject({ name: "ERP", version: "17.0", ...kept });
  expect(now).not.toHaveProperty("old");
  const read = await readOn(engine, instance, next.state);
  expect(await changes(engine, instance, read, wanted)).toEqual([]);
  emulator.clearJournal();
  const twice = service.engine({ profile }).engine;
  for (const name of ["a", "b"]) await twice.update(instance, state, { ...wanted, name });
  expect(callsOf(emulator, "GET", /instances/)).toBe(1);
  const later = () => service.engine({ profile }).engine.update(instance, state, wanted);
  emulator.changeObject("instance", state.id, { net: { token: "***" } });
  await expect(later()).rejects.toThrow(/net holds a secret that the service hides/);
  emulator.removeObject("instance", state.id);
  await expect(later()).rejects.toMatchObject({ code: "not_found" });
});

test.each([
  ["server", { name: "web" }],
  ["backup", { server_id: "$server" }],
])("a %s that the service itself calls expired is deleted like any other", async (name, inputs) => {
  const deletes = { resources: { backup: { operations: { delete: true } } } };
  const service = await given({ profile: deletes });
  const { emulator, engine } = service.engine({ profile: { settleWindowMs: 0, ...deletes } });
  const of = kind(name);
  const { state } = await engine.create(of, withServer(emulator, inputs));
  emulator.changeObject(name, state.id, { status: "expired" });
  const expired = await readOn(engine, of, state);
  await engine.delete(of, expired);
  expect(emulator.objects(name)).toEqual([]);
  const { state: now } = await service.engine().engine.read(of, expired);
  expect(now?.values["status"]).toBe(of === backup ? "expired" : undefined);
});

test("the name of a key means the first of its line while a rotation gives it to two keys", async () => {
  const { emulator, engine } = (await given()).engine();
  const { id } = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
  const { state } = await engine.create(kind("api_key_rotation"), { key_id: id });
  expect(state.values["current_key_id"]).not.toBe(id);
  const found = await engine.lookups.one("api_key", { name: "dashboard" });
  expect(found).toMatchObject({ id, fields: { lineage_id: id } });
  const other = (await given()).engine();
  for (let made = 0; made < 2; made += 1) {
    other.emulator.createKey({ name: "twin", permissions: ["servers:read"] });
  }
  await fails(other.engine.lookups.one("api_key", { name: "twin" }), "several_match");
});

test("the name of two keys is none to import by where the service shows no lines", async () => {
  const resources = { api_key: { fields: { lineage_id: "no" } } };
  const { emulator, engine } = (await given()).engine({ profile: { resources } });
  const deploy = { name: "deploy", permissions: ["servers:read"] };
  const { id } = emulator.createKey(deploy);
  expect(await engine.import(apiKey, "name=deploy")).toMatchObject({ id });
  emulator.createKey(deploy);
  expect(await codeOf(engine.import(apiKey, "name=deploy"))).toBe("ambiguous_name");
});
