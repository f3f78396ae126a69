/** What may be left of what was reviewed, where an apply was cut off or failed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { changesOf, differences } from "../../../cli/pipeline/changes";
import { creating, Pipeline } from "./support";

type Values = Readonly<Record<string, unknown>> | null;
const OLD = { id: "srv_1", name: "web", region: "eu", size: "s" };
const NEW = { name: "web", region: "eu", size: "m" };

/** One change of `erphost_server.web`, as Terraform prints it. */
const changing = (actions: readonly string[], before: Values, after: Values, more = {}) => ({
  address: "erphost_server.web",
  mode: "managed",
  type: "erphost_server",
  change: { actions, before, after, after_unknown: after ? { id: true } : {}, ...more },
});
const creation = changing(["create"], null, NEW);
const deposed = (id: unknown, does = "delete") => ({
  ...changing([does], { ...OLD, id }, null),
  deposed: "a1b2c3d4",
});

const URN = "urn:pulumi:prod::shop::erphost:index:Server::web";
const step = (op: string, before?: Values, after?: Values) => ({
  op,
  urn: URN,
  ...(before && { oldState: { protect: false, ...before } }),
  ...(after && { newState: { protect: false, ...after } }),
});
const [oldState, newState] = [{ id: "srv_1", inputs: OLD }, { inputs: NEW }];
/** As previews have it; with --show-replacement-steps they have its halves as well. */
const replacing = step("replace", oldState, newState);

const terraform = (...changes: readonly object[]) =>
  JSON.stringify({ format_version: "1.2", resource_changes: changes });
const pulumi = (...steps: readonly object[]) => JSON.stringify({ steps });
/** What a replacement that could not delete the old object leaves, in a later preview. */
const found = (id: string) => {
  const left = { ...oldState, id, delete: true };
  return step("refresh", left, left);
};
const half = step("create-replacement", oldState, newState);
const steps = pulumi(half, replacing, step("delete-replaced", oldState));
const between = (reviewed: string, now: string, isRest = true) =>
  differences(changesOf(reviewed), changesOf(now), isRest).map(({ address }) => address);

const invoking = (config_values: Values, event = "BeforeUpdate") =>
  JSON.stringify({
    format_version: "1.2",
    resource_changes: [changing(["update"], OLD, { ...OLD, size: "m" })],
    action_invocations: [
      {
        address: "action.erphost_backup.before",
        type: "erphost_backup",
        config_values,
        lifecycle_action_trigger: {
          triggering_resource_address: "erphost_server.web",
          action_trigger_event: event,
        },
      },
    ],
  });

test.each([
  ["its own action", invoking({ server: "web" }), []],
  ["an action of another object", invoking({ server: "other" }), ["before_update"]],
  ["an action at another time", invoking({ server: "web" }, "AfterUpdate"), ["after_", "before_"]],
  ["no action", terraform(changing(["update"], OLD, { ...OLD, size: "m" })), ["before_update"]],
])("a plan with %s is compared with the one with an action that was reviewed", (_, now, events) => {
  expect(between(invoking({ server: "web" }), now, false)).toEqual(
    events.map((event) => expect.stringMatching(new RegExp(`^action.*\\(${event}.*web\\)$`))),
  );
});

const deleteFirst = terraform(changing(["delete", "create"], OLD, NEW));
const createFirst = terraform(changing(["create", "delete"], OLD, NEW));
const previewed = pulumi(replacing);
const KEPT = { ...NEW, id: "srv_1" };
const importing = (actions: readonly string[], id = "srv_1") =>
  terraform(changing(actions, { ...OLD, id }, { ...KEPT, id }, { importing: { id: "name=web" } }));
const updating = (after: Values, id = "srv_1") =>
  terraform(changing(["update"], { ...OLD, id }, after));
const numbered = terraform(changing(["create", "delete"], { ...OLD, id: 7 }, NEW));
const forgetFirst = terraform(changing(["forget", "create"], OLD, NEW));
const forgetLast = terraform(changing(["create", "forget"], OLD, NEW));
const PLACE = "erphost_server.web";

describe("what is left of a replacement or an import", () => {
  const rests: readonly (readonly [what: string, reviewed: string, now: string])[] = [
    ["nothing at all", deleteFirst, terraform()],
    ["all of it", deleteFirst, deleteFirst],
    ["the new object, where the old one is gone", deleteFirst, terraform(creation)],
    ["the old object, where the new one is there", createFirst, terraform(deposed("srv_1"))],
    ["the new object, where the old one has left the state", forgetFirst, terraform(creation)],
    ["the old object with a number as its id", numbered, terraform(deposed(7))],
    ["the old object, to leave the state", forgetLast, terraform(deposed("srv_1", "forget"))],
    ["the update of an import", importing(["update"]), updating(KEPT)],
    ["the new object of an import", importing(["delete", "create"]), terraform(creation)],
    ["the replacement of an import", importing(["delete", "create"]), deleteFirst],
    ["the new object of Pulumi", previewed, pulumi(step("create", undefined, newState))],
    ["the old object of Pulumi", previewed, pulumi(step("delete-replaced", oldState))],
    ["the new object of Pulumi's steps", steps, pulumi(step("create", undefined, newState))],
    ["the old object of Pulumi's steps", steps, pulumi(step("delete-replaced", oldState))],
    ["the old object of Pulumi, as a delete", previewed, pulumi(step("delete", oldState))],
    ["the old object of Pulumi, as it is found", previewed, pulumi(found("srv_1"))],
  ];

  test.each(rests)("%s may be left of what was cut off", (_, reviewed, now) => {
    expect(between(reviewed, now)).toEqual([]);
  });

  const lesser = rests.filter(([, reviewed, now]) => now !== reviewed);
  test.each(lesser)("%s is not what was reviewed while applies succeed", (_, reviewed, now) => {
    expect(between(reviewed, now, false)).not.toEqual([]);
  });

  test.each([
    ["another value", { ...NEW, size: "xl" }],
    ["another value where the replacement changed none", { ...NEW, region: "us" }],
    ["one value more", { ...NEW, deletion_protection: false }],
    ["one value less", { name: NEW.name, region: NEW.region }],
  ])("a new object with %s is not the rest of a replacement", (_, after) => {
    const created = terraform(changing(["create"], null, after));
    expect(between(deleteFirst, created)).toEqual([PLACE]);
    expect(between(previewed, pulumi(step("create", undefined, { inputs: after })))).toEqual([URN]);
  });

  test("another object than the imported one is neither imported nor updated in its place", () => {
    for (const actions of [["no-op"], ["update"]]) {
      const reviewed = importing(actions);
      for (const isRest of [true, false]) {
        expect(between(reviewed, reviewed, isRest)).toEqual([]);
        expect(between(reviewed, importing(actions, "srv_2"), isRest)).toEqual([PLACE]);
      }
    }
    expect(between(importing(["update"]), updating(KEPT, "srv_2"))).toEqual([PLACE]);
    const taken = (id: string) => pulumi(step("import", undefined, { id, inputs: NEW }));
    expect(between(taken("srv_1"), taken("srv_1"), false)).toEqual([]);
    expect(between(taken("srv_1"), taken("srv_2"), false)).toEqual([URN]);
  });

  test("an object is not updated as the rest of an import to another value than was reviewed", () => {
    const reviewed = importing(["update"]);
    expect(between(reviewed, updating({ ...KEPT, size: "xl" }))).toEqual([PLACE]);
    expect(between(importing(["no-op"]), updating(KEPT))).toEqual([PLACE]);
  });

  test("another object than the replaced one is never deleted as the rest of a replacement", () => {
    for (const [reviewed, actions] of [
      [deleteFirst, ["delete", "create"]],
      [createFirst, ["create", "delete"]],
    ] as const) {
      const left = between(reviewed, terraform(deposed("srv_2")));
      expect(left).toEqual([`${PLACE} (deposed a1b2c3d4)`]);
      const other = terraform(changing(actions, { ...OLD, id: "srv_2" }, NEW));
      for (const isRest of [true, false]) expect(between(reviewed, other, isRest)).toEqual([PLACE]);
    }
    const other = { ...oldState, id: "srv_2" };
    for (const op of ["delete", "delete-replaced"]) {
      expect(between(previewed, pulumi(step(op, other)))).toEqual([URN]);
    }
    expect(between(previewed, pulumi(found("srv_2")))).toEqual([`${URN} (deposed srv_2)`]);
    const replaced = pulumi(step("replace", other, newState));
    for (const isRest of [true, false]) expect(between(previewed, replaced, isRest)).toEqual([URN]);
  });

  test("an object without an id is not deleted as the rest of a replacement", () => {
    const reviewed = terraform(changing(["create", "delete"], A, B));
    const left = { ...changing(["delete"], A, null), deposed: "a1b2c3d4" };
    expect(between(reviewed, terraform(left))).toEqual(["erphost_server.web (deposed a1b2c3d4)"]);
  });

  test("what was not replaced is neither created nor deleted as the rest of something", () => {
    const reviewed = terraform(changing(["update"], OLD, { ...OLD, size: "m" }));
    for (const now of [creation, deposed("srv_1"), changing(["delete"], OLD, null)]) {
      expect(between(reviewed, terraform(now))).toHaveLength(1);
    }
  });
});

const taking = (importing: object) => changing(["no-op"], { spec: 1 }, { spec: 1 }, { importing });
const leaving = (before: Values, before_identity?: object) =>
  changing(["delete"], before, null, { before_identity });
const [A, B] = [{ name: "a" }, { name: "b" }] as const;

test.each([
  ["imported by another id", taking({ id: "A" }), taking({ id: "B" })],
  ["imported by another identity", taking({ identity: A }), taking({ identity: B })],
  ["deleted with other values", leaving({ spec: 1 }), leaving({ spec: 2 })],
  ["deleted with another identity", leaving({ spec: 1 }, A), leaving({ spec: 1 }, B)],
])("an object without an id that is %s is another one than was reviewed", (_, reviewed, now) => {
  for (const isRest of [true, false]) {
    expect(between(terraform(reviewed), terraform(now), isRest)).toEqual([PLACE]);
    expect(between(terraform(now), terraform(now), isRest)).toEqual([]);
  }
});

test("an object that its identity tells may have changed since the review of its deletion", () => {
  const [reviewed, now] = [1, 2].map((spec) => terraform(leaving({ spec }, A)));
  expect(between(reviewed ?? "", now ?? "")).toEqual([]);
});

test("numbers that JavaScript takes for one are two", () => {
  const quota = (digit: number) => terraform(creation).replace('"m"', `900719925474099${digit}`);
  expect(between(quota(2), quota(2))).toEqual([]);
  expect(between(quota(2), quota(3))).toEqual([PLACE]);
});

test("of an update a part may be left, and of a creation only all of it", () => {
  const updated = terraform(changing(["update"], OLD, { ...OLD, size: "m", region: "us" }));
  const half = { ...OLD, region: "us" };
  const rest = terraform(changing(["update"], half, { ...half, size: "m" }));
  expect(between(updated, rest)).toEqual([]);
  const partly = changing(["create"], null, { name: "web" });
  expect(between(terraform(creation), terraform(partly))).toEqual([PLACE]);
});

test("of long texts that differ, what differs is shown", () => {
  const named = (end: string) => {
    const name = `${"word ".repeat(60)}${end}`;
    return changesOf(terraform(changing(["update"], OLD, { ...OLD, name })));
  };
  const [{ fields = [] } = {}] = differences(named("red"), named("blue"), false);
  const [reviewed, now] = [/^….*word red"$/, /^….*word blue"$/].map((each) =>
    expect.stringMatching(each),
  );
  expect(fields).toEqual([{ name: "name", reviewed, now }]);
});

describe.each([
  ["protect", "unprotect"],
  ["retainOnDelete", "end retainOnDelete"],
])("Pulumi's %s", (option, does) => {
  const state = (isOn: boolean) => ({ ...oldState, [option]: isOn });
  const unprotecting = pulumi(step("same", state(true), state(false)));

  test("a plan that only ends a protection changes something, which must have been reviewed", () => {
    expect(changesOf(unprotecting)).toMatchObject([{ address: URN, does }]);
    expect(between(unprotecting, unprotecting, false)).toEqual([]);
    expect(between(pulumi(), unprotecting)).toEqual([URN]);
    expect(between(unprotecting, pulumi(), false)).toEqual([URN]);
    const updating = pulumi(step("update", state(true), { ...newState, [option]: false }));
    const kept = pulumi(step("update", state(true), { ...newState, [option]: true }));
    expect(between(kept, updating)).toEqual([URN]);
  });

  test("a plan that protects an object, or leaves it as it is, changes nothing that is reviewed", () => {
    for (const isOn of [true, false]) {
      expect(changesOf(pulumi(step("same", state(false), state(isOn))))).toEqual([]);
    }
    expect(changesOf(pulumi(step("same", state(true), state(true))))).toEqual([]);
    expect(changesOf(pulumi(step("refresh", state(true), state(false))))).toEqual([]);
  });
});

describe("a pipeline whose apply is cut off", () => {
  const pipeline = Pipeline.ofTests();

  test("a killed apply of another folder's stack of the same name is neither resumed nor forgotten", async () => {
    const merged = async (number: number, dir: string) => {
      mkdirSync(join(pipeline.repository, dir), { recursive: true });
      const pull = pipeline.github.open(number, pipeline.commit(dir));
      expect(await pipeline.run(["plan"], { pull: number, dir })).toMatchObject({ code: 0 });
      return (pull.merged = pipeline.commit(`${dir} (#${number})`));
    };
    pipeline.planned(creation);
    const first = await merged(1, "a");
    await pipeline.spoilt("killed", { dir: "a" });
    pipeline.unset("environment");

    pipeline.planned(creating("db"));
    const second = await merged(2, "b");
    expect(await pipeline.applied({ dir: "b" })).not.toContain("was cut off");
    expect(pipeline.read("environment")).not.toContain("ERPHOST_RESUME");

    pipeline.github.history.push(first, second);
    pipeline.git("checkout", "--quiet", "--detach", first);
    pipeline.planned(creation);
    const said = await pipeline.applied({ dir: "a" });
    pipeline.git("checkout", "--quiet", "main");
    expect(said).toContain("was cut off");
    expect(pipeline.read("environment")).toContain("ERPHOST_RESUME=true\n");
  }, 90_000);

  test.each(["killed", "failing"] as const)(
    "a replacement whose apply was %s after the deletion continues with the creation, and with nothing else",
    async (how) => {
      await pipeline.reviewed(changing(["delete", "create"], OLD, NEW));
      await pipeline.spoilt(how);
      pipeline.planned(creation, creating("db"));
      expect(await pipeline.refused()).toMatch(
        /is not what was reviewed at [0-9a-f]{12}: erphost_server\.db \(create, which nobody/,
      );
      pipeline.planned(creation);
      expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    },
  );
});
