/** The example examples/cdktf-platform, tested as its users would test it. */
import { expect, test } from "@jest/globals";
import { Aspects, Testing } from "cdktf";
import * as bindings from "../../cdktf-bindings";
import { expectStack, synth } from "../../cdktf-bindings/testing";
import { Backups, Keys, Shops } from "../../examples/cdktf-platform/platform";
import { RECIPIENT } from "./support/stack";

const { ApiKey, BackupSchedule, ErphostStage, Instance, ProtectFromDeletion, RequireBackup } =
  bindings;

const given = ({ version = "17.0", isProtected = true, day = "2026-03-01" } = {}) => {
  const aspects = isProtected ? [new ProtectFromDeletion()] : [];
  const stage = new ErphostStage(Testing.app(), "production", { aspects });
  const shops = new Shops(stage, { shops: ["berlin", "paris", "rome", "oslo", "vienna"], version });
  const backups = new Backups(stage, { shops, now: new Date(`${day}T12:00:00Z`) });
  const keys = new Keys(stage, { shops, backups, recipient: RECIPIENT });
  Aspects.of(stage.app).add(new RequireBackup({ by: ["schedule"] }));
  return { shops, backups, keys };
};

test("the platform's shops have the release, a daily backup, and waves that begin with one canary", () => {
  const { shops, backups } = given();
  for (const [shop, instance] of Object.entries(shops.fleet.instances)) {
    expectStack(shops).toDeclare(Instance, { version: "17.0", name: `production-${shop}` });
    expectStack(backups).toDeclare(BackupSchedule, { instance });
  }
  expect(shops.fleet.waves).toEqual([["berlin"], ["paris", "rome"], ["oslo", "vienna"]]);
});

test("the platform's schedules are in a stack of their own, which a failed canary does not hold up", () => {
  const { shops, backups } = given();
  expectStack(shops).not.toDeclare(BackupSchedule);
  expectStack(backups).not.toDeclare(Instance);
});

test("the platform's pipelines may deploy their stacks, and delete shops only where they are not protected", () => {
  const ofBackups = ["backups:read", "backups:write"] as const;
  const needed: readonly bindings.Scope[] = [
    ...(["servers:read", "servers:write", "instances:read", "instances:write"] as const),
    ...ofBackups,
  ];
  const { shops, backups, keys } = given();
  for (const [stack, permissions] of [
    [shops, needed],
    [backups, ofBackups],
  ] as const) {
    expectStack(stack).toNeedScopes(permissions);
    expectStack(keys).toDeclare(ApiKey, { name: stack.node.id, permissions, recipient: RECIPIENT });
  }
  const unprotected = [...needed, "servers:delete", "instances:delete"] as const;
  expectStack(given({ isProtected: false }).shops).toNeedScopes(unprotected);
});

test("another run of the platform on the same day declares the same, and one on the next day other backups alone", () => {
  const [today, again, next] = [given(), given(), given({ day: "2026-03-02" })];
  expect(synth(again.shops)).toBe(synth(today.shops));
  expect(synth(again.backups)).toBe(synth(today.backups));
  expect(synth(next.shops)).toBe(synth(today.shops));
  expect(synth(next.backups)).not.toBe(synth(today.backups));
});
