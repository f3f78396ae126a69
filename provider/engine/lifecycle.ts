/** The life of one object: create, read, update, delete, import. Rotation has its own file. */
import type { ResourceName, ServiceRecord, Values } from "../contract";
import { encodeBody } from "../contract";
import type { Kind } from "../resources";
import { check } from "./check";
import { discard, make } from "./create";
import { diff, rotates } from "./diff";
import { EngineError, issueText, PartialFailure, subject } from "./errors";
import { assertAccount } from "./guards";
import {
  assertOffered,
  freeFields,
  heardOf,
  ours,
  resourceOf,
  sentPaths,
  serviceFields,
  type Machine,
} from "./machine";
import { afterImport, afterRead, afterWrite, finish, present } from "./reconcile";
import {
  afterKeyCreated,
  createRotation,
  deleteKey,
  readKey,
  readRotation,
  rotateKey,
} from "./rotation";
import type { Change, Context, Deleted, ReadResult, Result, State } from "./types";
import { callOptions, gone, newest } from "./records";
import { waitReady, type Awaited } from "./wait";

type Served = Kind & { resource: ResourceName };
const isServed = (kind: Kind): kind is Served => kind.resource !== undefined;

/** Creates, waits, and says what is worth saying. */
export async function create(
  machine: Machine,
  kind: Kind,
  given: Values,
  context: Context,
): Promise<Result> {
  const inputs = checked(machine, kind, given);
  if (!isServed(kind)) return createRotation(machine, kind, inputs, context);
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
      ? await afterKeyCreated(machine, base, made.record, made.serviceTime, inputs)
      : base;
  failIfFailed(kind, awaited, state, warnings);
  return { state, warnings };
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
  await mention(machine, kind, prior.id, context.identity);
  if (!isServed(kind)) return readRotation(machine, kind, prior, context);
  if (kind.reading.rotates === "own-key") return readKey(machine, kind, prior, context);
  machine.mass.question();
  const reading = await machine.core.read(kind.resource, prior.id, {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...callOptions(context),
  });
  if (reading.state === "present") {
    const state = { id: prior.id, ...afterRead(ours(machine, kind), prior, reading.record) };
    return { state, warnings: [] };
  }
  return gone(machine, kind, prior);
}

/** The engine knows this id: what led to it is done with. */
export async function mention(
  machine: Machine,
  kind: Kind,
  id: string,
  identity: string | undefined,
): Promise<void> {
  machine.ids.mention(kind.name, id);
  heardOf(machine, identity).liveId = id;
  await machine.intents.mention(kind.name, id);
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
  await mention(machine, kind, prior.id, context.identity);
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
  const { fields, properties, sent } = patchBody(machine, kind, prior, inputs, changes);
  if (sent.size === 0) {
    const values = { ...prior.values, ...optionValues(kind, inputs) };
    return {
      id: prior.id,
      ...finish(ours(machine, kind), values, Object.keys(inputs), prior.private.echo),
    };
  }
  assertOffered(machine, kind, "update");
  await backupBefore(machine, kind, prior, inputs, changes, context, warnings);
  const body = encodeBody(resourceOf(machine, kind), fields, properties);
  const written = await machine.core.update(kind.resource, targetId(prior), body, {
    ...callOptions(context),
  });
  const awaited = await settled(machine, kind, inputs, written.record, context, warnings);
  const state = {
    id: prior.id,
    ...afterWrite(ours(machine, kind), inputs, awaited.record, sent, prior),
  };
  failIfFailed(kind, awaited, state, warnings);
  return state;
}

/** A rotated key is patched under the id that lists show now. */
const targetId = (state: State): string => {
  const current = state.values["current_key_id"];
  return typeof current === "string" ? current : state.id;
};

function patchBody(
  machine: Machine,
  kind: Kind,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
) {
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
    properties[key] = free[key] ?? null;
    sent.add(`${head}.${key}`);
  }
  if (machine.core.contract.unset === "null") {
    const { managed } = prior.private;
    const before = Object.entries(prior.values).filter(([name]) => managed.includes(name));
    for (const key of Object.keys(freeFields(Object.fromEntries(before)))) {
      if (key in free) continue;
      properties[key] = null;
      sent.add(`properties.${key}`);
    }
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
): Promise<void> {
  const guard = kind.reading.backupBefore;
  if (!guard || inputs[guard.option] !== true) return;
  if (!changes.some(({ path: [head] }) => head === guard.field)) return;
  const states = machine.core.contract.resources.backup.states;
  const made = await machine.core.create("backup", {
    [machine.core.contract.resources.backup.wireNames[`${kind.name}_id`] ?? `${kind.name}_id`]:
      prior.id,
  });
  const awaited = await waitReady(machine.core, machine.clock, "backup", made.record, {
    ready: states?.ready ?? [],
    failed: states?.failed ?? [],
    timeoutMs: context.timeoutMs ?? machine.options.timeoutMs,
    context,
  });
  if (awaited.outcome !== "ready") {
    throw new EngineError(
      "invalid_input",
      `${guard.field} of ${kind.name} ${prior.id} is unchanged: backup ${made.record.id}, which ${guard.option} asks for first, is ${String(awaited.record.fields["status"])}. See why in the service, then try again.`,
      [guard.field],
    );
  }
  warnings.push(
    `Took backup ${made.record.id} before changing ${guard.field} of ${kind.name} ${prior.id}.`,
  );
}

/** Deletes, or lets go of what the service can't delete. */
export async function remove(
  machine: Machine,
  kind: Kind,
  prior: State,
  context: Context,
): Promise<Deleted> {
  assertAccount(machine.core.account, kind, prior);
  const what = subject(kind.name, prior.id, prior.values["name"]);
  if (prior.values["deletion_protection"] === true) {
    throw new EngineError(
      "protected",
      `deletion_protection forbids to delete ${what}. Set it to false, apply, and try again.`,
      ["deletion_protection"],
    );
  }
  machine.ids.mayDelete(kind.name, prior.id);
  await mention(machine, kind, prior.id, context.identity);
  if (!isServed(kind)) return { retained: false, warnings: [] };
  const warnings = await orphans(machine, kind, prior, context);
  if (prior.values["status"] === "expired") return { retained: false, warnings };
  if (resourceOf(machine, kind).operations.delete === undefined) {
    const told = `${what} is retained: the service offers no delete for it. It is out of the state and lives on in the service.`;
    return { retained: true, warnings: [...warnings, told] };
  }
  if (kind.reading.rotates === "own-key") {
    return {
      retained: false,
      warnings: [...warnings, ...(await deleteKey(machine, kind, prior, context))],
    };
  }
  await machine.core.remove(kind.resource, prior.id, {
    ...callOptions(context),
  });
  return { retained: false, warnings };
}

/**
 * An engine that makes an object anew without a diff shows which id it had by what it deletes. Ids
 * that interrupted creates were answered, and that it does not delete, are held by nobody.
 */
async function orphans(
  machine: Machine,
  kind: Served,
  prior: State,
  context: Context,
): Promise<string[]> {
  const heard = heardOf(machine, context.identity);
  const suspects = heard.suspects ?? [];
  heard.suspects = [];
  const unheld = suspects.filter((id) => id !== prior.id && !machine.ids.isKnown(kind.name, id));
  return Promise.all(unheld.map((id) => discard(machine, kind, { id }, context)));
}

/** Takes an existing object by `ID` or `name=…`. */
export async function importObject(
  machine: Machine,
  kind: Kind,
  reference: string,
  context: Context,
): Promise<State> {
  if (!isServed(kind)) {
    throw new EngineError(
      "not_offered",
      `${kind.name} can't be imported: it declares rotations and is no object of the service. Declare it with key_id, and rotate_on_create false to leave the key alone for now.`,
    );
  }
  const id = await resolveReference(machine, kind, reference, context);
  machine.ids.mention(kind.name, id);
  const reading = await machine.core.read(kind.resource, id, {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...callOptions(context),
  });
  if (reading.state === "gone") {
    throw new EngineError(
      "not_found",
      `${kind.name} ${id} can't be imported: the service does not list it. Check the id and the account (${machine.core.account.baseUrl}).`,
    );
  }
  const state: State = { id, ...afterImport(ours(machine, kind), reading.record) };
  return kind.reading.rotates === "own-key"
    ? afterKeyCreated(machine, state, reading.record, reading.serviceTime, {})
    : state;
}

async function resolveReference(
  machine: Machine,
  kind: Served,
  reference: string,
  context: Context,
): Promise<string> {
  const byName = /^name=(.+)$/s.exec(reference)?.[1];
  const byLine = kind.reading.rotates === "own-key";
  if (byName === undefined && !byLine) return reference;
  const snapshot = await machine.core.snapshot(kind.resource, {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...callOptions(context),
  });
  const records = [...snapshot.records.values()];
  if (byName === undefined) {
    // Any id of a key's line stands for its newest key.
    const line = snapshot.records.get(reference)?.fields["lineage_id"] ?? reference;
    const keys = records.filter((record) => record.fields["lineage_id"] === line);
    return newest(keys)?.id ?? reference;
  }
  const named = records.filter((record) => record.fields["name"] === byName);
  const ids = [...new Set(named.map(({ id }) => id))];
  if (byLine && new Set(named.map((record) => record.fields["lineage_id"])).size === 1) {
    return newest(named)?.id ?? reference;
  }
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  if (ids.length === 0) {
    throw new EngineError(
      "not_found",
      `No ${kind.name} is named ${byName} at ${machine.core.account.baseUrl}. Check the name, or import by id.`,
    );
  }
  throw new EngineError(
    "ambiguous_name",
    `${ids.length} objects of kind ${kind.name} are named ${byName}: ${ids.join(", ")}. Import the right one by its id.`,
  );
}
