/**
 * `erphost/policies`: rules about plans, as functions. They need no engine and call nothing, and a
 * Pulumi policy pack can use them as well as a script over a plan's JSON.
 */
import "../../start/node";
import { InvalidInput, resolveContract, stated, type Profile, type Values } from "../../contract";
import { UNKNOWN_VALUE, type Invocation, type Plan, type PlannedObject } from "../plan";
import { kindOfType, inContract } from "../pulumi";
import { planOf, readPlan } from "../read";
import { rules, type Limits, type RuleName } from "./rules";

export type { FieldChange, Plan, PlannedObject } from "../plan";
export type { RuleName } from "./rules";
export { InvalidInput } from "../../contract";

/** What a plan or a program breaks. */
export interface Violation {
  readonly rule: RuleName;
  /** The object, as its engine shows it. */
  readonly address: string;
  /** What is wrong with it: the sentence without the object and its full stop. */
  readonly why: string;
  /** A whole sentence that holds no secret. */
  readonly text: string;
}

export interface PolicyOptions {
  /** Only these rules; default: all. */
  readonly rules?: readonly RuleName[] | undefined;
  /** Oldest secret of a key, in days: a positive number, default 90. */
  readonly keyDaysMax?: number | undefined;
  /** What the service does otherwise than assumed, which decides what a delete does. */
  readonly profile?: Profile | undefined;
  /** Milliseconds since 1970, by which the age of keys is measured. */
  readonly nowMs: number;
}

/** What a rule of one's own says of an object, or of whatever it names. */
export interface Finding {
  readonly address: string;
  /** What is wrong with it: the sentence without the object and its full stop. */
  readonly why: string;
}

/** A rule of one's own, for `erphost pipeline --rules`. */
export interface OwnRule {
  /** `warn` is only shown; `refuse` stops plan and apply. */
  readonly level: "warn" | "refuse";
  /**
   * What breaks it; an empty list where nothing does. A value that is secret is the text `(secret)`,
   * and one that is not known yet `(known after apply)`.
   */
  readonly check: (plan: Plan) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** What such a module exports as `rules`: each rule by its name. */
export type Rules = Readonly<Record<string, OwnRule>>;

export const ruleNames: readonly RuleName[] = Object.keys(rules) as RuleName[]; // Of that very object.

const KEY_DAYS_MAX = 90;

/**
 * What a plan breaks.
 * @param plan what `terraform show -json`, `tofu show -json` or `pulumi preview --json` printed: the
 *   text, or the JSON. Pulumi shows unchanged objects, and so old keys, only with `--show-sames`.
 * @throws InvalidInput where it is not a plan, or its engine could not finish it
 */
export function checkPlan(plan: unknown, options: PolicyOptions): Violation[] {
  const checked = read(options);
  const contract = resolveContract(options.profile);
  const reading = typeof plan === "string" ? readPlan(plan, contract) : planOf(plan, contract);
  if ("fault" in reading) {
    throw new InvalidInput("policies", [{ ...reading.fault, path: ["plan"] }]);
  }
  const { objects, invocations, gap } = reading.plan;
  // Of a plan with -target, what is in it can be judged.
  if (gap !== undefined && gap !== "complete: false") {
    throw stated("policies", ["plan"], `is not finished: ${gap}`);
  }
  const isBackedUp = (object: PlannedObject): boolean => invocations.some(backsUp(object));
  return objects.flatMap((object) => broken(object, { ...checked, isBackedUp }));
}

/** Whether an action is sure to take a backup of this very instance before its update. */
const backsUp =
  ({ address, id, before }: PlannedObject) =>
  ({ type, trigger, values }: Invocation): boolean =>
    type === "erphost_backup" &&
    trigger === `before_update of ${address}` &&
    ((id !== undefined && values["instance_id"] === id) ||
      (typeof values["instance"] === "string" && values["instance"] === before?.["name"]));

/** A resource as a Pulumi policy pack sees it. */
export interface PolicyResource {
  /** `erphost:index:Server`, or that of a dynamic resource. */
  readonly type: string;
  readonly name: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/**
 * What a resource of a Pulumi program breaks, by what is declared of it. A policy pack is shown
 * neither deletes nor what was before: an instance with a `version` must have `backupBeforeUpgrade`,
 * and protected objects are for `checkPlan`.
 */
export function checkResource(
  { type, name, props }: PolicyResource,
  options: PolicyOptions,
): Violation[] {
  const kind = kindOfType(type);
  if (kind === undefined) return [];
  const values = inContract(kind, known(props) as Values);
  return broken(
    {
      ...UNCHANGED,
      address: name,
      kind: kind.name,
      action: kind.reading.backupBefore !== undefined ? "update" : "none",
      changes: declared(values, kind.reading.backupBefore?.field),
      before: values,
      after: values,
    },
    // A pack is asked again with what is not known yet.
    { ...read(options), isBackedUp: () => values["backup_before_upgrade"] === UNKNOWN_VALUE },
  );
}

/** A copy: a policy pack's proxies throw where something is read that a preview does not know yet. */
function known(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.keys(value).map((key): [string, unknown] => {
    try {
      return [key, known(Reflect.get(value, key))];
    } catch {
      return [key, UNKNOWN_VALUE];
    }
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** A field that an update may change later on. */
const declared = (values: Values, field: string | undefined): PlannedObject["changes"] =>
  field === undefined || (values[field] ?? null) === null
    ? []
    : [{ path: field, before: undefined, after: values[field] }];

const UNCHANGED = {
  id: undefined,
  name: undefined,
  forcedBy: [],
  isCreatedFirst: false,
  keepsOld: false,
  isImported: false,
  isProtected: false,
  endsProtection: false,
  rotation: undefined,
} as const;

interface Checked extends Limits {
  readonly names: readonly RuleName[];
}

/** @throws InvalidInput where the age would let every key pass, or none */
function read({ nowMs, keyDaysMax = KEY_DAYS_MAX, rules: names = ruleNames }: PolicyOptions) {
  if (Number.isFinite(keyDaysMax) && keyDaysMax > 0) return { nowMs, keyDaysMax, names };
  throw stated("policies", ["keyDaysMax"], "must be a positive, finite number of days");
}

function broken(object: PlannedObject, checked: Checked): Violation[] {
  return checked.names.flatMap((rule) => {
    const why = rules[rule](object, checked);
    return why === undefined
      ? []
      : [{ rule, address: object.address, why, text: `${object.address} ${why}.` }];
  });
}
