/** What a program's inputs change of an object, by path, and what that means. */
import { isRecord, ownMember, type Contract, type Values } from "../../contract";
import { BAGS, hasUnknown, isRotating, isSent, rotates, UNKNOWN, type Kind } from "../../resources";
import { message, type Message } from "../../messages";
import { awaitedStates, patchBody } from "../values/inputs";
import { differences, type Sketch } from "../values/compare";
import { currentId, isEcho, subjectOf } from "../values/state";
import type { Change, Diff, Scope, State } from "../types";
import { accountRefusal, rewriteOf } from "./account";
import { protection } from "./planned";
import type { Seen } from "./seen";

/** Maps whose keys are compared one by one. */
const MAPS = new Set([...BAGS, "triggers"]);

/** Compares with what the state holds as of the last read. */
export function diff(seen: Seen, prior: State, inputs: Values): Diff {
  const { contract, kind } = seen;
  const changes = changesOf(kind, prior, inputs);
  const rewrite = rewriteOf(seen, prior);
  return {
    changes,
    replace: changes.some((change) => change.replace),
    rewrites: rewrite !== undefined,
    refused: refusalOf(seen, prior, inputs, changes) ?? seen.adopted,
    notes: [...(rewrite ? [rewrite] : []), ...notes(contract, kind, prior, inputs)],
    unknown: unknownOutputs(seen, prior, inputs, changes),
  };
}

export function changesOf(kind: Kind, prior: State, inputs: Values): readonly Change[] {
  // What an import took over was made without them.
  const replaceOn = (prior.private.managed.length > 0 && kind.reading.replaceOn) || [];
  const changes = kind.inputs.flatMap(([name, field]): Change[] => {
    const [next, now] = [inputs[name], prior.values[name]];
    if (next === undefined && now === undefined) return [];
    let sketches: readonly Sketch[] = [];
    if (MAPS.has(name) && next !== UNKNOWN) sketches = mapSketches(name, prior, inputs);
    else if (next === undefined) {
      // What is left out of a service's field is no longer managed; an option falls back.
      if (field.origin === "option") sketches = [{ path: [name], kind: "delete" }];
    } else if (!isEcho(prior, name, next, now)) sketches = differences([name], next, now, field);
    const replace = field.immutable || replaceOn.includes(name);
    const secret = field.secret === true;
    return sketches.map((sketch) => ({ ...sketch, replace, secret }));
  });
  return kind.reading.rotates === undefined ? changes : withRotation(prior, inputs, changes);
}

/** Whether an object that a run of its own left failed is looked at again, so that none turns it green. */
export const isRetried = (scope: Scope, prior: State, inputs: Values): boolean =>
  prior.private.failed === true &&
  awaitedStates(scope, inputs)?.ready.includes(String(prior.values["status"])) === false;

/** Leaving a key out is a change, be it of the state alone: then it is reported once. */
function mapSketches(name: string, prior: State, inputs: Values): Sketch[] {
  const next = inputs[name];
  if (next === undefined && name === "triggers") return [{ path: [name], kind: "delete" }];
  const now = prior.values[name];
  const given = Object.entries(isRecord(next) ? next : {}).flatMap(([key, value]) => {
    const had = isRecord(now) ? ownMember(now, key) : undefined;
    return isEcho(prior, `${name}.${key}`, value, had) ? [] : differences([name, key], value, had);
  });
  const gone = leftOut(name, prior, inputs);
  return [...given, ...gone.map((key) => ({ path: [name, key], kind: "delete" as const }))];
}

/** Keys of a map that the program gave in its last run and gives no more. */
function leftOut(name: string, prior: State, inputs: Values): string[] {
  const next = inputs[name];
  const now = prior.values[name];
  // What an import took over was never given.
  if (next === UNKNOWN || !isRecord(now) || !prior.private.managed.includes(name)) return [];
  const wanted = isRecord(next) ? next : {};
  // A null in the state says that the service does not have it.
  return Object.keys(now).filter((key) => !Object.hasOwn(wanted, key) && now[key] !== null);
}

/**
 * The changes of a key, with its rotation where that is due. The last read decided whether it is, so
 * that plan and apply agree. The first change that rotates it says why: it is rotated once for them all.
 */
function withRotation(prior: State, inputs: Values, fields: readonly Change[]): readonly Change[] {
  const isLost = prior.private.lost === true;
  const isAsked = inputs["rotate_after"] !== undefined || isLost;
  const isDue = isAsked && prior.values["rotation_due"] === true;
  const due = { path: ["rotation_due"], kind: "update", replace: false, secret: false } as const;
  const changes = isDue ? [...fields, due] : fields;
  const first = changes.find(isRotating);
  if (!first || changes.some(({ replace }) => replace)) return changes;
  const reason = rotationReason(prior, inputs, changes.filter(isRotating), isDue);
  return changes.map((change) => (change === first ? { ...change, reason } : change));
}

function rotationReason(
  prior: State,
  inputs: Values,
  rotating: readonly Change[],
  isDue: boolean,
): Message {
  const { values } = prior;
  const { name, rotated_at: since } = values;
  const grace = inputs["grace_period"] ?? values["grace_period"];
  const subject = subjectOf("api_key", currentId(prior), name);
  const parts = { subject, grace: typeof grace === "string" ? grace : undefined };
  if (!isDue) {
    return message("rotation_triggered", { ...parts, paths: rotating.map(({ path }) => path) });
  }
  if (prior.private.lost === true) return message("secret_lost", parts);
  const after = String(values["rotate_after"] ?? inputs["rotate_after"]);
  return message("rotation_due", { ...parts, after, since: String(since) });
}

/** Why these changes can't be made; undefined where they can. */
export function refusalOf(
  scope: Scope,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Message | undefined {
  const refused = accountRefusal(scope, prior, changes.length > 0 ? "change" : undefined);
  const { resource } = scope.kind;
  const isOffered = !resource || scope.contract.resources[resource].operations.update;
  if (refused) return refused;
  if (changes.some(({ replace }) => replace)) {
    return protection(scope, prior, inputs["deletion_protection"] !== true);
  }
  return isOffered ? undefined : notOffered(scope, prior, inputs, changes);
}

/** What is to be sent can't be, where the service offers no update; the rest is of the state alone. */
function notOffered(
  { contract, kind }: Scope,
  { id }: State,
  inputs: Values,
  changes: readonly Change[],
): Message | undefined {
  const { fields, properties } = patchBody({ contract, kind }, inputs, changes);
  // What is not known yet may turn out to be no change.
  if (Object.values({ ...fields, ...properties }).every((value) => hasUnknown(value)))
    return undefined;
  const rotation = kind.reading.rotates === "own-key";
  const parts = { kind: kind.name, operation: "update", rotation } as const;
  return message("not_offered", parts, { subject: { kind: kind.name, id } });
}

function notes(contract: Contract, kind: Kind, prior: State, inputs: Values): Message[] {
  const subject = { kind: kind.name, id: prior.id };
  const left = BAGS.flatMap((name) => leftOut(name, prior, inputs).map((key) => [name, key]));
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
  const heads = changes.map(({ path: [head] }) => String(head));
  const isReplaced = changes.some(({ replace }) => replace);
  const isRotated = rotates(kind, changes);
  // A change may set the object to work. It is ready again once it was waited for; only what waits
  // for an upgrade has to know whether it came to its end.
  const isWritten = heads.some((head) => isSent(kind, head));
  const [ready, ...more] = awaitedStates(scope, inputs, prior)?.ready ?? [];
  const wasReady = ready !== undefined && ready === prior.values["status"];
  const upgrades = heads.some((head) => head === kind.reading.backupBefore?.field);
  const isSure = !hasUnknown([inputs["wait"], inputs["ready_states"]]);
  const returns = isSure && wasReady && more.length === 0 && !upgrades;
  return Object.entries(kind.fields).flatMap(([name, { origin, use }]) => {
    const isStatus = name === "status" && use === "output";
    const isUnknown = isReplaced
      ? origin !== "option"
      : (isRotated && origin === "engine" && name !== "rotation_due") ||
        (isWritten && isStatus && !returns);
    return isUnknown && inputs[name] === undefined ? [name] : [];
  });
}
