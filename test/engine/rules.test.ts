import { expect, test } from "@jest/globals";
import type { Values } from "../../provider/contract";
import { plannedDelete } from "../../provider/engine";
import { given } from "../support/given";
import { fails } from "./crashes";
import { callsOf, changes, codeOf, diffOf, failureOf } from "./support";
import { free, named, readOn, withServer } from "./support";
import { strike } from "../support/ask";

const { server, instance, backup, apiKey } = named;

test("an expired backup is replaced only when its triggers change", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = withServer(emulator, { server_id: "$server", triggers: { day: "1" } });
  const { state } = await engine.create(backup, inputs);
  emulator.removeObject("backup", state.id);
  const expired = await readOn(engine, backup, state);
  expect(await changes(engine, backup, expired, inputs)).toEqual([]);
  const next = await diffOf(engine, backup, expired, { ...inputs, triggers: { day: "2" } });
  expect(next).toMatchObject({ replace: true, changes: [{ path: ["triggers", "day"] }] });
});

test.each(["constructor", "toString"])(
  "a property called %s is sent, read back and set to null like any other",
  async (name) => {
    const { emulator, engine } = (await given()).engine();
    const properties = { [name]: "x" };
    const { state } = await engine.create(server, { name: "a", properties });
    expect(state.values["properties"]).toEqual(properties);
    expect((await readOn(engine, server, state)).values["properties"]).toEqual(properties);
    const nulled = { name: "a", properties: { [name]: null } };
    const next = await engine.update(server, state, nulled);
    expect(Object.entries(emulator.objects("server")[0] ?? {})).not.toContainEqual([name, "x"]);
    expect(await changes(engine, server, next.state, nulled)).toEqual([]);
  },
);

test.each([
  ["none", {}],
  ["another", { pin: "1" }],
] as const)(
  "a property that is left out is no longer managed after one update without a call, next to %s",
  async (_, other) => {
    const { emulator, engine } = (await given()).engine();
    const inputs = { name: "a", properties: { ...other, region: "eu" } };
    const { state } = await engine.create(server, inputs);
    emulator.clearJournal();
    const less = { name: "a", properties: other };
    const planned = await diffOf(engine, server, state, less);
    expect(planned.notes).toMatchObject([{ code: "unmanaged_key" }]);
    expect(planned.changes).toMatchObject([{ path: ["properties", "region"], kind: "delete" }]);
    const next = await engine.update(server, state, less);
    expect(next.warnings).toEqual([]);
    expect(emulator.journal()).toEqual([]);
    expect(emulator.objects("server")).toMatchObject([{ region: "eu" }]);
    for (const after of [next.state, await readOn(engine, server, next.state)]) {
      expect(await diffOf(engine, server, after, less)).toMatchObject({ changes: [], notes: [] });
    }
  },
);

test("all properties can be left out at once, and what an import took over stays as it was", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, { name: "a", properties: { region: "eu" } });
  const next = await engine.update(server, state, { name: "a" });
  expect(next.state.values).not.toHaveProperty("properties");
  for (const after of [next.state, await engine.import(server, state.id)]) {
    const planned = await diffOf(engine, server, after, { name: "a" });
    expect(planned).toMatchObject({ changes: [], notes: [] });
  }
  expect(emulator.objects("server")).toMatchObject([{ region: "eu" }]);
});

test("no hash of a secret that is left out stays in the state", async () => {
  const { emulator, engine } = (await given()).engine();
  strike(emulator, "POST ", "normalise");
  const inputs = { name: "a", secret_properties: { pin: "A" } };
  const { state } = await engine.create(server, inputs);
  expect(Object.keys(state.private.echo)).toEqual(["secret_properties.pin"]);
  const next = await engine.update(server, state, { name: "a" });
  expect(next.state.private.echo).toEqual({});
});

test("properties are sent as they are, secret ones too, and come back under their own names", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, { name: "a", ...free });
  expect(emulator.objects("server")[0]).toMatchObject({
    Region: "EU-Central",
    password: "hunter2",
  });
  emulator.changeObject("server", state.id, { password: "drift", other: 1 });
  const read = await readOn(engine, server, state);
  expect(await changes(engine, server, read, { name: "a", ...free })).toEqual([
    { path: ["secret_properties", "password"], kind: "update", replace: false, secret: true },
  ]);
});

test("a property that is no longer set is set to null where the profile says so", async () => {
  const profile = { settleWindowMs: 0, unset: "null" };
  const { emulator, engine } = (await given()).engine({ profile });
  const { state } = await engine.create(server, { name: "a", properties: { region: "EU" } });
  expect(await changes(engine, server, state, { name: "a" })).toHaveLength(1);
  const next = await engine.update(server, state, { name: "a" });
  expect(next.warnings).toEqual([]); // The plan has reported it.
  expect(emulator.objects("server")[0]?.["region"] ?? null).toBeNull();
  expect(await changes(engine, server, next.state, { name: "a" })).toEqual([]);
  await engine.update(server, next.state, { name: "a", deletion_protection: true });
  expect(callsOf(emulator, "PATCH", /servers/)).toBe(1); // Options are not sent.
});

test.each<[string, Values, string[]]>([
  ["server", {}, []],
  ["api_key_rotation", {}, []],
  ["backup", { status: "completed" }, ["retained"]],
  ["backup", { status: "expired" }, []],
  ["team", { status: "expired" }, ["retained"]],
])("what a plan says of deleting a %s with %j", async (name, values, codes) => {
  const { emulator, engine } = (await given()).engine();
  const { baseUrl } = emulator;
  const account = { baseUrl, environment: "test" as const };
  const prior = { id: "x", values, private: { account, profile: "", managed: [], echo: {} } };
  const { notes, refused } = plannedDelete(
    await engine.observe(engine.kind(name), { prior }),
    prior,
  );
  expect({ refused, notes: notes.map(({ code }) => code) }).toEqual({ notes: codes });
  for (const { parts } of notes) {
    expect(parts).toEqual({ subject: { kind: name, id: "x", name: undefined }, planned: true });
  }
});

const guarded = { name: "erp", deletion_protection: true };

test("deletion protection refuses the delete until its removal was applied", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, guarded);
  const held = await readOn(engine, server, state);
  expect(await codeOf(engine.delete(server, held))).toBe("protected");
  const { state: open } = await engine.update(server, held, { name: "erp" });
  await engine.delete(server, open);
  expect(emulator.objects("server")).toEqual([]);
});

test("a protected object whose id is allowed is replaced and deleted, and no other one", async () => {
  const { emulator, engine } = (await given()).engine({ options: { allowDelete: ["ins_1"] } });
  const inputs = withServer(emulator, { ...guarded, server_id: "$server" });
  const { state } = await engine.create(instance, inputs);
  const { state: other } = await engine.create(instance, { ...inputs, name: "other" });
  const moved = { ...inputs, server_id: "srv_other" };
  expect((await diffOf(engine, instance, state, moved)).refused).toBeUndefined();
  expect((await diffOf(engine, instance, other, moved)).refused?.code).toBe("protected");
  await engine.delete(instance, await readOn(engine, instance, state));
  expect(await codeOf(engine.delete(instance, other))).toBe("protected");
  expect(emulator.objects("instance").map(({ id }) => id)).toEqual(["ins_2"]);
});

test("deletion protection refuses the replacement while planning, even when the same change turns it off", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = withServer(emulator, { ...guarded, server_id: "$server" });
  const { state } = await engine.create(instance, inputs);
  for (const deletion_protection of [true, false]) {
    const moved = { ...inputs, server_id: "srv_other", deletion_protection };
    const { refused } = await diffOf(engine, instance, state, moved);
    expect(refused).toMatchObject({
      path: ["deletion_protection"],
      parts: { subject: { name: "erp" }, turnedOff: !deletion_protection },
    });
  }
});

const upgradable = async () => {
  const run = (await given()).engine();
  const erp = { name: "erp", server_id: "$server", version: "17.0" };
  const inputs = withServer(run.emulator, { ...erp, backup_before_upgrade: true });
  const { state } = await run.engine.create(instance, inputs);
  return { ...run, run, inputs, state };
};

test("backup_before_upgrade takes a backup before the version changes, and only then", async () => {
  const { emulator, engine, inputs, state } = await upgradable();
  const renamed = await engine.update(instance, state, { ...inputs, name: "erp-2" });
  expect(emulator.objects("backup")).toEqual([]);
  const wanted = { ...inputs, name: "erp-2", version: "18.0" };
  const { warnings } = await engine.update(instance, renamed.state, wanted);
  expect(emulator.objects("backup")).toMatchObject([
    { instance_id: state.id, status: "completed" },
  ]);
  expect(warnings).toMatchObject([{ code: "backup_taken", parts: { field: "version" } }]);
  expect(emulator.objects("instance")).toMatchObject([{ version: "18.0" }]);
});

test("backup_before_upgrade leaves the version alone where the backup fails", async () => {
  const { emulator, engine, inputs, state } = await upgradable();
  strike(emulator, "POST /backups", { type: "provision", outcome: "failed" });
  const error = await failureOf(engine.update(instance, state, { ...inputs, version: "18.0" }));
  expect(error).toMatchObject({ code: "backup_failed", path: ["version"] });
  expect(error.message).toContain(`Instance ${state.id} keeps its version`);
  expect(emulator.objects("instance")).toMatchObject([{ version: "17.0" }]);
});

test("a backup that is late stops the upgrade, and the next run takes no second one", async () => {
  const { service, run, emulator, engine, inputs, state } = await upgradable();
  strike(emulator, "POST /backups", { type: "provision", outcome: "never" });
  const wanted = { ...inputs, version: "18.0" };
  const error = await failureOf(engine.update(instance, state, wanted, { timeoutMs: 0 }));
  expect(error).toMatchObject({ code: "backup_failed" });
  const { id, status } = emulator.objects("backup")[0] ?? {};
  expect(error.message).toContain(`is ${String(status)}`);
  expect(emulator.objects("instance")).toMatchObject([{ version: "17.0" }]);
  emulator.changeObject("backup", String(id), { status: "completed" });
  emulator.setFaults([]);
  await run.kill();
  await service.engine().engine.update(instance, state, wanted);
  expect(emulator.objects("backup")).toMatchObject([{ id, instance_id: state.id }]);
  expect(emulator.objects("instance")).toMatchObject([{ version: "18.0" }]);
});

test("a run that is interrupted while it waits for the backup says just that", async () => {
  const { emulator, engine, inputs, state } = await upgradable();
  strike(emulator, "POST /backups", { type: "provision", outcome: "ready", ms: 3_600_000 });
  const stops = new AbortController();
  const options = { stop: stops.signal, onNotice: () => stops.abort() };
  const update = engine.update(instance, state, { ...inputs, version: "18.0" }, options);
  await fails(update, "interrupted", "the run was interrupted while it waited for backup");
  expect(emulator.objects("instance")).toMatchObject([{ version: "17.0" }]);
});

test("an import works by id and by name, and manages nothing until the program says so", async () => {
  const { emulator, engine } = (await given()).engine();
  const [made] = emulator.createObjects("server", [{ name: "old", region: "eu" }]);
  const id = String(made?.["id"]);
  for (const reference of [id, "name=old"]) {
    const state = await engine.import(server, reference);
    expect(state).toMatchObject({ id, values: { name: "old" }, private: { managed: [] } });
    expect(await changes(engine, server, state, { name: "old" })).toEqual([]);
  }
});

test("an imported backup takes triggers, and is replaced once they change", async () => {
  const { emulator, engine } = (await given()).engine();
  const { server_id } = withServer(emulator, { server_id: "$server" });
  const [found] = emulator.createObjects("backup", [{ server_id: String(server_id) }]);
  const inputs = { server_id, triggers: { n: "1" } };
  const imported = await engine.import(backup, String(found?.["id"]));
  const first = await diffOf(engine, backup, imported, inputs);
  expect(first).toMatchObject({ replace: false, changes: [{ path: ["triggers", "n"] }] });
  const { state } = await engine.update(backup, imported, inputs);
  const next = await diffOf(engine, backup, state, { ...inputs, triggers: { n: "2" } });
  expect(next).toMatchObject({ replace: true });
});

test("an import by an ambiguous name is refused with the ids, and one by an unknown name too", async () => {
  const { emulator, engine } = (await given()).engine();
  const twins = emulator.createObjects("server", [{ name: "twin" }, { name: "twin" }]);
  const error = await fails(engine.import(server, "name=twin"), "ambiguous_name");
  for (const { id } of twins) expect(error.message).toContain(String(id));
  expect(await codeOf(engine.import(server, "name=nobody"))).toBe("not_found");
  const unknown = await fails(engine.import(server, "acme_live_n3xtn3xtn3xt"), "not_found");
  expect(unknown.message).toContain("There is no server with the id [redacted]. Check");
});

test("a service that offers no keys refuses the create with a remedy", async () => {
  const { emulator, engine } = (await given({ strict: true })).engine();
  const error = await failureOf(engine.create(apiKey, { name: "ci", permissions: ["read"] }));
  expect(error).toMatchObject({ code: "not_offered" });
  expect(error.message).toContain(`${emulator.baseUrl}/api-keys answered 404`);
  expect(error.message).toContain("create the key in the dashboard");
  expect(emulator.keys()).toHaveLength(1);
});

test("a profile without key operations refuses the create before any call", async () => {
  const off = { create: false, update: false, delete: false };
  const { emulator, engine } = (await given({ strict: true })).engine({
    profile: { resources: { api_key: { operations: off } } },
  });
  const work = engine.create(apiKey, { name: "ci", permissions: ["read"] });
  await fails(work, "not_offered", "dashboard");
  expect(emulator.journal()).toEqual([]);
});

test("an update with something unknown is refused before any call", async () => {
  const { emulator, engine } = (await given()).engine();
  const { state } = await engine.create(server, { name: "a" });
  emulator.clearJournal();
  const unknown = { name: Symbol.for("erphost.unknown") };
  expect(await codeOf(engine.update(server, state, unknown))).toBe("invalid_input");
  expect(await codeOf(engine.create(server, unknown))).toBe("invalid_input");
  expect(emulator.journal()).toEqual([]);
});

test("an object that was taken over is kept from the delete of its predecessor after a read and an update", async () => {
  const { service, emulator, engine } = (await given()).engine();
  const { state: deposed } = await engine.create(server, { name: "a" });
  const taken = { ...deposed, private: { ...deposed.private, resumed: "a mark" } };
  const { engine: later } = service.engine();
  const { state } = await later.update(server, await readOn(later, server, taken), { name: "b" });
  await diffOf(later, server, state, { name: "b" }, "urn");
  const deleted = await later.delete(server, deposed, { identity: "urn" });

  expect(deleted.warnings).toMatchObject([{ code: "kept_instead" }]);
  expect(emulator.objects("server")).toHaveLength(1);
});
