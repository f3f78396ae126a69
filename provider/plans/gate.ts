/** What of an engine's plan is not known here, by name: nobody may take it for nothing. */
import { isRecord, recordsIn, type Values } from "../contract";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Members of Terraform 1.15 and OpenTofu 1.12. */
const TERRAFORM = setOf(
  "format_version terraform_version variables planned_values resource_drift resource_changes deferred_changes deferred_action_invocations output_changes action_invocations prior_state configuration relevant_attributes checks timestamp applyable complete errored",
);
const RESOURCE = setOf(
  "address previous_address module_address mode type name index index_unknown provider_name deposed change action_reason",
);
const CHANGE = setOf(
  "actions before after after_unknown before_sensitive after_sensitive replace_paths importing generated_config before_identity after_identity",
);
const ACTION = setOf(
  "address type name config_values config_sensitive config_unknown provider_name lifecycle_action_trigger invoke_action_trigger",
);
const ACTIONS = setOf("no-op create read update delete forget");
/** Members and operations of Pulumi 3.253. */
const PREVIEW = setOf("config steps diagnostics duration changeSummary maybeCorrupt");
const STEP = setOf("op urn provider oldState newState diffReasons replaceReasons detailedDiff");
const OPERATIONS = setOf(
  "same create update delete replace create-replacement delete-replaced read read-replacement refresh discard discard-replaced remove-pending-replace import import-replacement",
);

/** What may be a change and is not known here, in the plan's own words; undefined: all is known. */
export const strangeIn = (plan: Values): string | undefined =>
  ("format_version" in plan ? strangeInTerraform(plan) : strangeInPulumi(plan)).at(0);

function strangeInTerraform(plan: Values): string[] {
  const version = plan["format_version"];
  const isKnown = typeof version === "string" && /^1\.\d+$/.test(version);
  const deferred = (name: string, inner: string): Values[] =>
    recordsIn(plan[name])
      .map((each) => each[inner])
      .filter(isRecord);
  const resources = [
    ...recordsIn(plan["resource_changes"]),
    ...recordsIn(plan["resource_drift"]),
    ...deferred("deferred_changes", "resource_change"),
  ];
  const actions = [
    ...recordsIn(plan["action_invocations"]),
    ...deferred("deferred_action_invocations", "action_invocation"),
  ];
  const outputs = isRecord(plan["output_changes"]) ? Object.entries(plan["output_changes"]) : [];
  return [
    ...(isKnown ? [] : [`format_version ${textOf(version)}`]),
    ...unknownMembers(plan, TERRAFORM),
    ...resources.flatMap(strangeInResource),
    ...actions.flatMap((each) => unknownMembers(each, ACTION)),
    ...outputs.flatMap(([name, change]) => strangeInChange(change, `output ${name}`)),
  ];
}

function strangeInResource(resource: Values): string[] {
  const at = textOf(resource["address"]);
  return [...unknownMembers(resource, RESOURCE, at), ...strangeInChange(resource["change"], at)];
}

function strangeInChange(change: unknown, at: string): string[] {
  if (!isRecord(change)) return [];
  const actions: readonly unknown[] = Array.isArray(change["actions"]) ? change["actions"] : [];
  const others = actions.filter((action) => typeof action !== "string" || !ACTIONS.has(action));
  return [
    ...others.map((action) => `action ${textOf(action)} of ${at}`),
    ...unknownMembers(change, CHANGE, at),
  ];
}

function strangeInPulumi(preview: Values): string[] {
  const counts = isRecord(preview["changeSummary"]) ? Object.keys(preview["changeSummary"]) : [];
  const isUnknown = (op: unknown): boolean => typeof op !== "string" || !OPERATIONS.has(op);
  return [
    ...unknownMembers(preview, PREVIEW),
    ...(preview["maybeCorrupt"] === true ? ["maybeCorrupt"] : []),
    ...recordsIn(preview["steps"]).flatMap((step) => {
      const at = textOf(step["urn"]);
      const op = isUnknown(step["op"]) ? [`op ${textOf(step["op"])} of ${at}`] : [];
      return [...op, ...unknownMembers(step, STEP, at)];
    }),
    ...counts.filter(isUnknown).map((op) => `op ${op}`),
  ];
}

/** A list or an object may hold changes; a word, a number or an empty one does not. */
const unknownMembers = (of: Values, known: ReadonlySet<string>, at?: string): string[] =>
  Object.entries(of)
    .filter(([name, value]) => !known.has(name) && isRecordOrList(value))
    .map(([name]) => (at === undefined ? name : `${name} of ${at}`));

const isRecordOrList = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

const NAME_LENGTH_MAX = 200;
const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value ?? null)).slice(0, NAME_LENGTH_MAX);
