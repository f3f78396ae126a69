/** Plans that nobody may take for whole ones, as real engines made them; and what applying one takes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { changesOf } from "../../cli/pipeline/changes";
import { summaryIn } from "../../cli/pipeline/review";
import { checkPlan } from "../../provider/plans/policies";

const recorded = (name: string): string =>
  readFileSync(join(__dirname, "recorded", `${name}.json`), "utf8");
const ACTIONS = recorded("gate/terraform-actions");
const TOFU = recorded("tofu-plan");
const PULUMI = recorded("pulumi-plugin-plan");

const withMore = (json: string, more: object): string =>
  JSON.stringify({ ...(JSON.parse(json) as object), ...more });

const UPDATE = '"actions":["update"]';
/** The plan with a member more, after this one. */
const actionsWith = (member: string, after: string): string =>
  ACTIONS.replace(after, `${after},${member}`);

const later = [{ address: "aws_vpn.new", change: { actions: ["create"] } }];
const WEB = "erphost_server.web";

describe("a plan that is not whole", () => {
  test.each([
    ["terraform-errored", "(errored)"],
    ["terraform-in-part", "(complete: false)"],
    ["pulumi-errored", "(an error in its diagnostics)"],
  ])("%s is refused with the word that says so", (name, why) => {
    const says = `The engine's plan of prod is not whole ${why}`;
    expect(() => summaryIn(recorded(`gate/${name}`), "prod")).toThrow(says);
  });

  test("what Terraform leaves to a later plan is shown, and no reason to refuse the rest", () => {
    const change = { address: "aws_vpn.new", type: "aws_vpn", change: { actions: ["create"] } };
    const deferred_changes = [{ reason: "instance_count_unknown", resource_change: change }];
    const json = withMore(ACTIONS, { complete: false, deferred_changes });
    expect(summaryIn(json, "prod").plans[0]?.deferred).toEqual(["aws_vpn.new"]);
  });
});

describe("what an engine plans that is not known", () => {
  test.each([
    ["another major version", withMore(TOFU, { format_version: "2.0" }), "format_version 2.0"],
    ["a version before the first", withMore(TOFU, { format_version: "0.2" }), "format_version 0.2"],
    ["a member of the plan", withMore(ACTIONS, { peering_changes: later }), "peering_changes"],
    ["an action", TOFU.replace(UPDATE, '"actions":["migrate"]'), "action migrate of erphost_"],
    ["a member of a change", actionsWith('"then":{"delete":true}', UPDATE), `then of ${WEB}`],
    ["a member of an action", actionsWith('"also":["stop"]', '"config_unknown":{}'), "also"],
    ["a member of an object", actionsWith('"moves":[1]', '"mode":"managed"'), `moves of ${WEB}`],
    ["an operation", PULUMI.replace('"op":"update"', '"op":"adopt"'), "op adopt of urn:pulumi:"],
    ["a member of a preview", withMore(PULUMI, { invocations: later }), "invocations"],
    ["a state that may be damaged", withMore(PULUMI, { maybeCorrupt: true }), "maybeCorrupt"],
  ])("%s is refused by its name by summaries, policies and applies", (_, json, name) => {
    const says = `this version cannot read; its engine may be newer: ${name}`;
    expect(() => summaryIn(json, "prod")).toThrow(says);
    expect(() => changesOf(json)).toThrow(says);
    expect(() => checkPlan(json, { nowMs: 0 })).toThrow(says);
  });

  test("words and empty lists hold no change", () => {
    const json = withMore(ACTIONS, { note: "new", applied: false, later_changes: [], more: {} });
    expect(changesOf(json)).toEqual(changesOf(ACTIONS));
  });
});

test("an action is a change of its own, in the words of the engine that planned it", () => {
  expect(changesOf(ACTIONS).map(({ address, does }) => [address, does])).toEqual([
    [WEB, "update"],
    [`action.erphost_backup.before (before_update of ${WEB})`, "invoke 0 0"],
  ]);
  expect(summaryIn(ACTIONS, "prod").plans[0]?.invocations).toMatchObject([
    { address: "action.erphost_backup.before" },
  ]);
});

/** What applying a plan takes, where the plan itself does not show all that is read. */
const takenBy = (type: string, change: object) =>
  summaryIn(
    JSON.stringify({ format_version: "1.2", resource_changes: [{ address: "it", type, change }] }),
    "prod",
  );
const scopesOf = (type: string, change: object): string[] =>
  takenBy(type, change).scopes.map(({ scope }) => scope);

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

test.each([
  ["alone", {}, 1],
  ["and an edit", { name: "b" }, 2],
])(
  "a rotation that is due %s is a call that needs its scope, though no program sets it",
  (_, edit, writes) => {
    const before = { id: "key_1", name: "a", permissions: ["read"], rotation_due: true };
    const change = {
      ...{ actions: ["update"], before, after: { ...before, ...edit } },
      after_unknown: { rotation_due: true, value: true },
    };
    const taken = takenBy("erphost_api_key", change);
    expect(taken).toMatchObject({ plans: [{ counts: { rotate: 1 } }], calls: { writes } });
    expect(scopesOf("erphost_api_key", change)).toContain("api-keys:write");
  },
);
