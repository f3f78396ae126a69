/** What a program's inputs change of an object, by path, and what that means. */
import { isRecord, type Contract, type Values } from "../../contract";
import type { Kind, KindField } from "../../resources";
import { message, type Message } from "../../messages";
import { differences } from "./compare";
import { protection } from "../guards/protection";
import { accountRefusal } from "../operation";
import { isEcho } from "../lifecycle/reconcile";
import type { Change, Diff, Scope, State } from "../types";
import { isUnknown } from "./unknown";

/** The inputs that hold free fields. */
const bags = ["properties", "secret_properties"];
/** Maps whose keys are compared one by one. */
const maps = new Set([...bags, "triggers"]);

/** Compares with what the state holds as of the last read. Pure. */
export function diff(scope: Scope, prior: State, inputs: Values): Diff {
  const { contract, kind } = scope;
  const changes = [...fieldChanges(scope, prior, inputs), ...rotationDue(kind, prior, inputs)];
  const replace = changes.some((change) => change.replace);
  return {
    changes,
    replace,
    refused: refusal(scope, prior, inputs, replace),
    notes: notes(contract, kind, prior, inputs),
    unknown: unknownOutputs(kind, inputs, changes, replace),
  };
}

function fieldChanges({ contract, kind }: Scope, prior: State, inputs: Values): Change[] {
  return kind.inputs.flatMap(([name, field]) => {
    const replace = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    const secret = field.secret === true;
    const drops = name === "triggers" || contract.unset === "null";
    const sketches =
      maps.has(name) && !isUnknown(inputs[name])
        ? mapSketches(name, prior, inputs, drops)
        : fieldSketches(name, field, prior, inputs);
    return sketches.map((change) => ({ ...change, replace, secret }));
  });
}

type Sketch = Pick<Change, "path" | "kind">;

/** A map's keys are compared one by one. `drops`: leaving one out is a change. */
function mapSketches(name: string, prior: State, inputs: Values, drops: boolean): Sketch[] {
  const next = inputs[name];
  const now = prior.values[name];
  if (next === undefined && now === undefined) return [];
  if (next === undefined && name === "triggers") return [{ path: [name], kind: "delete" }];
  const wanted = isRecord(next) ? next : {};
  const before = isRecord(now) ? now : {};
  const managed = prior.private.managed.includes(name); // What an import took over is not.
  const removed = Object.keys(before).filter(
    // A null in the state says that the service does not have it.
    (key) => drops && managed && !(key in wanted) && before[key] !== null,
  );
  return [
    ...Object.entries(wanted).flatMap(([key, value]) =>
      isEcho(prior, `${name}.${key}`, value, before[key])
        ? []
        : differences([name, key], value, before[key]),
    ),
    ...removed.map((key) => ({ path: [name, key], kind: "delete" as const })),
  ];
}

function fieldSketches(name: string, field: KindField, prior: State, inputs: Values): Sketch[] {
  const next = inputs[name];
  const now = prior.values[name];
  if (next === undefined) {
    // What is left out of a service's field is no longer managed; an option falls back.
    const falls = field.origin === "option" && now !== undefined;
    return falls ? [{ path: [name], kind: "delete" }] : [];
  }
  return isEcho(prior, name, next, now) ? [] : differences([name], next, now, field);
}

/** The last read decides whether it is due, so that plan and apply agree. */
function rotationDue(kind: Kind, prior: State, inputs: Values): Change[] {
  const due = kind.reading.rotates !== undefined && prior.values["rotation_due"] === true;
  const after = inputs["rotate_after"];
  const lost = prior.private.lost === true;
  if (!due || (typeof after !== "string" && !lost)) return [];
  const name = prior.values["name"];
  const subject = { kind: kind.name, id: prior.id, ...(typeof name === "string" && { name }) };
  const since = String(prior.values["rotated_at"]);
  const reason = lost
    ? message("secret_lost", { subject })
    : message("rotation_due", { subject, after: String(after), since });
  return [{ path: ["rotation_due"], kind: "update", replace: false, secret: false, reason }];
}

/** Whether these changes rotate the key. */
export const rotates = (kind: Kind, changes: readonly Change[]): boolean =>
  kind.reading.rotates !== undefined &&
  changes.some(({ path: [head] }) => ROTATING.has(String(head)));

/** A new recipient needs a new secret: somebody else could read the old one. */
const ROTATING = new Set(["triggers", "rotation_due", "recipient"]);

function refusal(scope: Scope, prior: State, inputs: Values, replace: boolean) {
  const elsewhere = accountRefusal(scope, prior);
  if (elsewhere || !replace) return elsewhere;
  const turnedOff = inputs["deletion_protection"] !== true;
  return protection(scope, prior, { turnedOff });
}

function notes(contract: Contract, kind: Kind, prior: State, inputs: Values): Message[] {
  const subject = { kind: kind.name, id: prior.id };
  const left = bags.flatMap((name) => {
    // What an import took over was never managed, so it cannot become unmanaged.
    const managed = prior.private.managed.includes(name);
    const before = managed && isRecord(prior.values[name]) ? Object.keys(prior.values[name]) : [];
    const next = inputs[name];
    const now = isRecord(next) ? next : {};
    return isUnknown(next) ? [] : before.filter((key) => !(key in now)).map((key) => [name, key]);
  });
  const code = contract.unset === "null" ? "nulled_key" : "unmanaged_key";
  return [
    ...left.map((path) => message(code, {}, { subject, path })),
    ...(prior.private.profile === contract.hash ? [] : [message("profile_changed", { subject })]),
  ];
}

function unknownOutputs(
  kind: Kind,
  inputs: Values,
  changes: readonly Change[],
  replace: boolean,
): string[] {
  const outputs = Object.entries(kind.fields).filter(([name]) => inputs[name] === undefined);
  if (replace)
    return outputs.filter(([, field]) => field.origin !== "option").map(([name]) => name);
  const written = changes.some(
    ({ path: [head] }) =>
      kind.fields[String(head)]?.origin === "service" || bags.includes(String(head)),
  );
  return outputs
    .filter(
      ([name, field]) =>
        (rotates(kind, changes) && field.origin === "engine") ||
        // A change may set the object to work, and it is waited for or not.
        (written && name === "status" && field.use === "output"),
    )
    .map(([name]) => name);
}
