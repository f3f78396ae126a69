/** One table of cases for the rules as functions and as Rego; `npm run plans:record` records the plans. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RuleName } from "../../provider/plans/policies";

export interface PolicyCase {
  readonly rule: RuleName;
  /** Last part of the address of the object that breaks it. */
  readonly object: string;
  readonly engine: "terraform" | "pulumi-plugin";
}

const OBJECTS: readonly (readonly [rule: RuleName, object: string])[] = [
  ["protected-destroyed", "web"],
  ["backup-before-upgrade", "erp"],
  ["old-key", "ci"],
  ["admin-key", "boss"],
  ["wildcard-scope", "ci"],
];

export const CASES: readonly PolicyCase[] = OBJECTS.flatMap(([rule, object]) =>
  (["terraform", "pulumi-plugin"] as const).map((engine) => ({ rule, object, engine })),
);

/** Long after the plans were made, which was in 2025 by the service's clock. */
export const NOW_MS = Date.parse("2026-06-01T00:00:00Z");

export const policyFile = ({ rule, engine }: PolicyCase, state: "broken" | "mended"): string =>
  join(__dirname, "recorded", "policies", `${rule}-${state}-${engine}.json`);

export const recordedPolicy = (one: PolicyCase, state: "broken" | "mended"): string =>
  readFileSync(policyFile(one, state), "utf8");

/** Plans that an engine could not finish. */
export const UNFINISHED: readonly (readonly [what: string, plan: string])[] = [
  ["a plan that ended early", '{"format_version":"1.2","resource_changes":[],"errored":true}'],
  ["a preview that failed", '{"steps":[],"diagnostics":[{"severity":"error"}]}'],
  ["one without steps", '{"changeSummary":{"same":1},"diagnostics":[{"severity":"error"}]}'],
];

function updating(of: object, kind = "api_key"): string {
  const before = { deletion_protection: false, rotated_at: "2126-05-31T00:00:00Z", version: "1" };
  const after = { permissions: ["read"], version: "1" };
  const change = { actions: ["update"], before, after, ...of };
  const resource_changes = [{ address: "a", type: `erphost_${kind}`, change }];
  return JSON.stringify({ format_version: "1.2", resource_changes });
}
const previewed = (type: string, ...steps: readonly object[]): string => {
  const urn = `urn:pulumi:dev::shop::erphost:index:${type}::a`;
  return JSON.stringify({ steps: steps.map((step) => ({ ...step, urn })) });
};
const gone = { actions: ["delete"], after: null };
const [oldState, newState] = [{ id: "x_1", delete: true }, { inputs: { permissions: ["admin"] } }];
const left = { op: "delete-replaced", oldState };
const replaced = ["replace", "create-replacement"].map((op) => ({ op, oldState, newState }));
const upgraded = { inputs: { version: "[secret]" } };
const secret = { op: "update", oldState: upgraded, newState: upgraded };
const all = { permissions: true };

/** What is easily missed, and the rules that it breaks. */
export const HARD: readonly (readonly [string, string, readonly RuleName[]])[] = [
  ["hidden permissions", updating({ after_sensitive: all }), ["admin-key", "wildcard-scope"]],
  [
    "a hidden permission",
    updating({ after_sensitive: { permissions: [true] } }),
    ["admin-key", "wildcard-scope"],
  ],
  [
    "a plan with -target",
    updating({ after: { permissions: ["admin"] } }).replace("{", '{"complete":false,'),
    ["admin-key"],
  ],
  ["hidden absence", updating({ after: { permissions: null }, after_sensitive: all }), []],
  [
    "a hidden version",
    updating({ after_sensitive: { version: true } }, "instance"),
    ["backup-before-upgrade"],
  ],
  [
    "a hidden backup",
    updating(
      {
        after: { version: "2", backup_before_upgrade: true },
        after_sensitive: { backup_before_upgrade: true },
      },
      "instance",
    ),
    ["backup-before-upgrade"],
  ],
  ["a hidden version in Pulumi", previewed("Instance", secret), ["backup-before-upgrade"]],
  ["a hidden age", updating({ before_sensitive: { rotated_at: true } }), ["old-key"]],
  [
    "hidden protection",
    updating({ ...gone, before_sensitive: { deletion_protection: true } }),
    ["protected-destroyed"],
  ],
  [
    "what an earlier replacement left, with --refresh",
    previewed("Server", { op: "refresh", oldState: { ...oldState, protect: true } }),
    ["protected-destroyed"],
  ],
  [
    "what comes after the deletion of something left",
    previewed("ApiKey", left, { op: "update", oldState: {}, newState }),
    ["admin-key"],
  ],
  ["a replacement that deletes first", previewed("ApiKey", left, ...replaced), ["admin-key"]],
];

const ERP = { instance: "erp" } as const;

/** Plans that upgrade an instance after an action, and whether that is its backup. */
export const BACKED_UP: readonly (readonly [what: string, is: boolean, plan: string])[] = (
  [
    ["by its name", true, ERP, {}],
    ["by its id", true, { instance_id: "ins_1" }, {}],
    ["of another instance", false, { instance: "shop" }, {}],
    ["of a server of that name", false, { server: "erp" }, {}],
    ["after it", false, ERP, { action_trigger_event: "AfterUpdate" }],
    ["of another's update", false, ERP, { triggering_resource_address: "erphost_instance.x" }],
  ] as const
).map(([what, is, config_values, more]) => {
  const one = { rule: "backup-before-upgrade", engine: "terraform", object: "erp" } as const;
  const invocation = {
    address: "action.erphost_backup.before",
    type: "erphost_backup",
    config_values,
    lifecycle_action_trigger: {
      triggering_resource_address: "erphost_instance.erp",
      action_trigger_event: "BeforeUpdate",
      ...more,
    },
  };
  const plan = JSON.parse(recordedPolicy(one, "broken")) as object;
  return [what, is, JSON.stringify({ ...plan, action_invocations: [invocation] })];
});
