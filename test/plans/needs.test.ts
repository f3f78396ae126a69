/** What applying a plan takes, where the plan itself does not show all that is read. */
import { expect, test } from "@jest/globals";
import { summaryIn } from "../../cli/pipeline/review";

function scopesOf(type: string, change: object): string[] {
  const resource_changes = [{ address: "it", type, change }];
  const { scopes } = summaryIn(JSON.stringify({ format_version: "1.2", resource_changes }), "prod");
  return scopes.map(({ scope }) => scope);
}

test("a backup before an upgrade is read as well, until it is complete", () => {
  const upgrade = (backup_before_upgrade: boolean): string[] => {
    const [before, after] = ["17.0", "18.0"].map((version) => ({ version, backup_before_upgrade }));
    return scopesOf("erphost_instance", { actions: ["update"], before, after });
  };
  const backups = ["backups:read", "backups:write"];
  expect(upgrade(true)).toEqual([...backups, "instances:read", "instances:write"]);
  expect(upgrade(false)).toEqual(["instances:read", "instances:write"]);
});

test("a rotation of a key that was made elsewhere reads the list of keys", () => {
  const change = { actions: ["create"], before: null, after: { key_id: "key_1" } };
  expect(scopesOf("erphost_api_key_rotation", change)).toEqual(["api-keys:read", "api-keys:write"]);
});
