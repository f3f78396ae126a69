/** From what an engine plans for an object to what becomes of it. */
import { isRecord, type Contract, type Values } from "../contract";
import { rotates, type Kind } from "../resources";
import { changesAt, differing, openSides, type Path } from "./fields";
import { HIDDEN, type Action, type PlannedObject, type UNKNOWN_VALUE } from "./plan";

/** What an engine plans for one object, in words that all engines share. */
export interface Step {
  readonly address: string;
  readonly provider: string | undefined;
  readonly kind: Kind;
  readonly does: "create" | "update" | "replace" | "delete" | "forget" | "import" | "none";
  /** By contract name; unknown and sensitive values are marked. */
  readonly before: Values | undefined;
  readonly after: Values | undefined;
  /** What differs. */
  readonly changed: readonly Path[];
  readonly forcedBy?: readonly string[];
  /** Undefined where the plan does not say it. */
  readonly isCreatedFirst?: boolean | undefined;
  readonly isImported: boolean;
  /** Whether the engine itself refuses its deletion. */
  readonly isProtected?: boolean;
  /** Whether the engine refuses it no longer after this plan. */
  readonly isUnprotected?: boolean;
  /** Whether the engine lets it leave the state without deleting it. */
  readonly isRetained?: boolean;
}

/** Where an object is: in another account it is another one, whatever its address. */
export const placed = ({ address, provider }: Pick<PlannedObject, "address" | "provider">) =>
  provider === undefined ? address : `${address} (in ${provider})`;

/** What becomes of an object, by what the service offers. */
export function plannedObject(contract: Contract, step: Step): PlannedObject {
  const { kind, address, does, changed, forcedBy = [], isCreatedFirst } = step;
  const { before, after } = openSides(kind, step);
  // What a plan hides may be anything.
  const [had, has] = [before, after].map((values) => values?.["deletion_protection"]);
  const isOn = had === true || had === HIDDEN;
  const isHidden = has === HIDDEN && !changed.some(([name]) => name === "deletion_protection");
  const isKept = step.isRetained === true || !canDelete(contract, kind);
  const action = actionOf(step, isKept);
  // Of a new object everything that is set: what it may do is nowhere else.
  const paths = does === "create" ? differing({ before: {}, after }) : changed;
  return {
    address,
    kind: kind.name,
    provider: step.provider,
    id: textAt(before, "id") ?? textAt(after, "id"),
    name: textAt(after, "name") ?? textAt(before, "name"),
    action,
    changes: CHANGING.has(action) ? changesAt(paths.filter(isSet(kind)), { before, after }) : [],
    forcedBy: does === "replace" ? forcedBy : [],
    isCreatedFirst: does === "replace" && isCreatedFirst,
    keepsOld: does === "replace" && isKept,
    isImported: step.isImported,
    isProtected: isOn || step.isProtected === true,
    endsProtection:
      step.isUnprotected === true || (isOn && does === "update" && has !== true && !isHidden),
    rotation: action === "rotate" ? rotationOf(before, after) : undefined,
    before,
    after,
  };
}

/** Actions that set fields. */
const CHANGING: ReadonlySet<Action> = new Set(["create", "update", "replace", "rotate"]);

/** Results change with what causes them; a program sets the rest. */
const isSet =
  ({ fields }: Kind) =>
  ([name = ""]: Path): boolean =>
    name !== "id" && fields[name]?.use !== "output";

function actionOf({ kind, does, changed, after }: Step, isKept: boolean): Action {
  if (does === "forget" || (does === "delete" && isKept)) return "retain";
  if (does === "create" && kind.reading.rotates === "existing-key") {
    return after?.["rotate_on_create"] === false ? "create" : "rotate";
  }
  const changes = changed.map((path) => ({ path: path.slice(0, 1) }));
  if (does === "update" && rotates(kind, changes)) return "rotate";
  return does;
}

/** Whether deleting such an object calls the service. A rotation only ends with its declaration. */
const canDelete = (contract: Contract, { resource }: Kind): boolean =>
  resource !== undefined && contract.resources[resource].operations.delete !== undefined;

const rotationOf = (before: Values | undefined, after: Values | undefined) => ({
  oldKey: textAt(before, "current_key_id") ?? textAt(after, "key_id"),
  gracePeriod: textAt(after, "grace_period") ?? textAt(before, "grace_period"),
});

const textAt = (values: Values | undefined, name: string): string | undefined => {
  const value = values?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Values with a mark wherever `marks`, of the same form, says true. */
export function marked(
  values: unknown,
  marks: unknown,
  mark: typeof HIDDEN | typeof UNKNOWN_VALUE,
): unknown {
  if (marks === true) return mark === HIDDEN && (values ?? null) === null ? values : mark;
  if (Array.isArray(marks)) {
    const list: readonly unknown[] = Array.isArray(values) ? values : [];
    const length = Math.max(list.length, marks.length);
    return Array.from({ length }, (_, index) => marked(list[index], marks[index], mark));
  }
  if (!isRecord(marks) || Object.keys(marks).length === 0) return values;
  const own = isRecord(values) ? values : {};
  const names = [...new Set([...Object.keys(own), ...Object.keys(marks)])];
  return Object.fromEntries(names.map((name) => [name, marked(own[name], marks[name], mark)]));
}
