/** What a plan says of the rights of its key and of rotations, before anything is changed. */
import { describe, expect, test } from "@jest/globals";
import type { Values } from "../../provider/contract";
import { plannedDelete, plannedRights, type Engine, type State } from "../../provider/engine";
import { UNKNOWN } from "../../provider/resources";
import type { Planned } from "../../provider/engine/plan/rights";
import { given, textOf, type EngineGiven } from "../support/given";
import { apiKey, diffOf, readOn, rightsOf, rotation } from "./support";

const READS = ["servers:read", "instances:read", "backups:read", "teams:read", "api-keys:read"];

const own = (account: State["private"]["account"]): State["private"] => ({
  ...{ account, profile: "", managed: [], echo: {} },
});

/** An engine whose key has these scopes, after its preflight. */
async function planning(permissions: readonly string[], options: EngineGiven["options"] = {}) {
  const service = await given();
  const { id: own, value: apiKey } = service.emulator.createKey({ permissions: [...permissions] });
  const calls = () => service.emulator.journal().map(({ method, path }) => `${method} ${path}`);
  const { engine } = service.engine({ apiKey, options });
  await engine.preflight();
  const said = async (kind: string, planned: Planned): Promise<string> => {
    const { refused, notes } = await rightsOf(engine, engine.kind(kind), planned);
    return textOf([...(refused ? [refused] : []), ...notes]);
  };
  const missing = async (kind: string, planned: Planned): Promise<string[]> =>
    [...(await said(kind, planned)).matchAll(/(?<=lacks the scope )[a-z:-]+/g)].map(([it]) => it);
  return { engine, own, calls, said, missing };
}

const update = (
  names: readonly string[],
  { replace = false, inputs = {} }: { replace?: boolean; inputs?: Record<string, unknown> } = {},
): Planned => ({ inputs, difference: { changes: names.map((at) => ({ path: [at] })), replace } });

describe("a plan with a key that may only read", () => {
  test.each<[string, string, Planned, string[]]>([
    ["a create", "server", "create", ["servers:write"]],
    ["a delete", "server", "delete", ["servers:delete"]],
    ["an update", "server", update(["name"]), ["servers:write"]],
    [
      "a replacement",
      "server",
      update(["region"], { replace: true }),
      ["servers:write", "servers:delete"],
    ],
    ["a rotation of a key", "api_key", update(["triggers"]), ["api-keys:write"]],
    ["a rotation of a key made elsewhere", "api_key_rotation", "create", ["api-keys:write"]],
    [
      "an upgrade that a backup guards",
      "instance",
      update(["version"], { inputs: { backup_before_upgrade: true } }),
      ["instances:write", "backups:write"],
    ],
    ["an update of a free field", "team", update(["properties"]), ["teams:write"]],
    ["an update of a secret one", "server", update(["secret_properties"]), ["servers:write"]],
    ["an upgrade without a backup", "instance", update(["version"]), ["instances:write"]],
  ])("names the scope that it lacks: %s", async (_, kind, planned, scopes) => {
    expect(await (await planning(READS)).missing(kind, planned)).toEqual(scopes);
  });

  test.each<[string, string, Planned]>([
    ["nothing changes", "server", update([])],
    ["an option changes that no call carries", "server", update(["deletion_protection"])],
    ["an object is retained, because the service cannot delete it", "backup", "delete"],
    ["a rotation leaves the program, which calls nothing", "api_key_rotation", "delete"],
  ])("says nothing where nothing is called: %s", async (_, kind, planned) => {
    expect(await (await planning(READS)).said(kind, planned)).toBe("");
  });

  test("names each scope once, the key, what it has, and both ways on", async () => {
    const { said, missing } = await planning(READS);
    const text = await said("server", "create");
    expect(text).toMatch(/API key key_\w+ lacks the scope servers:write/);
    expect(text).toContain("cannot create any server; it has servers:read, instances:read");
    expect(text).toMatch(/Apply with a key that has it\..*preflight.*off/);
    expect(await missing("server", update(["name"]))).toEqual([]);
    expect(await missing("server", "delete")).toEqual(["servers:delete"]);
    expect(await said("api_key_rotation", "create")).toContain("cannot update any API key");
  });

  test("makes one call for all of it, whatever is planned", async () => {
    const { missing, calls } = await planning(READS);
    for (const kind of ["server", "instance", "team"]) await missing(kind, "create");
    expect(calls()).toEqual(["GET /auth/test"]);
  });

  test.each([
    ["error", "not_permitted"],
    ["warn", undefined],
  ] as const)("refuses the action where that is asked for: %s", async (setting, code) => {
    const { engine } = await planning(READS, { preflight: setting });
    const { refused } = await rightsOf(engine, engine.kind("server"), "create");
    expect(refused?.code).toBe(code);
  });

  test("makes no call and says nothing where it is off", async () => {
    const { said, calls } = await planning(READS, { preflight: "off" });
    expect(await said("server", "create")).toBe("");
    expect(calls()).toEqual([]);
  });
});

test.each([
  ["the scope itself", ["servers:read", "servers:write", "servers:delete"]],
  ["a wildcard", ["servers:*"]],
  ["the levels", ["read", "write", "delete"]],
  ["the admin level", ["admin"]],
])("a plan says nothing to a key that may do it: by %s", async (_, permissions) => {
  const { said } = await planning(permissions);
  for (const planned of ["create", "delete", update(["name"])] as const) {
    expect(await said("server", planned)).toBe("");
  }
});

test("a plan says nothing where the service does not tell what the key may do", async () => {
  const { engine } = (await given()).engine();
  const { refused, notes } = await rightsOf(engine, engine.kind("server"), "create");
  expect([refused, ...notes]).toEqual([undefined]);
});

const declared = { name: "ci", permissions: ["servers:read"], triggers: { n: "1" } };

const saidOf = async (engine: Engine, of: typeof apiKey, prior: State, inputs: object) => {
  const { changes } = await diffOf(engine, of, prior, { ...inputs });
  return textOf(changes.flatMap(({ reason }) => reason ?? []));
};

test("a plan that rotates a key says which one, why, and until when it works after that", async () => {
  const { engine } = (await given()).engine();
  const { state: first } = await engine.create(apiKey, declared);
  const inputs = { ...declared, triggers: { n: "2" } };
  const { state } = await engine.update(apiKey, first, inputs);
  const inUse = String(state.values["current_key_id"]);
  expect(inUse).not.toBe(state.id);
  expect(await saidOf(engine, apiKey, state, { ...declared, triggers: { n: "3" } })).toBe(
    `API key ${inUse} (ci) will be rotated, because of a change of triggers.n. After that, ${inUse} works for the grace period of the service; previous_key_expires_at then shows when it ends.`,
  );
  const triggers = { n: "2", m: "1" };
  const both = { ...declared, triggers, recipient: "age1x", grace_period: "7d" };
  expect(await saidOf(engine, apiKey, state, both)).toBe(
    `API key ${inUse} (ci) will be rotated, because of a change of triggers.m and recipient. After that, ${inUse} works for another 7d (grace_period).`,
  );
  expect(await saidOf(engine, apiKey, state, { ...inputs, name: "renamed" })).toBe("");
});

test("a plan that rotates a key by age and by trigger gives its age as the reason, once", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = { ...declared, rotate_after: "90d", grace_period: "7d" };
  const { state } = await engine.create(apiKey, inputs);
  emulator.advance("90d");
  const due = await readOn(engine, apiKey, state);
  expect(await saidOf(engine, apiKey, due, { ...inputs, triggers: { n: "2" } })).toMatch(
    /^API key \S+ \(ci\) will be rotated: it was last rotated at \S+, and rotate_after is 90d\. After that, \S+ works for another 7d \(grace_period\)\.$/,
  );
});

test("a plan of a declared rotation names the key that it rotates", async () => {
  const { emulator, engine } = (await given()).engine();
  const { id } = emulator.createKey({ name: "pipeline" });
  const inputs = { key_id: id, triggers: { n: "1" } };
  const { state } = await engine.create(rotation, inputs);
  const inUse = String(state.values["current_key_id"]);
  expect(await saidOf(engine, rotation, state, { ...inputs, triggers: { n: "2" } })).toMatch(
    `API key ${inUse} will be rotated, because of a change of triggers.n.`,
  );
  const { id: other } = emulator.createKey({ name: "other" });
  expect(await saidOf(engine, rotation, state, { key_id: other, triggers: { n: "2" } })).toBe("");
});

const rotating = async (
  values: Record<string, unknown>,
  inputs: Record<string, unknown> = {},
  changed = "triggers",
) => {
  const { engine, own } = await planning(["admin"]);
  const prior: State = {
    ...{ id: "key_of_line", private: {} as State["private"] },
    values: { name: "ci", current_key_id: own, ...values },
  };
  const changes = [{ path: [changed] }];
  const planned: Planned = { prior, inputs, difference: { replace: false, changes } };
  await rightsOf(engine, engine.kind("api_key"), planned); // However often it is planned.
  return (await rightsOf(engine, engine.kind("api_key"), planned)).refused;
};

test("a plan that would rotate the key of its own run is refused, whatever the setting of the preflight, as its apply would be", async () => {
  expect(await rotating({})).toMatchObject({
    code: "self_rotation",
    path: ["allow_self_rotation"],
    parts: { subject: { name: "ci" } },
  });
});

test("a plan that would rotate the key of its own run is not refused where that is allowed, where the key is another or where it is not rotated", async () => {
  expect(await rotating({}, {}, "name")).toBeUndefined();
  expect(await rotating({}, { allow_self_rotation: true })).toBeUndefined();
  expect(await rotating({ current_key_id: "key_0" })).toBeUndefined();
});

test("a plan to rotate or delete the key of its own run is refused as its apply would be", async () => {
  const { engine, own: key_id } = await planning(["admin"], { preflight: "error" });
  const creating = async (inputs: Values) =>
    (await rightsOf(engine, rotation, { creates: { key_id, ...inputs } })).refused?.code;
  expect(await creating({})).toBe("self_rotation");
  expect(await creating({ rotate_on_create: false })).toBeUndefined();
  expect(await creating({ allow_self_rotation: true })).toBeUndefined();
  expect(await creating({ rotate_on_create: UNKNOWN })).toBeUndefined();
  expect(await creating({ allow_self_rotation: UNKNOWN })).toBeUndefined();
  expect(await creating({ key_id: "key_0" })).toBeUndefined();
  const seen = await engine.observe(apiKey, {});
  const line = (current_key_id: string) =>
    plannedDelete(seen, { id: "k", values: { current_key_id }, private: own(seen.account) });
  expect(line(key_id).refused).toMatchObject({ code: "self_rotation", parts: { does: "delete" } });
  expect(line("key_0").refused).toBeUndefined();
  // Where it is not refused, the apply may have another key.
  const warned = { notes: [{ code: "self_rotation" }], refused: undefined };
  const state = { id: "k", values: { current_key_id: key_id }, private: own(seen.account) };
  expect(plannedDelete({ ...seen, preflight: "warn" }, state)).toMatchObject(warned);
  const planned = plannedRights(
    { ...seen, kind: rotation, preflight: "warn" },
    { creates: { key_id } },
  );
  expect(planned).toMatchObject({ refusals: [], notes: warned.notes });
  // It follows a rotation of this run's own.
  const inputs = { key_id, allow_self_rotation: true };
  const next = (await engine.create(rotation, inputs)).state.values["current_key_id"];
  expect(await creating({})).toBeUndefined();
  expect(await creating({ key_id: next })).toBe("self_rotation");
});

test("a rotation that is read under another profile has nothing to say of it afterwards", async () => {
  const { service, engine } = (await given()).engine({ profile: { settleWindowMs: 1 } });
  const { id: key_id } = service.emulator.createKey({});
  const { state } = await service.engine().engine.create(rotation, { key_id });
  const notesOf = async (held: State) => (await diffOf(engine, rotation, held, { key_id })).notes;
  expect(await notesOf(state)).toMatchObject([{ code: "profile_changed" }]);
  expect(await notesOf(await readOn(engine, rotation, state))).toEqual([]);
});
