/** What applying a plan takes, where the plan itself does not show all that is read. */
import { expect, test } from "@jest/globals";
import { resolveContract } from "../../provider/contract";
import { needsOf } from "../../provider/plans";
import type { Plan, PlannedObject } from "../../provider/plans/plan";

/** A plan of one object. */
const planOf = (object: Partial<PlannedObject> & Pick<PlannedObject, "kind" | "action">): Plan => ({
  engine: "terraform",
  stack: undefined,
  isComplete: true,
  objects: [
    {
      address: "it",
      id: "it_1",
      name: undefined,
      changes: [],
      forcedBy: [],
      isCreatedFirst: false,
      keepsOld: false,
      isProtected: false,
      endsProtection: false,
      rotation: undefined,
      before: {},
      after: {},
      ...object,
    },
  ],
  drift: [],
  unnamedDrift: 0,
  others: [],
  otherDrift: [],
  invocations: [],
  deferred: [],
  lookups: [],
  changesState: false,
});

const scopesOf = (plan: Plan): string[] =>
  needsOf(resolveContract(), [plan]).scopes.map(({ scope }) => scope);

test("a backup before an upgrade is read as well, until it is complete", () => {
  const changes = [{ path: "version", before: "17.0", after: "18.0" }];
  const upgrade = (guarded: boolean): Plan =>
    planOf({
      kind: "instance",
      action: "update",
      changes,
      after: { version: "18.0", backup_before_upgrade: guarded },
    });
  expect(scopesOf(upgrade(true))).toEqual([
    "backups:read",
    "backups:write",
    "instances:read",
    "instances:write",
  ]);
  expect(scopesOf(upgrade(false))).toEqual(["instances:read", "instances:write"]);
});

test("a rotation of a key that was made elsewhere reads the list of keys", () => {
  const plan = planOf({ kind: "api_key_rotation", action: "rotate" });
  expect(scopesOf(plan)).toEqual(["api-keys:read", "api-keys:write"]);
});
