/** Reads `terraform show -json` and `tofu show -json` of a saved plan. */
import * as z from "zod";
import { isRecord, recordsIn, resources, type Contract, type Values } from "../contract";
import { kinds, type Kind } from "../resources";
import { changesAt, differing, openSides, type Path } from "./fields";
import { marked, plannedObject, type Step } from "./object";
import { HIDDEN, UNKNOWN_VALUE, type Drift, type FieldChange, type Invocation } from "./plan";
import type { OtherChange, OtherDrift, Plan, PlannedObject } from "./plan";

const changeSchema = z.object({
  /** All that `gate.ts` lets through. */
  actions: z.array(z.enum(["no-op", "create", "read", "update", "delete", "forget"])),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  after_unknown: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
  replace_paths: z.array(z.array(z.union([z.string(), z.number()]))).optional(),
  importing: z.unknown().optional(),
  before_identity: z.unknown().optional(),
});
const resourceSchema = z.object({
  address: z.string(),
  mode: z.string().optional(),
  type: z.string(),
  provider_name: z.string().optional(),
  previous_address: z.string().optional(),
  deposed: z.string().optional(),
  action_reason: z.string().optional(),
  change: changeSchema,
});
export type ResourceChange = z.output<typeof resourceSchema> & Declared;

const invocationSchema = z.object({
  address: z.string(),
  type: z.string(),
  provider_name: z.string().optional(),
  config_values: z.unknown().optional(),
  config_unknown: z.unknown().optional(),
  config_sensitive: z.unknown().optional(),
  lifecycle_action_trigger: z
    .object({
      triggering_resource_address: z.string(),
      action_trigger_event: z.string(),
      action_trigger_block_index: z.number().optional(),
      actions_list_index: z.number().optional(),
    })
    .optional(),
});
export type ActionInvocation = z.output<typeof invocationSchema> & Declared;

const checkSchema = z.object({
  address: z.object({ to_display: z.string() }),
  status: z.string(),
  instances: z
    .array(z.object({ problems: z.array(z.object({ message: z.string() })).default([]) }))
    .default([]),
});

/** Where the program puts an object or an action, and what it sets there; nothing of what is gone from it. */
interface Declared extends Pick<PlannedObject, "provider"> {
  readonly sets?: ReadonlySet<string>;
}

/** Only what is read; a plan holds its variables and the values of outputs, too, in plain text. */
const planSchema = z.object({
  errored: z.boolean().optional(),
  /** Terraform's; OpenTofu says nothing of it. */
  complete: z.boolean().optional(),
  resource_changes: z.array(resourceSchema).default([]),
  resource_drift: z.array(resourceSchema).default([]),
  action_invocations: z.array(invocationSchema).default([]),
  deferred_changes: z.array(z.object({ resource_change: resourceSchema })).default([]),
  deferred_action_invocations: z
    .array(z.object({ action_invocation: invocationSchema }))
    .default([]),
  checks: z.array(checkSchema).default([]),
  output_changes: z.record(z.string(), z.object({ actions: z.array(z.string()) })).default({}),
  prior_state: z.unknown().optional(),
  configuration: z.unknown().optional(),
});
export const terraformSchema = planSchema.transform((plan) => {
  const declared = declaredIn(plan.configuration);
  const withDeclared = <T extends { readonly address: string }>(each: T): T & Declared => ({
    ...each,
    ...declared.get(declaredAt(each.address)),
  });
  return {
    ...plan,
    resource_changes: plan.resource_changes.map(withDeclared),
    action_invocations: plan.action_invocations.map(withDeclared),
  };
});

export type TerraformPlan = z.output<typeof terraformSchema>;

/** What the engine says that forces a replacement where no field does. */
const REASONS: Readonly<Record<string, string>> = {
  replace_because_tainted: "tainted by a create that failed, or by hand",
  replace_by_request: "asked for with -replace",
  replace_by_triggers: "replace_triggered_by",
};

export function fromTerraform(contract: Contract, plan: TerraformPlan): Plan {
  const others: OtherChange[] = [];
  const objects = plan.resource_changes.flatMap((resource) => {
    if (resource.mode === "data") return [];
    const kind = kindOf(resource);
    if (kind !== undefined) return [plannedObject(contract, stepOf(kind, resource))];
    const action = doesOf(resource.change);
    const [isImported, changes] = [isRecord(resource.change.importing), changesOf(resource)];
    const { provider } = resource;
    if (action !== "none")
      others.push({ address: addressOf(resource), provider, action, isImported, changes });
    return [];
  });
  const later = [
    ...plan.deferred_changes.map(({ resource_change: resource }) => {
      return { address: addressOf(resource), action: doesOf(resource.change) };
    }),
    ...plan.deferred_action_invocations.map(({ action_invocation: { address } }) => {
      return { address, action: "invoke" };
    }),
  ];
  return {
    engine: "terraform",
    stack: undefined,
    isComplete: gapIn(plan) === undefined,
    gap: gapIn(plan),
    invocations: plan.action_invocations.map(invocationOf),
    deferred: later.map(({ address }) => address),
    later,
    moves: plan.resource_changes.flatMap(({ address: to, previous_address: from }) =>
      from === undefined ? [] : [{ from, to }],
    ),
    failedChecks: plan.checks
      .filter(({ status }) => status === "fail" || status === "error")
      .map(({ address, instances }) => ({
        address: address.to_display,
        problems: instances.flatMap(({ problems }) => problems.map(({ message }) => message)),
      })),
    objects,
    drift: plan.resource_drift.flatMap(driftOf),
    unnamedDrift: 0,
    others,
    otherDrift: plan.resource_drift.flatMap(otherDriftOf),
    changesState: changesState(plan),
    lookups: lookupsOf(plan),
  };
}

/** What is deferred is shown by itself. */
function gapIn(plan: TerraformPlan): string | undefined {
  if (plan.errored === true) return "errored";
  const deferred = plan.deferred_changes.length + plan.deferred_action_invocations.length;
  return plan.complete === false && deferred === 0 ? "complete: false" : undefined;
}

const changesState = (plan: TerraformPlan): boolean =>
  Object.values(plan.output_changes).some(({ actions }) => actions.join() !== "no-op") ||
  // A `moved` block that is removed before it was applied means another object.
  plan.resource_changes.some(({ previous_address: previous }) => previous !== undefined);

/** Ours, from whichever registry it comes. */
const isOurs = ({
  provider_name: provider = "erphost/erphost",
}: Pick<ResourceChange, "provider_name">): boolean => /(?:^|\/)erphost\/erphost$/.test(provider);

function kindOf(resource: ResourceChange): Kind | undefined {
  const name = resource.type.replace(/^erphost_/, "");
  const isNamed = isOurs(resource) && name !== resource.type && Object.hasOwn(kinds, name);
  return isNamed ? kinds[name] : undefined;
}

function invocationOf(action: ActionInvocation): Invocation {
  const values = marked(action.config_values, action.config_unknown, UNKNOWN_VALUE);
  return {
    address: action.address,
    provider: action.provider,
    type: isOurs(action) ? action.type : undefined,
    trigger: triggerOf(action),
    values: valuesOf(marked(values, action.config_sensitive, HIDDEN)) ?? {},
  };
}

/** What invokes an action, in the words of a program; undefined for a person. */
export function triggerOf({ lifecycle_action_trigger: by }: ActionInvocation): string | undefined {
  if (by === undefined) return undefined;
  const event = by.action_trigger_event.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
  return `${event} of ${by.triggering_resource_address}`;
}

function doesOf({ actions, importing }: ResourceChange["change"]): Step["does"] {
  const has = (action: (typeof actions)[number]): boolean => actions.includes(action);
  if (has("create")) return has("delete") || has("forget") ? "replace" : "create";
  if (has("delete")) return "delete";
  if (has("forget")) return "forget";
  if (has("update")) return "update";
  return isRecord(importing) ? "import" : "none";
}

/** As people are shown an object: one that a replacement left to be deleted has a name of its own. */
export const addressOf = (of: Pick<ResourceChange, "address" | "deposed">): string =>
  of.deposed === undefined ? of.address : `${of.address} (deposed ${of.deposed})`;

function stepOf(kind: Kind, resource: ResourceChange): Step {
  const { change, action_reason: reason = "", sets, provider } = resource;
  const { actions, replace_paths: paths = [] } = change;
  const fields = paths.map((path) => path.join("."));
  const words = REASONS[reason];
  const { before, after, changed } = sidesOf(change);
  return {
    address: addressOf(resource),
    provider,
    kind,
    does: doesOf(change),
    before,
    after: after && withoutChosen(after, sets),
    changed: changed.filter(
      ([name = ""]) => after?.[name] !== UNKNOWN_VALUE || sets?.has(name) !== false,
    ),
    forcedBy: fields.length > 0 ? fields : words === undefined ? [] : [words],
    isImported: isRecord(change.importing),
    isCreatedFirst: actions[0] === "create",
    isRetained: actions.includes("forget"),
  };
}

/** Both sides with their marks. What differs is found before sensitive values are marked. */
function sidesOf(change: ResourceChange["change"]): Pick<Step, "before" | "after" | "changed"> {
  const before = valuesOf(change.before);
  const after = valuesOf(marked(change.after, change.after_unknown, UNKNOWN_VALUE));
  return {
    before: before && valuesOf(marked(before, change.before_sensitive, HIDDEN)),
    after: isRecord(change.after)
      ? valuesOf(marked(after, change.after_sensitive, HIDDEN))
      : undefined,
    changed: withWritten(differing({ before, after })),
  };
}

/** What another provider's object gets; what only the apply tells of a new one says nothing. */
function changesOf({ change }: ResourceChange): FieldChange[] {
  const { before, after, changed } = sidesOf(change);
  if (after === undefined) return [];
  const paths = before ? changed : changed.filter(([name = ""]) => after[name] !== UNKNOWN_VALUE);
  return changesAt(paths, openSides(undefined, { before, after }));
}

/** A plan holds no write-only values: their version says that they are sent again. */
const withWritten = (changed: readonly Path[]): readonly Path[] =>
  changed.some(([name]) => name === "secret_properties_wo_version")
    ? [...changed, ["secret_properties"]]
    : changed;

const valuesOf = (value: unknown): Values | undefined => (isRecord(value) ? value : undefined);

/** What differs in the service. Engines list an object, too, whose numbers only look different. */
function driftOf(resource: ResourceChange): Drift[] {
  const kind = kindOf(resource);
  const what = driftedTo(resource);
  if (kind === undefined || what === undefined) return [];
  const { changed, ...sides } = sidesOf(resource.change);
  const id = sides.before?.["id"];
  return [
    {
      address: resource.address,
      kind: kind.name,
      id: typeof id === "string" ? id : undefined,
      what,
      changes: what === "gone" ? [] : changesAt(changed, openSides(kind, sides)),
    },
  ];
}

function otherDriftOf(resource: ResourceChange): OtherDrift[] {
  if (resource.mode === "data" || kindOf(resource) !== undefined) return [];
  const what = driftedTo(resource);
  return what === undefined ? [] : [{ address: addressOf(resource), what }];
}

function driftedTo({ change }: ResourceChange): Drift["what"] | undefined {
  if (doesOf(change) === "delete") return "gone";
  return sidesOf(change).changed.length > 0 ? "changed" : undefined;
}

/** Resources of the contract that data sources list: those to be read, and those that were. */
function lookupsOf(plan: TerraformPlan): string[] {
  const before = resourcesIn(plan.prior_state).map(([, resource]) => resource);
  const read = [...plan.resource_changes, ...before].filter(({ mode }) => mode === "data");
  const types = new Set<unknown>(read.map(({ type }) => type));
  return Object.values(resources)
    .filter(({ name, plural }) => types.has(`erphost_${name}`) || types.has(`erphost_${plural}`))
    .map(({ name }) => name);
}

/** Modules nest; deeper ones than that are nobody's. */
const DEPTH_MAX = 64;

/** Of a state or a configuration, with what addresses in the latter's module begin with. */
function resourcesIn(of: unknown, prefix = "", depth = 0): (readonly [string, Values])[] {
  if (!isRecord(of) || depth > DEPTH_MAX) return [];
  const { values, root_module: root, child_modules: children, module_calls: calls } = of;
  const own = [...recordsIn(of["resources"]), ...recordsIn(of["actions"])];
  const inner = [values, root, ...recordsIn(children)];
  const called = Object.entries(isRecord(calls) ? calls : {}).flatMap(([name, call]) =>
    resourcesIn(isRecord(call) && call["module"], `${prefix}module.${name}.`, depth + 1),
  );
  return [
    ...own.map((each) => [prefix, each] as const),
    ...inner.flatMap((each) => resourcesIn(each, prefix, depth + 1)),
    ...called,
  ];
}

/** By addresses without indexes. */
const declaredIn = (configuration: unknown): ReadonlyMap<string, Declared> =>
  new Map(
    resourcesIn(configuration).map(([prefix, each]) => {
      const { address, expressions, provider_config_key: key } = each;
      const sets = new Set(isRecord(expressions) ? Object.keys(expressions) : []);
      const provider = typeof key === "string" && /[.:]/.test(key) ? key : undefined;
      return [`${prefix}${String(address)}`, { sets, provider }];
    }),
  );

/** Without what nobody sets, and the service chooses. @param names undefined: not known */
const withoutChosen = (values: Values, names: ReadonlySet<string> | undefined): Values =>
  names === undefined
    ? values
    : Object.fromEntries(
        Object.entries(values).filter(
          ([name, value]) => value !== UNKNOWN_VALUE || names.has(name) || name === "id",
        ),
      );

const declaredAt = (address: string): string =>
  address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "");
