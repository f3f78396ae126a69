/** What a program's inputs change of an object, by path, and what that means. */
import { isRecord, ownMember, type Contract, type Values } from "../../contract";
import type { Kind, KindField } from "../../resources";
import { message, type Message } from "../../messages";
import { differences } from "../values/compare";
import { protection } from "./protection";
import { accountRefusal, isRewritten, movesOnly, rewriteOf } from "./account";
import { isEcho } from "../values/reconcile";
import type { Change, Diff, Scope, State } from "../types";
import { isAwaited, readyStates } from "../values/readiness";
import { withReason } from "./rotation";
import type { Seen } from "./seen";
import { rotates, rotationDue } from "../values/rotates";
import { isUnknown } from "../values/unknown";

/** The inputs that hold free fields. */
const bags = ["properties", "secret_properties"];
/** Maps whose keys are compared one by one. */
const maps = new Set([...bags, "triggers"]);

/** What the inputs change of a state that was shown. */
export function diff(seen: Seen, prior: State, inputs: Values): Diff {
  const changed = difference(seen, prior, inputs);
  return { ...changed, refused: changed.refused ?? seen.adopted };
}

/** Compares with what the state holds as of the last read. */
export function difference(scope: Scope, prior: State, inputs: Values): Diff {
  const { contract, kind } = scope;
  const changes = changesOf(kind, prior, inputs);
  return {
    changes,
    replace: changes.some((change) => change.replace),
    rewrites: isRewritten(scope, prior),
    refused: refusalOf(scope, prior, inputs, changes),
    notes: [...rewriteOf(scope, prior), ...notes(contract, kind, prior, inputs)],
    unknown: unknownOutputs(scope, prior, inputs, changes),
  };
}

/** What an update or a replacement makes, field by field. */
export function changesOf(kind: Kind, prior: State, inputs: Values): readonly Change[] {
  const changes = [...fieldChanges(kind, prior, inputs), ...rotationDue(kind, prior, inputs)];
  return rotates(kind, changes) ? withReason(prior, inputs, changes) : changes;
}

function fieldChanges(kind: Kind, prior: State, inputs: Values): Change[] {
  return kind.inputs.flatMap(([name, field]) => {
    const replace = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    const secret = field.secret === true;
    const sketches =
      maps.has(name) && !isUnknown(inputs[name])
        ? mapSketches(name, prior, inputs)
        : fieldSketches(name, field, prior, inputs);
    return sketches.map((change) => ({ ...change, replace, secret }));
  });
}

type Sketch = Pick<Change, "path" | "kind">;

/**
 * A map's keys are compared one by one. Leaving one out is a change, be it of the state alone: then
 * it is reported once.
 */
function mapSketches(name: string, prior: State, inputs: Values): Sketch[] {
  const next = inputs[name];
  const now = prior.values[name];
  if (next === undefined && now === undefined) return [];
  if (next === undefined && name === "triggers") return [{ path: [name], kind: "delete" }];
  const wanted = isRecord(next) ? next : {};
  const before = isRecord(now) ? now : {};
  return [
    ...Object.entries(wanted).flatMap(([key, value]) =>
      isEcho(prior, `${name}.${key}`, value, ownMember(before, key))
        ? []
        : differences([name, key], value, ownMember(before, key)),
    ),
    ...leftOut(name, prior, inputs).map((key) => ({ path: [name, key], kind: "delete" as const })),
  ];
}

/** Keys of a map that the program gave in its last run and gives no more. */
function leftOut(name: string, prior: State, inputs: Values): string[] {
  const next = inputs[name];
  const now = prior.values[name];
  // What an import took over was never given.
  if (isUnknown(next) || !isRecord(now) || !prior.private.managed.includes(name)) return [];
  const wanted = isRecord(next) ? next : {};
  // A null in the state says that the service does not have it.
  return Object.keys(now).filter((key) => !Object.hasOwn(wanted, key) && now[key] !== null);
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

/** Why these changes can't be made; undefined where they can. */
export function refusalOf(
  scope: Scope,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Message | undefined {
  const elsewhere = accountRefusal(scope, prior);
  if (elsewhere || changes.length === 0) return elsewhere;
  const moves = movesOnly(scope, scope.kind.name, "change");
  if (moves || changes.every(({ replace }) => !replace)) return moves;
  const turnedOff = inputs["deletion_protection"] !== true;
  return protection(scope, prior, { turnedOff });
}

function notes(contract: Contract, kind: Kind, prior: State, inputs: Values): Message[] {
  const subject = { kind: kind.name, id: prior.id };
  const left = bags.flatMap((name) => leftOut(name, prior, inputs).map((key) => [name, key]));
  const code = contract.unset === "null" ? "nulled_key" : "unmanaged_key";
  return [
    ...left.map((path) => message(code, {}, { subject, path })),
    ...(prior.private.profile === contract.hash ? [] : [message("profile_changed", { subject })]),
  ];
}

function unknownOutputs(
  scope: Scope,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): string[] {
  const { kind } = scope;
  const outputs = Object.entries(kind.fields).filter(([name]) => inputs[name] === undefined);
  if (changes.some((change) => change.replace))
    return outputs.filter(([, field]) => field.origin !== "option").map(([name]) => name);
  const written = changes.some(
    ({ path: [head] }) =>
      kind.fields[String(head)]?.origin === "service" || bags.includes(String(head)),
  );
  // A change may set the object to work. It is ready again once it was waited for; only what waits
  // for an upgrade has to know whether it came to its end.
  const [ready, ...more] = readyStates(scope, inputs);
  const upgrades = changes.some(({ path: [head] }) => head === kind.reading.backupBefore?.field);
  const isReadyBefore = ready === prior.values["status"] && isAwaited(scope, prior, inputs);
  const returns = more.length === 0 && isReadyBefore && !upgrades;
  return outputs
    .filter(
      ([name, field]) =>
        (rotates(kind, changes) && field.origin === "engine" && name !== "rotation_due") ||
        (written && !returns && name === "status" && field.use === "output"),
    )
    .map(([name]) => name);
}
