/** What a plan changes, value by value, so that two plans can be held against each other. */
import { isDeepStrictEqual } from "node:util";
import { isRecord, type Values } from "../../provider/contract";
import { addressOf, marked, parsePlan, protectionsLost, triggerOf } from "../../provider/plans";
import { placed, UNKNOWN_VALUE, valueText, withMarks, withoutSuspects } from "../../provider/plans";
import type { ActionInvocation, Hide, PreviewStep, ResourceChange } from "../../provider/plans";
import { shortened } from "../text";
import { textOf } from "../voice";

/** One object that changes. Values hold secrets: they are compared, and never shown. */
export interface Change {
  readonly address: string;
  /** Terraform's name, or Pulumi's id, of an object that a replacement left to be deleted. */
  readonly deposed?: string | undefined;
  readonly does: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly id?: unknown;
  /** The object that is imported, and by what: no other one may be taken in its place. */
  readonly takes?: unknown;
  /** The object that is lost: its id, if it has one. Its other values may have changed since, and nobody keeps them. */
  readonly loses?: unknown;
  /** Fields that the engine calls sensitive, at any depth. */
  readonly hidden?: ReadonlySet<string>;
  /** Of a replacement or an import: what may be left of it where its apply did not succeed. */
  readonly halves?: readonly Change[];
}

/** Before and after; what is known after the apply only is marked in `after`. */
interface FieldValue {
  readonly before: unknown;
  readonly after: unknown;
}

/** Steps that change neither the service nor who manages an object. */
const READING = new Set(["same", "refresh", "read", "read-replacement", "read-discard"]);

/** A plan in JSON, in which a number that JavaScript cannot hold is its text. */
export const exactly = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && String(value) !== source ? source : value,
  );

/** How a plan of Terraform configures its providers, as far as its JSON says so. */
export function providersOf(json: string): unknown {
  const plan = exactly(json);
  const configuration = isRecord(plan) ? plan["configuration"] : undefined;
  return isRecord(configuration) ? configuration["provider_config"] : undefined;
}

/** Every change of a plan in JSON. @param json of `terraform show -json` or `pulumi preview --json` */
export function changesOf(json: string): Change[] {
  const plan = parsePlan(exactly(json));
  if ("fault" in plan) throw new Error(`The engine's plan cannot be read: ${textOf(plan.fault)}`);
  return plan.terraform
    ? [
        ...plan.terraform.resource_changes.flatMap(ofTerraform),
        ...plan.terraform.resource_changes.flatMap(({ address, previous_address: from }) =>
          moved(address, from),
        ),
        ...plan.terraform.action_invocations.map(ofAction),
      ]
    : plan.pulumi.steps.flatMap((step) => [
        ...ofPulumi(step),
        ...moved(step.urn, step.newState ? step.oldState?.urn : undefined),
      ]);
}

/** Whose object an address has from now on: a change of its own, which the state alone shows. */
const moved = (address: string, from: string | undefined): Change[] =>
  from === undefined || from === address
    ? []
    : [{ address, does: `move from ${from}`, fields: {} }];

function ofTerraform({ deposed, mode, change, ...resource }: ResourceChange): Change[] {
  const { actions, after, after_unknown: unknown, importing } = change;
  const before = recordOf(change.before);
  const isChange = actions.some((action) => action !== "no-op" && action !== "read");
  if (mode === "data" || (!isChange && !isRecord(importing))) return [];
  const does = isRecord(importing) ? `import, ${actions.join(", ")}` : actions.join(", ");
  const hidden = new Set(
    [change.before_sensitive, change.after_sensitive].flatMap((marks) =>
      Object.entries(recordOf(marks)).flatMap(([name, mark]) => (isMarked(mark) ? [name] : [])),
    ),
  );
  const address = placed(resource);
  const of = { address, deposed, does, hidden };
  const id = objectOf(change);
  if ((after ?? null) === null) return [{ ...of, fields: {}, loses: id }];
  const values = recordOf(marked(after, unknown, UNKNOWN_VALUE));
  const lost = actions.find((action) => action === "delete" || action === "forget");
  const fields = differing(before, values);
  const taken = isRecord(importing) && {
    takes: [id, importing["id"], JSON.stringify(importing["identity"])],
  };
  const whole = { ...of, fields, id, ...taken, ...(lost && { loses: id }) };
  // An import is in the state at once, whatever becomes of the rest.
  const imported = isRecord(importing) ? [{ ...whole, does: actions.join(", "), takes: id }] : [];
  const replaced = lost ? [created(address, values), ...deleted(address, id, lost)] : [];
  return [{ ...whole, halves: [...imported, ...replaced] }];
}

/** Which object it is: by its id or else its identity, and where it has neither, by all of it. */
const objectOf = ({ before, before_identity: identity }: ResourceChange["change"]): unknown =>
  recordOf(before)["id"] ?? (isRecord(identity) ? JSON.stringify(identity) : before);

/** Each time that an action is invoked is a change of its own: they do what their configuration says. */
function ofAction(action: ActionInvocation): Change {
  const { config_values: values, config_unknown: unknown, lifecycle_action_trigger: by } = action;
  const place = [by?.action_trigger_block_index, by?.actions_list_index].filter(
    (each) => each !== undefined,
  );
  const trigger = triggerOf(action);
  const address = placed(action);
  return {
    address: trigger === undefined ? address : `${address} (${trigger})`,
    does: ["invoke", ...place].join(" "),
    hidden: new Set(Object.keys(recordOf(action.config_sensitive))),
    fields: differing({}, recordOf(marked(values, unknown, UNKNOWN_VALUE))),
  };
}

function ofPulumi({ op, urn, oldState, newState, left }: PreviewStep): Change[] {
  const address = placed({ address: urn, ...(newState ?? oldState) });
  // A deletion asks the state alone whether an object is protected.
  const lost = op === "same" || op === "update" ? protectionsLost(oldState, newState) : [];
  const unprotected = lost.map((name) => {
    return { address, does: name === "protect" ? "unprotect" : `end ${name}`, fields: {} };
  });
  if (READING.has(op)) return unprotected;
  if (!newState || op.startsWith("delete")) {
    return [{ address, deposed: left, does: op, fields: {}, loses: oldState?.id }];
  }
  const values = recordOf(withMarks(newState.inputs));
  const fields = differing(oldState?.inputs ?? {}, values);
  if (op.startsWith("import")) {
    return [{ address, does: op, fields, id: newState.id, takes: newState.id }];
  }
  if (op !== "replace") return [{ address, does: op, fields }, ...unprotected];
  // Its steps are in a preview only where somebody asks for them.
  const loses = oldState?.id;
  const old = placed({ address: urn, ...oldState });
  const deletions = ["delete", "delete-replaced"].flatMap((does) => deleted(old, loses, does));
  return [{ address, does: op, fields, loses, halves: [created(address, values), ...deletions] }];
}

/** What is left of a replacement that has deleted the old object. */
const created = (address: string, values: Values): Change => ({
  address,
  does: "create",
  fields: differing({}, values),
});

/** What is left of a replacement that has created the new object: exactly the old one goes. */
const deleted = (address: string, id: unknown, does = "delete"): Change[] =>
  isId(id) ? [{ address, does, fields: {}, loses: id }] : [];

/** What stands for an object without one may have changed since. */
const isId = (id: unknown): id is string | number =>
  typeof id === "string" || typeof id === "number";

const recordOf = (value: unknown): Values => (isRecord(value) ? value : {});

function differing(before: Values, after: Values): Change["fields"] {
  const names = namesOf(before, after).filter((name) => !isSame(before[name], after[name]));
  return Object.fromEntries(
    names.map((name) => [name, { before: before[name], after: after[name] }]),
  );
}

const namesOf = (one: object = {}, other: object = {}): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];

/** Nothing and null are the same. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(one ?? null, other ?? null);

/** Where a plan does something else than what was reviewed, as people may be shown it. */
export interface Difference {
  readonly address: string;
  /** What the object's change is called; undefined where there is none. */
  readonly reviewed: string | undefined;
  readonly now: string | undefined;
  /** Fields that become something else; no value is a secret. */
  readonly fields: readonly { name: string; reviewed: string; now: string }[];
}

/**
 * What was unknown in the review may be anything.
 * @param isRest whether the plan may do less, because a part of it was done already
 */
export function differences(
  reviewed: readonly Change[],
  now: readonly Change[],
  isRest: boolean,
  hide?: Hide,
): Difference[] {
  const known = byKey(reviewed);
  const halves = byKey(isRest ? reviewed.flatMap((change) => change.halves ?? []) : []);
  const others = now.filter(
    (change) =>
      !covers(known.get(keyOf(change)), change, isRest) &&
      // What Terraform has deposed was the object at its address.
      !covers(halves.get(keyOf({ ...change, deposed: undefined })), change, isRest),
  );
  const planned = byKey(now);
  const missing = isRest ? [] : reviewed.filter((change) => !planned.has(keyOf(change)));
  return [...new Set([...others, ...missing].map(addressOf))].map((address) => {
    const at = (changes: readonly Change[]) =>
      changes.find((change) => addressOf(change) === address);
    return differenceAt(address, at(reviewed), at(others) ?? at(now), hide);
  });
}

function differenceAt(address: string, reviewed?: Change, now?: Change, hide?: Hide): Difference {
  const hidden = new Set([...(reviewed?.hidden ?? []), ...(now?.hidden ?? [])]);
  const shown = (name: string, field: FieldValue | undefined): string =>
    field === undefined
      ? "unchanged"
      : hidden.has(name)
        ? "(secret)"
        : (valueText(withoutSuspects(field.after, name), hide) ?? "nothing");
  const differ = (name: string): boolean => {
    const [old, next] = [reviewed?.fields[name], now?.fields[name]];
    if (old?.after === UNKNOWN_VALUE) return false;
    return old === undefined || next === undefined || !fits(old.after, next.after);
  };
  const names = reviewed && now ? namesOf(reviewed.fields, now.fields) : [];
  const fields = names.filter(differ).map((name) => {
    const [old, next] = [shown(name, reviewed?.fields[name]), shown(name, now?.fields[name])];
    return { name, reviewed: shortened(old, next), now: shortened(next, old) };
  });
  return { address, reviewed: doesText(reviewed), now: doesText(now), fields };
}

/** Of another object than the one that was reviewed, the id says so. */
const doesText = (change: Change | undefined): string | undefined => {
  if (change === undefined) return undefined;
  const named = [change.takes, change.loses, change.id].flat().find(isId);
  return named === undefined ? change.does : `${change.does} ${named}`;
};

const isMarked = (mark: unknown): boolean =>
  mark === true || (typeof mark === "object" && Object.values(mark ?? {}).some(isMarked));

const keyOf = ({ address, deposed, does, loses }: Change): string =>
  JSON.stringify([address, deposed, does, loses]);

const byKey = (changes: readonly Change[]): ReadonlyMap<string, Change> =>
  new Map(changes.map((change) => [keyOf(change), change]));

function covers(reviewed: Change | undefined, now: Change, isRest: boolean): boolean {
  if (reviewed === undefined) return false;
  if ("takes" in reviewed && !isSame(reviewed.takes, now.takes ?? now.id)) return false;
  const isCovered = Object.entries(now.fields).every(([name, { before, after }]) => {
    const old = reviewed.fields[name];
    if (old?.after === UNKNOWN_VALUE) return true;
    return old !== undefined && isSame(old.before, before) && fits(old.after, after);
  });
  const isWhole = Object.entries(reviewed.fields).every(
    ([name, { after }]) => after === UNKNOWN_VALUE || now.fields[name] !== undefined,
  );
  // Of an update a part may be done; an object is created with everything or not at all.
  return isCovered && (isWhole || (isRest && now.does === "update"));
}

/** Whether a value is what was reviewed. What was unknown then may be anything. */
function fits(reviewed: unknown, now: unknown): boolean {
  if (reviewed === UNKNOWN_VALUE) return true;
  if (Array.isArray(reviewed) && Array.isArray(now)) {
    return reviewed.length === now.length && reviewed.every((each, at) => fits(each, now[at]));
  }
  if (!isRecord(reviewed) || !isRecord(now)) return isSame(reviewed, now);
  return namesOf(reviewed, now).every((name) => fits(reviewed[name], now[name]));
}
