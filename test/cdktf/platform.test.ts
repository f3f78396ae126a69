/** The example examples/cdktf-platform, tested as its users would test it. */
import { expect, test } from "@jest/globals";
import { Testing } from "cdktf";
import * as bindings from "../../cdktf-bindings";
import { expectStack } from "../../cdktf-bindings/testing";
import { Keys, Shops } from "../../examples/cdktf-platform/platform";

const { ApiKey, BackupSchedule, ErphostStage, Instance, ProtectFromDeletion } = bindings;
const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

const given = ({ version = "17.0", isProtected = true, day = "2026-03-01" } = {}) => {
  const aspects = isProtected ? [new ProtectFromDeletion()] : [];
  const stage = new ErphostStage(Testing.app(), "production", { aspects });
  const names = ["berlin", "paris", "rome", "oslo", "vienna"];
  const shops = new Shops(stage, { shops: names, version, now: new Date(`${day}T12:00:00Z`) });
  return { shops, keys: new Keys(stage, { shops, recipient: RECIPIENT }) };
};

test("the platform's shops have the release, a daily backup, and waves that begin with one canary", () => {
  const { shops } = given();
  for (const [shop, instance] of Object.entries(shops.fleet.instances)) {
    expectStack(shops).toDeclare(Instance, { version: "17.0", name: `production-${shop}` });
    expectStack(shops).toDeclare(BackupSchedule, { instance });
  }
  expect(shops.fleet.waves).toEqual([["berlin"], ["paris", "rome"], ["oslo", "vienna"]]);
});

test("the platform's pipeline may deploy its shops, and delete them only where they are not protected", () => {
  const needed = [
    ...["servers:read", "servers:write", "instances:read", "instances:write"],
    ...["backups:read", "backups:write"],
  ] as bindings.Scope[];
  const { shops, keys } = given();
  expectStack(shops).toNeedScopes(needed);
  expectStack(keys).toDeclare(ApiKey, { permissions: needed, recipient: RECIPIENT });
  expectStack(given({ isProtected: false }).shops).toNeedScopes([
    ...needed,
    "servers:delete",
    "instances:delete",
  ]);
});

test("another run of the platform on the same day plans nothing, and one on the next plans backups alone", () => {
  expectStack(given().shops).toPlanNothingAfter(given().shops);
  const next = () => {
    expectStack(given({ day: "2026-03-02" }).shops).toPlanNothingAfter(given().shops);
  };
  expect(next).toThrow(/erphost_backup\.berlin-daily would change: triggers/);
  expect(next).not.toThrow(/erphost_(?:instance|server)/);
});
