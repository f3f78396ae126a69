/** Sums plans up. Pure. */
import { allows, camel, maskSecrets, type AuthView, type Contract } from "../../provider/contract";
import { ACTIONS, changesAnything, needsOf, pacesOf, placed } from "../../provider/plans";
import { risksOf, valueText, type FieldChange, type Hide } from "../../provider/plans";
import type { Plan, PlannedObject } from "../../provider/plans";
import { resetMs } from "../account/limits";
import { hidingValues } from "../pipeline/comment/engine-text";
import { isoSeconds } from "../text";
import type { ChangeSummary, ObjectSummary, PlanSummary, Summary } from "./schema";

export interface GivenPlan {
  readonly file: string;
  readonly plan: Plan;
  /** Values that the plan calls sensitive: others may hold them. */
  readonly secrets: ReadonlySet<string>;
}

/** What the plans do and take, without what a key can do. */
export function summaryOf(contract: Contract, given: readonly GivenPlan[]): Summary {
  const plans = given.map(({ plan }) => plan);
  const { scopes, calls } = needsOf(contract, plans);
  return {
    version: 1,
    changes: plans.some(changesAnything),
    drift: plans.some(({ drift, unnamedDrift }) => drift.length + unnamedDrift > 0),
    plans: given.map((one) => {
      const hide = hidingValues(one.secrets);
      return withoutSecrets(planSummary(one, hide), hide);
    }),
    scopes,
    calls,
    paces: pacesOf(calls.writes + calls.reads).map(({ names, perHour, waitMs }) => ({
      names: [...names],
      perHour: perHour ?? null,
      waitSeconds: waitMs / 1_000,
    })),
    key: null,
  };
}

/** Names and addresses are texts of somebody's, as values are. */
const withoutSecrets = (summary: PlanSummary, hide: Hide): PlanSummary =>
  // Its texts stay texts, and nothing else changes.
  JSON.parse(JSON.stringify(summary), (name, value: unknown) =>
    typeof value === "string" && !OWN.has(name) ? maskSecrets(hide(value), "(secret)") : value,
  ) as PlanSummary;

/** Members with words of our own, which a secret may be as well. */
const OWN = new Set(["engine", "action", "kind", "what"]);

function planSummary({ file, plan }: GivenPlan, hide: Hide): PlanSummary {
  const { engine, objects } = plan;
  return {
    file,
    engine,
    stack: plan.stack ?? null,
    complete: plan.isComplete,
    gap: plan.gap ?? null,
    counts: Object.fromEntries(
      ACTIONS.map((action) => [action, objects.filter((one) => one.action === action).length]),
    ),
    objects: objects
      .filter(({ action, endsProtection }) => action !== "none" || endsProtection)
      .map((object) => objectSummary(engine, object, hide)),
    drift: plan.drift.map(({ address, kind, id, what, changes }) => ({
      address,
      kind,
      id: id ?? null,
      changes: changes.map((change) => changeSummary(engine, change, hide)),
      what,
    })),
    unnamedDrift: plan.unnamedDrift,
    others: plan.others.map(({ action, isImported: imported, changes, ...of }) => ({
      ...{ address: placed(of), action, imported },
      // Their names are the engine's, and stay as they are.
      changes: changes.map((change) => changeSummary("terraform", change, hide)),
    })),
    otherDrift: [...plan.otherDrift],
    invocations: plan.invocations.map(({ trigger: by = null, ...of }) => {
      return { address: placed(of), trigger: by };
    }),
    deferred: [...plan.deferred],
    later: [...plan.later],
    moves: [...plan.moves],
    failedChecks: plan.failedChecks.map((each) => ({ ...each, problems: [...each.problems] })),
    changesState: plan.changesState,
  };
}

function objectSummary(engine: Plan["engine"], object: PlannedObject, hide: Hide): ObjectSummary {
  const { kind, id = null, name = null, action, rotation } = object;
  return {
    ...{ address: placed(object), kind, id, name, action },
    changes: object.changes.map((change) => changeSummary(engine, change, hide)),
    forcedBy: object.forcedBy.map((field) => fieldName(engine, field)),
    createdFirst: object.isCreatedFirst ?? null,
    keepsOld: object.keepsOld,
    imported: object.isImported,
    protected: object.isProtected,
    endsProtection: object.endsProtection,
    rotation: rotation
      ? { oldKey: rotation.oldKey ?? null, gracePeriod: rotation.gracePeriod ?? null }
      : null,
    risks: risksOf(object).map(({ what, values }) => ({ what, values: [...values] })),
    references: PARENTS.flatMap((name) => {
      const parent = (object.after ?? object.before)?.[name];
      return typeof parent === "string" ? [parent] : [];
    }),
  };
}

/** Fields with the id of what an object belongs to. */
const PARENTS = ["server_id", "instance_id"];

const changeSummary = (
  engine: Plan["engine"],
  { path, before, after }: FieldChange,
  hide: Hide,
): ChangeSummary => ({
  field: fieldName(engine, path),
  before: valueText(before, hide) ?? null,
  after: valueText(after, hide) ?? null,
  ...elementsOf([before, after], hide),
});

/** What a list gets and loses. Its order is seen in its two sides. */
function elementsOf(sides: readonly unknown[], hide: Hide): Partial<ChangeSummary> {
  const lists = sides.map((side) => side ?? []);
  if (!lists.every((list) => Array.isArray(list))) return {};
  const [old = [], next = []] = lists.map((list) =>
    list.map((each: unknown) => valueText(each, hide) ?? "null"),
  );
  const [was, is] = [new Set(old), new Set(next)];
  return { added: next.filter((one) => !was.has(one)), removed: old.filter((one) => !is.has(one)) };
}

/** `server_id` in Terraform, `serverId` in Pulumi; members of free maps keep their names. */
function fieldName(engine: Plan["engine"], path: string): string {
  if (engine === "terraform") return path;
  const [head = "", ...rest] = path.split(".");
  return [/\s/.test(head) ? head : camel(head), ...rest].join(".");
}

/** The summary with what the key of the apply may do of it, and whether its quota is enough. */
export function withKey(summary: Summary, { keyId, permissions, rateLimit }: AuthView): Summary {
  const { scopes, calls } = summary;
  const missingScopes = scopes
    .map(({ scope }) => scope)
    .filter((scope) => !allows(permissions, scope));
  return {
    ...summary,
    key: {
      id: keyId,
      missingScopes,
      remaining: rateLimit?.remaining ?? null,
      limit: rateLimit?.limit ?? null,
      resetsAt: rateLimit ? isoSeconds(resetMs(rateLimit.reset)) : null,
      enough: rateLimit ? rateLimit.remaining >= calls.writes + calls.reads : null,
    },
  };
}
