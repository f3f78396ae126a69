/** The life of one object: create, read, update. Rotation, delete and import have their own files. */
import type { ServiceRecord, Values } from "../../contract";
import { encodeBody } from "../../contract";
import { kinds, type Kind } from "../../resources";
import { check } from "../planning/check";
import { make } from "../intents/once";
import { diff, rotates } from "../planning/diff";
import { EngineError, issueText, PartialFailure, subject } from "../errors";
import { assertAccount } from "../guards/guards";
import { freeFields, mention, sentPaths, serviceFields } from "../machine";
import type { Made } from "../intents/recover";
import { afterRead, afterWrite, finish, present } from "./reconcile";
import {
  afterKeyCreated,
  assertRecipient,
  createRotation,
  currentId,
  readKey,
  readRotation,
  rotateKey,
} from "../rotation/rotation";
import type { Change, ReadResult, Result, State } from "../types";
import { ask, EXPIRED, gone } from "./records";
import { waitReady, type Awaited } from "./ready";
import { type Operation, type Served, assertOffered, isServed } from "../operation";

/** Creates, waits, and says what is worth saying. */
export async function create(op: Operation, given: Values): Promise<Result> {
  const inputs = checked(op, given);
  if (!isServed(op)) return createRotation(op, inputs);
  await assertRecipient(inputs);
  const made = await make(op, inputs);
  const awaited = await settled(op, inputs, made.record);
  const reconciled = afterWrite(op.ours, inputs, awaited.record, sentPaths(op.kind, inputs));
  const base: State = { id: made.record.id, ...reconciled };
  const state =
    op.kind.reading.rotates === "own-key" ? await keyMade(op, base, made, inputs) : base;
  failIfFailed(op, awaited, state);
  return { state, warnings: op.warnings };
}

/** A key that was found by its name has lost its secret: it is rotated, so that somebody has one. */
async function keyMade(
  op: Operation,
  base: State,
  { record, serviceTime }: Made,
  inputs: Values,
): Promise<State> {
  const state = await afterKeyCreated(op.machine, base, record, serviceTime, inputs);
  if (record.fields["value"] !== undefined) return state;
  try {
    const rotated = await rotateKey(op, state, inputs);
    op.warnings.push(
      `Nobody holds the secret of key ${record.id}, whose answer was lost. It was rotated and ends at ${String(rotated.values["previous_key_expires_at"])}.`,
    );
    return rotated;
  } catch (error) {
    const reason = `Nobody holds the secret of key ${record.id}, whose answer was lost, and rotating it failed: ${error instanceof Error ? error.message : String(error)}`;
    throw new PartialFailure(state, reason, op.warnings, error);
  }
}

/** Throws where inputs are not what they must be: faces check first, so this is the last line. */
function checked(op: Operation, given: Values): Values {
  const { inputs, issues } = check(op.contract, op.kind, given);
  const [first] = issues;
  if (first) {
    throw new EngineError("invalid_input", issues.map(issueText).join("; "), first.path);
  }
  return inputs;
}

/** Waits where the kind has states and the program does not say otherwise. */
async function settled(
  op: Operation<Served>,
  inputs: Values,
  record: ServiceRecord,
): Promise<Awaited> {
  const states = op.resource.states;
  if (!states || inputs["wait"] === false) return { outcome: "ready", record, waitedMs: 0 };
  const ready = Array.isArray(inputs["ready_states"])
    ? inputs["ready_states"].map(String)
    : states.ready;
  const what = subject(op.kind.name, record.id, inputs["name"]);
  try {
    const awaited = await waitReady(op.core, op.machine.clock, op.kind.resource, record, {
      ready,
      failed: states.failed,
      timeoutMs: op.context.timeoutMs ?? op.machine.options.timeoutMs,
      context: op.context,
    });
    if (awaited.outcome === "timeout") {
      const seconds = Math.round(awaited.waitedMs / 1000);
      op.warnings.push(
        `${what} is still ${String(awaited.record.fields["status"])} after ${seconds} s; it is kept, and a later run sees when it is ${ready.join(" or ")}.`,
      );
    }
    return awaited;
  } catch (error) {
    // The object exists: an error while watching it must not make an engine destroy it.
    const reason = error instanceof Error ? error.message : String(error);
    op.warnings.push(`${what} exists, but could not be watched until it was ready: ${reason}`);
    return { outcome: "timeout", record, waitedMs: 0 };
  }
}

function failIfFailed(op: Operation, awaited: Awaited, state: State): void {
  if (awaited.outcome !== "failed") return;
  throw new PartialFailure(
    state,
    `${subject(op.kind.name, state.id, state.values["name"])} ended in the state ${String(awaited.record.fields["status"])}. It exists in the service; look there for the reason.`,
    op.warnings,
  );
}

/** What the service has now. Undefined only by the verdict. */
export async function read(op: Operation, prior: State): Promise<ReadResult> {
  assertAccount(op.core.account, op.kind, prior);
  await mention(op.machine, op.kind, prior, op.context.identity);
  if (!isServed(op)) return readRotation(op, prior);
  if (op.kind.reading.rotates === "own-key") return readKey(op, prior);
  if (prior.values["status"] === EXPIRED) return readExpired(op, prior);
  const reading = await ask(op, prior, prior.id);
  return reading.state === "present"
    ? { state: shown(op, prior, reading.record), warnings: [] }
    : gone(op.kind, prior);
}

const shown = (op: Operation, prior: State, record: ServiceRecord): State => ({
  id: prior.id,
  ...afterRead(op.ours, prior, record),
});

/** An object that had expired needs no second verdict; it may only have come back. */
async function readExpired(op: Operation<Served>, prior: State): Promise<ReadResult> {
  const options = op.sharedWalk;
  const snapshot = await op.core.snapshot(op.kind.resource, options);
  const record = snapshot.records.get(prior.id);
  return { state: record ? shown(op, prior, record) : prior, warnings: [] };
}

/** Brings an object to the inputs: one PATCH with what changed, then what else the change means. */
export async function update(op: Operation, prior: State, given: Values): Promise<Result> {
  assertAccount(op.core.account, op.kind, prior);
  await mention(op.machine, op.kind, prior, op.context.identity);
  const inputs = checked(op, given);
  const plan = diff(op.contract, op.core.account, op.kind, prior, inputs);
  if (plan.refused) throw new EngineError("protected", issueText(plan.refused), plan.refused.path);
  op.warnings.push(...plan.notes);
  const patched = isServed(op)
    ? await patch(op, prior, inputs, plan.changes)
    : { ...prior, values: present({ ...prior.values, ...optionValues(op.kind, inputs) }) };
  if (!rotates(op.kind, plan.changes)) return { state: patched, warnings: op.warnings };
  try {
    const state = await rotateKey(op, patched, inputs);
    return { state, warnings: op.warnings };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // What the PATCH did is true; the triggers stay the old ones, so that the next run rotates.
    const values = present({ ...patched.values, triggers: prior.values["triggers"] });
    const kept = { ...patched, values };
    throw new PartialFailure(kept, reason, op.warnings, error);
  }
}

const optionValues = (kind: Kind, inputs: Values): Values =>
  Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, field]) => field.origin === "option")
      .map(([name]) => [name, inputs[name]]),
  );

async function patch(
  op: Operation<Served>,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Promise<State> {
  const { fields, properties, sent } = patchBody(op, inputs, changes);
  if (sent.size === 0) {
    const base = await recovered(op, prior, inputs);
    const values = { ...base.values, ...optionValues(op.kind, inputs) };
    return {
      id: prior.id,
      ...finish(op.ours, values, Object.keys(inputs), base.private.echo),
    };
  }
  assertOffered(op, "update");
  const backupId = await backupBefore(op, prior, inputs, changes);
  const body = encodeBody(op.resource, fields, properties);
  const written = await op.core.update(op.kind.resource, currentId(prior), body, {
    ...op.calls,
  });
  if (backupId !== undefined) await op.machine.intents.settle("backup", backupId);
  const awaited = await settledAgain(op, prior, inputs, written.record);
  const state = {
    id: prior.id,
    ...afterWrite(op.ours, inputs, awaited.record, sent, prior),
  };
  failIfFailed(op, awaited, state);
  return state;
}

/**
 * An engine that keeps a failed object updates it again without a change. What failed may work by
 * now, and else it is told again: a second run does not turn it green.
 */
async function recovered(op: Operation<Served>, prior: State, inputs: Values): Promise<State> {
  const failed = op.resource.states?.failed ?? [];
  const status = String(prior.values["status"]);
  if (inputs["wait"] === false || !failed.some((end) => status.endsWith(end))) return prior;
  const reading = await ask(op, prior, currentId(prior));
  if (reading.state === "gone") return prior;
  const awaited = await settled(op, inputs, reading.record);
  const state = shown(op, prior, awaited.record);
  failIfFailed(op, awaited, state);
  return state;
}

/**
 * A change need not set the object to work: where it is in the state that it was in, and that is no
 * state on the way, there is nothing to wait for.
 */
async function settledAgain(
  op: Operation<Served>,
  prior: State,
  inputs: Values,
  record: ServiceRecord,
): Promise<Awaited> {
  const status = record.fields["status"];
  const states = op.resource.states;
  const rests = status === prior.values["status"] && states?.other.includes(String(status));
  return rests ? { outcome: "ready", record, waitedMs: 0 } : settled(op, inputs, record);
}

function patchBody(op: Operation, inputs: Values, changes: readonly Change[]) {
  const heads = new Set(changes.map(({ path: [head] }) => head));
  const fields = Object.fromEntries(
    Object.entries(serviceFields(op.kind, inputs)).filter(([name]) => heads.has(name)),
  );
  const properties: Record<string, unknown> = {};
  const sent = new Set(Object.keys(fields));
  const free = freeFields(inputs);
  for (const { path } of changes) {
    const [head, key] = path;
    if (head !== "properties" && head !== "secret_properties") continue;
    if (typeof key !== "string") continue;
    // What is no longer given is let go, or set to null where the profile says so.
    if (!(key in free) && op.contract.unset === "omit") continue;
    properties[key] = free[key] ?? null;
    sent.add(`${head}.${key}`);
  }
  return { fields, properties, sent };
}

/** Takes a backup of the object, and waits for it, before a field changes that the program guards. */
async function backupBefore(
  op: Operation<Served>,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Promise<string | undefined> {
  const guard = op.kind.reading.backupBefore;
  if (!guard || inputs[guard.option] !== true) return undefined;
  if (!changes.some(({ path: [head] }) => head === guard.field)) return undefined;
  const states = op.contract.resources.backup.states;
  const backup = kinds["backup"];
  if (!backup) throw new Error("the contract has no backup");
  // An intent like any create's, for this very change: a run that follows a killed one takes no other.
  const wanted = JSON.stringify(inputs[guard.field]);
  const identity = `${op.context.identity ?? `${op.kind.name} ${prior.id}`}/before ${guard.field}=${wanted}`;
  const made = await make(op.on(backup, { identity, derived: true }), {
    [`${op.kind.name}_id`]: prior.id,
  });
  const awaited = await waitReady(op.core, op.machine.clock, "backup", made.record, {
    ready: states?.ready ?? [],
    failed: states?.failed ?? [],
    timeoutMs: op.context.timeoutMs ?? op.machine.options.timeoutMs,
    context: op.context,
  });
  if (awaited.outcome !== "ready") {
    if (awaited.outcome === "failed") await op.machine.intents.settle("backup", made.record.id);
    else if (op.context.stop?.aborted) {
      throw new EngineError(
        "interrupted",
        `${guard.field} of ${op.kind.name} ${prior.id} is unchanged: the run was interrupted while it waited for backup ${made.record.id}, which ${guard.option} asks for first. Run it again to go on.`,
        [guard.field],
      );
    }
    throw new EngineError(
      "backup_failed",
      `${guard.field} of ${op.kind.name} ${prior.id} is unchanged: backup ${made.record.id}, which ${guard.option} asks for first, is ${String(awaited.record.fields["status"])}. See why in the service, then try again.`,
      [guard.field],
    );
  }
  op.warnings.push(
    `Took backup ${made.record.id} before changing ${guard.field} of ${op.kind.name} ${prior.id}.`,
  );
  return made.record.id;
}
