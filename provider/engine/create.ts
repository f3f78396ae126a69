/** Making an object, exactly once: intent, request, recovery of what an interrupted run made. */
import { createHash } from "node:crypto";
import { hasCode } from "../client/errors";
import {
  decodeRecord,
  encodeBody,
  isOdd,
  type ResourceName,
  type ServiceRecord,
  type Values,
} from "../contract";
import type { Kind } from "../resources";
import { covers } from "./compare";
import { EngineError, subject } from "./errors";
import type { Intent, IntentEntry } from "./intents";
import {
  assertOffered,
  freeFields,
  heardOf,
  resourceOf,
  serviceFields,
  type Machine,
} from "./machine";
import { callOptions } from "./records";
import { seal, unseal } from "./seal";
import type { Context } from "./types";

/** An object that now exists, and what led to it. */
export interface Made {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
  readonly warnings: readonly string[];
}

/** Kept back from the service's window, for clocks that differ and requests that take long. */
const WINDOW_MARGIN_MS = 10 * 60_000;
/** Around the time of an intent, objects are taken for its own. */
const AROUND_MS = 10 * 60_000;

/** Creates the object, or finds the one that an interrupted run created for the same purpose. */
export async function make(
  machine: Machine,
  kind: Kind,
  inputs: Values,
  context: Context,
): Promise<Made> {
  assertOffered(machine, kind, "create");
  const bytes = bodyOf(machine, kind, inputs);
  const bodyHash = createHash("sha256").update(bytes).digest("base64url");
  const warnings: string[] = [];
  const identity = context.identity;
  const claimed = await machine.intents.claim({
    operation: "create",
    kind: kind.name,
    identity,
    bodyHash,
  });
  for (const intent of await recoverable(machine, kind, identity, claimed)) {
    const found = await recover(machine, kind, inputs, intent, context, warnings);
    if (found) return finish(machine, kind, intent, found, context, warnings);
  }
  warnings.push(...(await sameName(machine, kind, inputs, context)));
  const entry = newEntry(machine, kind, inputs, { identity, bytes, bodyHash });
  const intent = await machine.intents.begin(entry);
  const written = await machine.core
    .createBytes(kind.resource, bytes, {
      ...callOptions(context),
      idempotencyKey: entry.idempotencyKey,
    })
    .catch(async (error: unknown) => {
      // Refused for good: nothing was made, so there is nothing to find later.
      if (isRefusal(error)) await machine.intents.drop(intent);
      throw error;
    });
  return finish(
    machine,
    kind,
    intent,
    { record: written.record, serviceTime: written.meta?.timestamp },
    context,
    warnings,
  );
}

interface Recovered {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
}

async function finish(
  machine: Machine,
  kind: Kind,
  intent: Intent | undefined,
  { record, serviceTime }: Recovered,
  context: Context,
  warnings: readonly string[],
): Promise<Made> {
  await machine.intents.answered(intent, record.id);
  machine.ids.answered(kind.name, record.id, context.identity ?? intent?.entry.id ?? "a create");
  return { record, serviceTime, warnings };
}

const bodyOf = (machine: Machine, kind: Kind, inputs: Values): string =>
  JSON.stringify(
    encodeBody(resourceOf(machine, kind), serviceFields(kind, inputs), freeFields(inputs)),
  );

function newEntry(
  machine: Machine,
  kind: Kind,
  inputs: Values,
  { identity, bytes, bodyHash }: { identity: string | undefined; bytes: string; bodyHash: string },
): IntentEntry {
  const sealed = inputs["secret_properties"] !== undefined;
  const name = inputs["name"];
  return {
    version: 1,
    id: machine.uuid(),
    account: machine.core.account,
    operation: "create",
    kind: kind.name,
    ...(identity !== undefined && { identity }),
    ...(typeof name === "string" && { name }),
    idempotencyKey: machine.uuid(),
    bodyHash,
    body: sealed ? seal(bytes, machine.apiKey, machine.nonce()) : bytes,
    sealed,
    time: machine.clock.wallMs(),
  };
}

/**
 * Which claimed intents may lead to this create's object. One that was answered may already be in
 * the engine's state. Where the engine told us the id that it has, that is known; where it makes
 * an object anew without telling (`--replace`), it will show by what it deletes.
 */
async function recoverable(
  machine: Machine,
  kind: Kind,
  identity: string | undefined,
  claimed: readonly Intent[],
): Promise<Intent[]> {
  const heard = heardOf(machine, identity);
  const usable: Intent[] = [];
  for (const intent of claimed) {
    const { answer } = intent.entry;
    if (answer !== undefined && machine.ids.isKnown(kind.name, answer)) {
      await machine.intents.drop(intent);
    } else if (answer !== undefined && heard.prior === true && heard.liveId === undefined) {
      heard.suspects = [...(heard.suspects ?? []), answer];
    } else {
      usable.push(intent);
    }
  }
  return usable;
}

/** Finds the object of an interrupted create; undefined where there is none. */
async function recover(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  inputs: Values,
  intent: Intent,
  context: Context,
  warnings: string[],
): Promise<Recovered | undefined> {
  const { entry } = intent;
  const ageMs = machine.clock.wallMs() - entry.time;
  const windowMs = machine.core.contract.idempotencyWindowMs - WINDOW_MARGIN_MS;
  const bytes = entry.sealed ? unseal(entry.body, machine.apiKey) : entry.body;
  const found =
    bytes !== undefined && ageMs >= 0 && ageMs < windowMs
      ? await replay(machine, kind, bytes, intent, context)
      : await search(machine, kind, intent, context, warnings);
  if (!found) {
    await machine.intents.drop(intent);
    return undefined;
  }
  return bring(machine, kind, inputs, found, context, warnings);
}

/** Inside the service's window: the same key and the same bytes, so the same object. */
async function replay(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  bytes: string,
  intent: Intent,
  context: Context,
): Promise<Recovered | undefined> {
  try {
    const { record, meta, replayed } = await machine.core.createBytes(kind.resource, bytes, {
      ...callOptions(context),
      idempotencyKey: intent.entry.idempotencyKey,
    });
    await machine.intents.answered(intent, record.id);
    // An answer from memory says nothing of today: someone may have deleted the object since.
    if (replayed) {
      const now = await machine.core.read(kind.resource, record.id, callOptions(context));
      if (now.state === "gone") return undefined;
      const value = record.fields["value"]; // Only the first answer holds the secret.
      const fields = { ...now.record.fields, ...(value !== undefined && { value }) };
      return { record: { ...now.record, fields }, serviceTime: meta?.timestamp };
    }
    return { record, serviceTime: meta?.timestamp };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Past the window: what was created around that time, under that name. */
async function search(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  { entry }: Intent,
  context: Context,
  warnings: string[],
): Promise<Recovered | undefined> {
  const snapshot = await machine.core.snapshot(kind.resource, callOptions(context));
  const near = [...snapshot.records.values()].filter((record) => {
    const made = Date.parse(String(record.fields["created_at"]));
    return (
      !machine.ids.isKnown(kind.name, record.id) &&
      (entry.answer === undefined || entry.answer === record.id) &&
      (entry.answer !== undefined || Math.abs(made - entry.time) <= AROUND_MS) &&
      matches(machine, kind, entry, record)
    );
  });
  const [only, ...more] = near;
  if (!only) return undefined;
  if (more.length > 0) {
    const ids = near.map(({ id }) => id).join(", ");
    throw new EngineError(
      "orphan_suspected",
      `An interrupted run may have created one of these, and which one can't be told any more: ${kind.name} ${ids}. Import the right one (${machine.importHint(kind, only.id)}) or run \`erphost intents drop ${entry.id}\`, then try again.`,
    );
  }
  warnings.push(
    `Adopted ${subject(kind.name, only.id, entry.name)}: an interrupted run created it at ${String(only.fields["created_at"])}.`,
  );
  return { record: only, serviceTime: snapshot.serviceTime };
}

/** Whether a record is what the intent's body asked for; by name alone where the body is sealed. */
function matches(machine: Machine, kind: Kind, entry: IntentEntry, record: ServiceRecord): boolean {
  if (entry.name !== undefined) return record.fields["name"] === entry.name;
  if (entry.sealed) return false;
  const asked = decodeRecord(resourceOf(machine, kind), { ...JSON.parse(entry.body), id: "none" });
  if (isOdd(asked)) return false;
  const { id: _, ...fields } = asked.fields;
  return covers(fields, record.fields);
}

/** Brings a recovered object to what is wanted now; gives it up where that needs another one. */
async function bring(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  inputs: Values,
  found: Recovered,
  context: Context,
  warnings: string[],
): Promise<Recovered | undefined> {
  const { record } = found;
  const changed = Object.entries(serviceFields(kind, inputs)).filter(
    ([name, value]) => !covers(value, record.fields[name], kind.fields[name]),
  );
  const free = Object.entries(freeFields(inputs)).filter(
    ([key, value]) => !covers(value, record.properties[key]),
  );
  if (changed.length === 0 && free.length === 0) return found;
  const fixed = changed.find(([name]) => kind.fields[name]?.immutable);
  const updatable = resourceOf(machine, kind).operations.update !== undefined;
  if (fixed !== undefined || !updatable) {
    warnings.push(await discard(machine, kind, record, context));
    return undefined;
  }
  const body = encodeBody(
    resourceOf(machine, kind),
    Object.fromEntries(changed),
    Object.fromEntries(free),
  );
  const written = await machine.core.update(kind.resource, record.id, body, callOptions(context));
  const value = record.fields["value"];
  const fields = { ...written.record.fields, ...(value !== undefined && { value }) };
  return { record: { ...written.record, fields }, serviceTime: written.meta?.timestamp };
}

/** Removes what an interrupted run made and nobody wants any more. */
export async function discard(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  record: Pick<ServiceRecord, "id">,
  context: Context,
): Promise<string> {
  const what = `${kind.name} ${record.id}, which an interrupted run had created,`;
  if (resourceOf(machine, kind).operations.delete === undefined) {
    return `${what} is wanted otherwise now and the service can't delete it: it lives on and no state knows it.`;
  }
  await machine.core.remove(kind.resource, record.id, callOptions(context));
  return `${what} is wanted otherwise now and was deleted.`;
}

/** An object of the same name that nobody here knows: told, or refused. */
async function sameName(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  inputs: Values,
  context: Context,
): Promise<string[]> {
  const { sameName: policy } = machine.options;
  const name = inputs["name"];
  const replacing = heardOf(machine, context.identity).prior === true;
  const listed = resourceOf(machine, kind).operations.list !== undefined;
  if (policy === "allow" || typeof name !== "string" || replacing || !listed) return [];
  const options = { ...callOptions(context), maxAgeMs: machine.options.readMaxAgeMs };
  const snapshot = await machine.core.snapshot(kind.resource, options).catch((error: unknown) => {
    // A key that may write and not read still creates.
    if (policy === "warn") return undefined;
    throw error;
  });
  const twin = [...(snapshot?.records.values() ?? [])].find(
    (record) => record.fields["name"] === name && !machine.ids.isKnown(kind.name, record.id),
  );
  if (!twin) return [];
  const message = `A ${kind.name} named ${name} exists already (${twin.id}) and is not known to this run. If it is meant to be this one, import it: ${machine.importHint(kind, twin.id)}.`;
  if (policy === "error") throw new EngineError("same_name", message, ["name"]);
  return [message];
}

/** Answers after which nothing was made and nothing will be. */
const isRefusal = (error: unknown): boolean =>
  [
    "validation_error",
    "forbidden",
    "insufficient_permissions",
    "ip_not_allowed",
    "unauthorized",
    "authentication_required",
    "invalid_token",
    "token_expired",
    "not_found",
    "conflict",
  ].some((code) => hasCode(error, code));
