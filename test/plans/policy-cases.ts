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
