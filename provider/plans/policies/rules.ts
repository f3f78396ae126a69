/** The rules: each looks at one planned object. policies/erphost.rego says the same in Rego. */
import { isAdmin, isWildcard } from "../../contract";
import { HIDDEN, type PlannedObject } from "../plan";

export interface Limits {
  readonly nowMs: number;
  readonly keyDaysMax: number;
  /** Whether an action takes a backup of the object before its update. */
  readonly isBackedUp?: (object: PlannedObject) => boolean;
}

/** Why an object breaks a rule, after its address; undefined where it keeps it. */
type Rule = (object: PlannedObject, limits: Limits) => string | undefined;
const DAY_MS = 86_400_000;

const isDestroyed = ({ action, keepsOld }: PlannedObject): boolean =>
  action === "delete" || (action === "replace" && !keepsOld);

/** Whether the object is there once the plan is applied. */
const remains = ({ action }: PlannedObject): boolean => action !== "delete" && action !== "retain";

const given = (object: PlannedObject): readonly unknown[] =>
  remains(object) ? [object.after?.["permissions"]].flat() : [];
const permissionsOf = (object: PlannedObject): readonly string[] =>
  given(object).filter((each) => typeof each === "string");

/** Nobody can judge what a plan hides. */
const hiding = (object: PlannedObject): string | undefined =>
  given(object).includes(HIDDEN)
    ? "hides what it may do: its permissions must not be sensitive"
    : undefined;

const upgradeOf = ({ after }: PlannedObject): string => {
  const hidden = ["version", "backup_before_upgrade"].find((name) => after?.[name] === HIDDEN);
  return hidden ? `hides its ${hidden}, and may be` : "is";
};

const ageMsOf = ({ before }: PlannedObject, nowMs: number): number => {
  const rotatedAt = before?.["rotated_at"];
  const ageMs = typeof rotatedAt === "string" ? nowMs - Date.parse(rotatedAt) : Number.NaN;
  return Number.isNaN(ageMs) ? 0 : ageMs;
};

/** Every rule, by the name under which it can be left out. */
export const rules = {
  "protected-destroyed": (object) =>
    object.isProtected && isDestroyed(object)
      ? `is protected${object.before?.["deletion_protection"] === HIDDEN ? ", or hides whether it is" : ""}, and the plan ${object.action}s it`
      : undefined,

  "backup-before-upgrade": (object, { isBackedUp }) =>
    object.kind === "instance" &&
    object.action === "update" &&
    (object.after?.["version"] === HIDDEN ||
      object.changes.some(({ path }) => path === "version")) &&
    object.after?.["backup_before_upgrade"] !== true &&
    isBackedUp?.(object) !== true
      ? `${upgradeOf(object)} upgraded without a backup: set backup_before_upgrade to true`
      : undefined,

  "old-key": (object, { nowMs, keyDaysMax }) => {
    const isKept = ["none", "update", "import"].includes(object.action);
    if (isKept && object.before?.["rotated_at"] === HIDDEN) return "hides how old its secret is";
    return isKept && ageMsOf(object, nowMs) > keyDaysMax * DAY_MS
      ? `has had its secret for more than ${keyDaysMax} days, and the plan does not rotate it`
      : undefined;
  },

  "admin-key": (object) =>
    permissionsOf(object).some(isAdmin) ? "is a key with the level admin" : hiding(object),

  "wildcard-scope": (object) => {
    const wide = permissionsOf(object).filter(isWildcard);
    return wide.length > 0 ? `is a key with ${wide.join(", ")}: name each scope` : hiding(object);
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof rules;
