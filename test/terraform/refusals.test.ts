/** A change that the engine refuses must fail the plan: core would otherwise apply it. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { UNKNOWN } from "../../provider/resources";
import { UNREAD } from "../../provider/terraform/values/state";
import { Severity } from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import {
  another,
  dynamic,
  emulator,
  NOTHING,
  placeOf,
  provider,
  restarted,
  said,
  setUp,
} from "./support/provider";
import type { Held } from "./support/provider";

const TYPE = "instance";
const config = { name: "erp", server_id: "srv_1", deletion_protection: true };
let held: Held;

setUp();
beforeEach(async () => {
  emulator.createObjects("server", { name: "one", status: "running" });
  held = await provider.apply(TYPE, config);
});

const errorsOf = async (next: typeof config) => {
  const { diagnostics } = await provider.plan(TYPE, next, held);
  return diagnostics.filter(({ severity }) => severity === Severity.error);
};

test.each([
  ["when a protected instance would be replaced", true],
  ["when its protection is turned off together with the change that replaces it", false],
])("a plan fails at deletion_protection %s", async (_, deletion_protection) => {
  const errors = await errorsOf({ ...config, server_id: "srv_2", deletion_protection });
  expect(errors.map(placeOf)).toEqual(["deletion_protection"]);
  expect(errors[0]?.detail).toMatch(/prevents replacing instance/);
});

describe("a replacement that the engine forces", () => {
  /** The engines plan twice: with the prior state, and then without it. */
  const replacement = async (type: string, next: RawObject, of: Held) => {
    const first = await provider.plan(type, next, of);
    expect(first.diagnostics).toEqual([]);
    return provider.plan(type, next, { state: null, private: first.planned_private ?? NOTHING });
  };

  test.each([
    ["a forced replacement of a protected object fails in the plan", true, /Set it to false/],
    [
      "a forced replacement fails in the plan even when protection is turned off",
      false,
      /turns it off first/,
    ],
  ])("%s", async (_, deletion_protection, remedy) => {
    const { diagnostics } = await replacement(TYPE, { ...config, deletion_protection }, held);
    expect(diagnostics.map(placeOf)).toEqual(["deletion_protection"]);
    expect(diagnostics[0]?.detail).toMatch(/prevents replacing instance ins_1 \(erp\)/);
    expect(diagnostics[0]?.detail).toMatch(remedy);
  });

  test("a forced replacement of an unprotected object passes, and its delete finds the metadata in the plan", async () => {
    const open = await provider.apply(TYPE, { ...config, deletion_protection: false }, held);
    const { planned_private, diagnostics } = await replacement(TYPE, config, open);
    expect(diagnostics).toEqual([]);
    emulator.clearJournal();
    expect(
      await provider.destroy(TYPE, { state: open.state, private: planned_private ?? NOTHING }),
    ).toMatchObject({ state: null, diagnostics: [] });
    expect(emulator.journal().map(({ method }) => method)).toEqual(["DELETE"]);
  });

  test("the apply of a saved plan, a process of its own, takes the object that a create replaces for no stranger's", async () => {
    const open = await provider.apply(TYPE, { ...config, deletion_protection: false }, held);
    const { planned_private } = await replacement(TYPE, config, open);
    const next = { state: null, private: planned_private ?? NOTHING };
    const applied = async (given?: Held) => {
      const later = await restarted(emulator, { ERPHOST_SAME_NAME: "error" });
      return said((await later.apply(TYPE, config, given)).diagnostics);
    };
    expect(await applied()).toContain("already exists (ins_1)");
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1" });
    expect(await applied(next)).toContain("give one of the two another name");
    emulator.removeObject("instance", "ins_2");
    expect(await applied(next)).toBe("");
  });

  test("nor one of its name that the state holds, of a create or of a replacement", async () => {
    const [planner, later, last] = [another(), another(), another()];
    for (const each of [planner, later, last]) await each.use(emulator, { same_name: "error" });
    const twin = { ...config, deletion_protection: false };
    await planner.read(TYPE, held);
    const made = await later.apply(TYPE, twin, undefined, planner);
    expect(made).toMatchObject({ diagnostics: [], state: { id: "ins_2" } });
    await planner.read(TYPE, made);
    const { planned_private } = await planner.plan(TYPE, { ...twin, server_id: "srv_2" }, made);
    const next = { state: null, private: planned_private ?? NOTHING };
    expect(await last.apply(TYPE, twin, next, planner)).toMatchObject({ diagnostics: [] });
  });

  test("the plan of one that is tainted, or that was not read, tells of others of its name and nothing that hinders its delete", async () => {
    for (const own of [NOTHING, UNREAD]) {
      const { planned_private } = await provider.plan(TYPE, config, { state: null, private: own });
      expect(String(planned_private)).toContain('"namesakes":["ins_1"]');
      const made = { state: held.state, private: planned_private ?? NOTHING };
      const kept = await provider.destroy(TYPE, made);
      expect(said(kept.diagnostics)).toContain("deletion_protection");
      expect(said(kept.diagnostics)).not.toContain("metadata");
    }
  });

  test("a backup that is replaced is said in the plan to be retained", async () => {
    const backup = await provider.apply("backup", { instance_id: "ins_1" });
    const next = { instance_id: "ins_1", triggers: { month: "1" } };
    // The engines pass on what the first plan warns of, and of the second one only errors.
    const { diagnostics } = await provider.plan("backup", next, backup);
    expect(diagnostics.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("Backup bak_1 will be retained"),
    ]);
  });

  test("what a plan passes on to the delete never gets into the state", async () => {
    const { private: own } = await provider.apply(TYPE, { ...config, name: "new" }, held);
    expect(own.toString()).not.toContain("replaced");
  });
});

test("the plan of a delete names the setting for objects that no change reaches", async () => {
  const { diagnostics } = await provider.plan(TYPE, null, held);
  expect(diagnostics[0]?.detail).toContain(
    "set allow_delete (ERPHOST_ALLOW_DELETE) to ins_1 for one run",
  );
});

test("the delete of a tainted object, which comes without metadata, names untaint and the setting", async () => {
  const { state, diagnostics } = await provider.destroy(TYPE, { ...held, private: NOTHING });
  expect(state).toEqual(held.state);
  expect(diagnostics.map(placeOf)).toEqual(["deletion_protection"]);
  expect(diagnostics[0]?.detail).toContain("run `untaint` on its address");
  expect(diagnostics[0]?.detail).toContain("allow_delete (ERPHOST_ALLOW_DELETE) to ins_1 ");
  expect(emulator.objects("instance")).toHaveLength(1);
});

test.each([
  ["an id in allow_delete is deleted in spite of its protection", ["ins_1"], 0],
  ["another id in allow_delete lifts no protection", ["ins_11", "ins"], 1],
])("%s", async (_, allow_delete, left) => {
  await provider.use(emulator, { allow_delete });
  const { diagnostics } = await provider.plan(TYPE, null, held);
  expect(diagnostics).toHaveLength(left);
  await provider.destroy(TYPE, held);
  expect(emulator.objects("instance")).toHaveLength(left);
});

test("a plan passes when a protected instance is changed in place, or only its protection is turned off", async () => {
  expect(await errorsOf({ ...config, name: "new" })).toEqual([]);
  expect(await errorsOf({ ...config, deletion_protection: false })).toEqual([]);
});

test.each([
  ["is one declaration's in a test, whose provider serves each plan and each apply", false, []],
  ["is another's in a plan, whose provider ends with it", true, ["Name planned twice"]],
])("a name that is planned again %s", async (_, isPlan, expected) => {
  const block = { same_name: "error" };
  // Only a test's provider is configured without its block being validated before.
  if (isPlan) await provider.validateBlock(block);
  await provider.use(emulator, block);
  const planned = async () => (await provider.plan("server", { name: "new" })).diagnostics;
  expect(await planned()).toEqual([]);
  expect((await planned()).map(({ summary }) => summary)).toEqual(expected);
});

test("a plan refuses to edit a backup, which no service updates, unless the edit replaces it or stays here", async () => {
  const given: RawObject = { instance_id: "ins_1", properties: dynamic({ tier: "a" }) };
  const made = await provider.apply("backup", given);
  const properties = dynamic({ tier: "b" });
  for (const [edit, refused] of [
    [{ properties }, ["Not offered"]],
    [{ properties, triggers: { n: "1" } }, []],
    [{ properties: UNKNOWN }, []],
    [{ wait: false }, []],
  ] satisfies [RawObject, string[]][]) {
    const { diagnostics } = await provider.plan("backup", { ...given, ...edit }, made);
    const errors = diagnostics.filter(({ severity }) => severity === Severity.error);
    expect(errors.map(({ summary }) => summary)).toEqual(refused);
  }
});
