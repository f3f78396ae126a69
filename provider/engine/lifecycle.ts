/** The life of one object: create, read, update. Rotation, delete and import have their own files. */
import type { ServiceRecord, Values } from "../contract";
import { encodeBody } from "../contract";
import { kinds, type Kind } from "../resources";
import { check } from "./check";
import { make } from "./create";
import { diff, rotates } from "./diff";
import { EngineError, issueText, PartialFailure, subject } from "./errors";
import { assertAccount } from "./guards";
import {
  assertOffered,
  freeFields,
  isServed,
  mention,
  ours,
  resourceOf,
  sentPaths,
  serviceFields,
  type Machine,
  type Served,
} from "./machine";
import type { Made } from "./recover";
import { afterRead, afterWrite, finish, present } from "./reconcile";
import {
  afterKeyCreated,
  assertRecipient,
  createRotation,
  currentId,
  readKey,
  readRotation,
  rotateKey,
} from "./rotation";
import type { Change, Context, ReadResult, Result, State } from "./types";
import { callOptions } from "./call-options";
import { ask, EXPIRED, gone } from "./records";
import { waitReady, type Awaited } from "./wait";

/** Creates, waits, and says what is worth saying. */
export async function create(
  machine: Machine,
  kind: Kind,
  given: Values,
  context: Context,
): Promise<Result> {
  const inputs = checked(machine, kind, given);
  if (!isServed(kind)) return createRotation(machine, kind, inputs, context);
  await assertRecipient(inputs);
  const made = await make(machine, kind, inputs, context);
  const warnings = [...made.warnings];
  const awaited = await settled(machine, kind, inputs, made.record, context, warnings);
  const reconciled = afterWrite(
    ours(machine, kind),
    inputs,
    awaited.record,
    sentPaths(kind, inputs),
  );
  const base: State = { id: made.record.id, ...reconciled };
  const state =
    kind.reading.rotates === "own-key"
      ? await keyMade(machine, kind, base, made, inputs, context, warnings)
      : base;
  failIfFailed(kind, awaited, state, warnings);
  return { state, warnings };
}

/** A key that was found by its name has lost its secret: it is rotated, so that somebody has one. */
async function keyMade(
  machine: Machine,
  kind: Kind,
  base: State,
  { record, serviceTime }: Made,
  inputs: Values,
  context: Context,
  warnings: string[],
): Promise<State> {
  const state = await afterKeyCreated(machine, base, record, serviceTime, inputs);
  if (record.fields["value"] !== undefined) return state;
  try {
    const rotated = await rotateKey(machine, kind, state, inputs, context, warnings);
    warnings.push(
      `Nobody holds the secret of key ${record.id}, whose answer was lost. It was rotated and ends at ${String(rotated.values["previous_key_expires_at"])}.`,
    );
    return rotated;
  } catch (error) {
    const reason = `Nobody holds the secret of key ${record.id}, whose answer was lost, and rotating it failed: ${error instanceof Error ? error.message : String(error)}`;
    throw new PartialFailure(state, reason, warnings, error);
  }
}

/** Throws where inputs are not what they must be: faces check first, so this is the last line. */
function checked(machine: Machine, kind: Kind, given: Values): Values {
  const { inputs, issues } = check(machine.core.contract, kind, given);
  const [first] = issues;
  if (first) {
    throw new EngineError("invalid_input", issues.map(issueText).join("; "), first.path);
  }
  return inputs;
}

/** Waits where the kind has states and the program does not say otherwise. */
async function settled(
  machine: Machine,
  kind: Served,
  inputs: Values,
  record: ServiceRecord,
  context: Context,
  warnings: string[],
): Promise<Awaited> {
  const states = resourceOf(machine, kind).states;
  if (!states || inputs["wait"] === false) return { outcome: "ready", record, waitedMs: 0 };
  const ready = Array.isArray(inputs["ready_states"])
    ? inputs["ready_states"].map(String)
    : states.ready;
  const what = subject(kind.name, record.id, inputs["name"]);
  try {
    const awaited = await waitReady(machine.core, machine.clock, kind.resource, record, {
      ready,
      failed: states.failed,
      timeoutMs: context.timeoutMs ?? machine.options.timeoutMs,
      context,
    });
    if (awaited.outcome === "timeout") {
      const seconds = Math.round(awaited.waitedMs / 1000);
      warnings.push(
        `${what} is still ${String(awaited.record.fields["status"])} after ${seconds} s; it is kept, and a later run sees when it is ${ready.join(" or ")}.`,
      );
    }
    return awaited;
  } catch (error) {
    // The object exists: an error while watching it must not make an engine destroy it.
    const reason = error instanceof Error ? error.message : String(error);
    warnings.push(`${what} exists, but could not be watched until it was ready: ${reason}`);
    return { outcome: "timeout", record, waitedMs: 0 };
  }
}

function failIfFailed(
  kind: Kind,
  awaited: Awaited,
  state: State,
  warnings: readonly string[],
): void {
  if (awaited.outcome !== "failed") return;
  throw new PartialFailure(
    state,
    `${subject(kind.name, state.id, state.values["name"])} ended in the state ${String(awaited.record.fields["status"])}. It exists in the service; look there for the reason.`,
    warnings,
  );
}

/** What the service has now. Undefined only by the verdict. */
export async function read(
  machine: Machine,
  kind: Kind,
  prior: State,
  context: Context,
): Promise<ReadResult> {
  assertAccount(machine.core.account, kind, prior);
  await mention(machine, kind, prior, context.identity);
  if (!isServed(kind)) return readRotation(machine, kind, prior, context);
  if (kind.reading.rotates === "own-key") return readKey(machine, kind, prior, context);
  if (prior.values["status"] === EXPIRED) return readExpired(machine, kind, prior, context);
  const reading = await ask(machine, kind, prior, prior.id, context);
  return reading.state === "present"
    ? { state: shown(machine, kind, prior, reading.record), warnings: [] }
    : gone(kind, prior);
}

const shown = (machine: Machine, kind: Kind, prior: State, record: ServiceRecord): State => ({
  id: prior.id,
  ...afterRead(ours(machine, kind), prior, record),
});

/** An object that had expired needs no second verdict; it may only have come back. */
async function readExpired(
  machine: Machine,
  kind: Served,
  prior: State,
  context: Context,
): Promise<ReadResult> {
  const options = { ...callOptions(context), maxAgeMs: machine.options.readMaxAgeMs };
  const snapshot = await machine.core.snapshot(kind.resource, options);
  const record = snapshot.records.get(prior.id);
  return { state: record ? shown(machine, kind, prior, record) : prior, warnings: [] };
}

/** Brings an object to the inputs: one PATCH with what changed, then what else the change means. */
export async function update(
  machine: Machine,
  kind: Kind,
  prior: State,
  given: Values,
  context: Context,
): Promise<Result> {
  assertAccount(machine.core.account, kind, prior);
  await mention(machine, kind, prior, context.identity);
  const inputs = checked(machine, kind, given);
  const plan = diff(machine.core.contract, machine.core.account, kind, prior, inputs);
  if (plan.refused) throw new EngineError("protected", issueText(plan.refused), plan.refused.path);
  const warnings = [...plan.notes];
  const patched = isServed(kind)
    ? await patch(machine, kind, prior, inputs, plan.changes, context, warnings)
    : { ...prior, values: present({ ...prior.values, ...optionValues(kind, inputs) }) };
  if (!rotates(kind, plan.changes)) return { state: patched, warnings };
  try {
    const state = await rotateKey(machine, kind, patched, inputs, context, warnings);
    return { state, warnings };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // What the PATCH did is true; the triggers stay the old ones, so that the next run rotates.
    const values = present({ ...patched.values, triggers: prior.values["triggers"] });
    const kept = { ...patched, values };
    throw new PartialFailure(kept, reason, warnings, error);
  }
}

const optionValues = (kind: Kind, inputs: Values): Values =>
  Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, field]) => field.origin === "option")
      .map(([name]) => [name, inputs[name]]),
  );

async function patch(
  machine: Machine,
  kind: Served,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
  context: Context,
  warnings: string[],
): Promise<State> {
  const { fields, properties, sent } = patchBody(machine, kind, inputs, changes);
  if (sent.size === 0) {
    const base = await recovered(machine, kind, prior, inputs, context, warnings);
    const values = { ...base.values, ...optionValues(kind, inputs) };
    return {
      id: prior.id,
      ...finish(ours(machine, kind), values, Object.keys(inputs), base.private.echo),
    };
  }
  assertOffered(machine, kind, "update");
  const backupId = await backupBefore(machine, kind, prior, inputs, changes, context, warnings);
  const body = encodeBody(resourceOf(machine, kind), fields, properties);
  const written = await machine.core.update(kind.resource, currentId(prior), body, {
    ...callOptions(context),
  });
  if (backupId !== undefined) await machine.intents.settle("backup", backupId);
  const awaited = await settledAgain(
    machine,
    kind,
    prior,
    inputs,
    written.record,
    context,
    warnings,
  );
  const state = {
    id: prior.id,
    ...afterWrite(ours(machine, kind), inputs, awaited.record, sent, prior),
  };
  failIfFailed(kind, awaited, state, warnings);
  return state;
}

/**
 * An engine that keeps a failed object updates it again without a change. What failed may work by
 * now, and else it is told again: a second run does not turn it green.
 */
async function recovered(
  machine: Machine,
  kind: Served,
  prior: State,
  inputs: Values,
  context: Context,
  warnings: string[],
): Promise<State> {
  const failed = resourceOf(machine, kind).states?.failed ?? [];
  const status = String(prior.values["status"]);
  if (inputs["wait"] === false || !failed.some((end) => status.endsWith(end))) return prior;
  const reading = await ask(machine, kind, prior, currentId(prior), context);
  if (reading.state === "gone") return prior;
  const awaited = await settled(machine, kind, inputs, reading.record, context, warnings);
  const state = shown(machine, kind, prior, awaited.record);
  failIfFailed(kind, awaited, state, warnings);
  return state;
}

/**
 * A change need not set the object to work: where it is in the state that it was in, and that is no
 * state on the way, there is nothing to wait for.
 */
async function settledAgain(
  machine: Machine,
  kind: Served,
  prior: State,
  inputs: Values,
  record: ServiceRecord,
  context: Context,
  warnings: string[],
): Promise<Awaited> {
  const status = record.fields["status"];
  const states = resourceOf(machine, kind).states;
  const rests = status === prior.values["status"] && states?.other.includes(String(status));
  return rests
    ? { outcome: "ready", record, waitedMs: 0 }
    : settled(machine, kind, inputs, record, context, warnings);
}

function patchBody(machine: Machine, kind: Kind, inputs: Values, changes: readonly Change[]) {
  const heads = new Set(changes.map(({ path: [head] }) => head));
  const fields = Object.fromEntries(
    Object.entries(serviceFields(kind, inputs)).filter(([name]) => heads.has(name)),
  );
  const properties: Record<string, unknown> = {};
  const sent = new Set(Object.keys(fields));
  const free = freeFields(inputs);
  for (const { path } of changes) {
    const [head, key] = path;
    if (head !== "properties" && head !== "secret_properties") continue;
    if (typeof key !== "string") continue;
    // What is no longer given is let go, or set to null where the profile says so.
    if (!(key in free) && machine.core.contract.unset === "omit") continue;
    properties[key] = free[key] ?? null;
    sent.add(`${head}.${key}`);
  }
  return { fields, properties, sent };
}

/** Takes a backup of the object, and waits for it, before a field changes that the program guards. */
async function backupBefore(
  machine: Machine,
  kind: Served,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
  context: Context,
  warnings: string[],
): Promise<string | undefined> {
  const guard = kind.reading.backupBefore;
  if (!guard || inputs[guard.option] !== true) return undefined;
  if (!changes.some(({ path: [head] }) => head === guard.field)) return undefined;
  const states = machine.core.contract.resources.backup.states;
  const backup = kinds["backup"];
  if (!backup) throw new Error("the contract has no backup");
  // An intent like any create's, for this very change: a run that follows a killed one takes no other.
  const wanted = JSON.stringify(inputs[guard.field]);
  const identity = `${context.identity ?? `${kind.name} ${prior.id}`}/before ${guard.field}=${wanted}`;
  const made = await make(
    machine,
    backup,
    { [`${kind.name}_id`]: prior.id },
    { ...context, identity, derived: true },
  );
  warnings.push(...made.warnings);
  const awaited = await waitReady(machine.core, machine.clock, "backup", made.record, {
    ready: states?.ready ?? [],
    failed: states?.failed ?? [],
    timeoutMs: context.timeoutMs ?? machine.options.timeoutMs,
    context,
  });
  if (awaited.outcome !== "ready") {
    if (awaited.outcome === "failed") await machine.intents.settle("backup", made.record.id);
    else if (context.stop?.aborted) {
      throw new EngineError(
        "interrupted",
        `${guard.field} of ${kind.name} ${prior.id} is unchanged: the run was interrupted while it waited for backup ${made.record.id}, which ${guard.option} asks for first. Run it again to go on.`,
        [guard.field],
      );
    }
    throw new EngineError(
      "backup_failed",
      `${guard.field} of ${kind.name} ${prior.id} is unchanged: backup ${made.record.id}, which ${guard.option} asks for first, is ${String(awaited.record.fields["status"])}. See why in the service, then try again.`,
      [guard.field],
    );
  }
  warnings.push(
    `Took backup ${made.record.id} before changing ${guard.field} of ${kind.name} ${prior.id}.`,
  );
  return made.record.id;
}
