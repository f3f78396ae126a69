/** Making an object, exactly once: an intent, then the request. */
import { createHash, createHmac } from "node:crypto";
import { hasCode } from "../client/errors";
import { encodeBody, type ResourceName, type Values } from "../contract";
import type { Kind } from "../resources";
import { EngineError } from "./errors";
import type { Intent, IntentEntry } from "./intents";
import {
  assertOffered,
  behind,
  freeFields,
  heardOf,
  notOffered,
  resourceOf,
  serviceFields,
  type Machine,
} from "./machine";
import { finish, recoverBy, recoverOne, search, type Made } from "./recover";
import { callOptions } from "./call-options";
import { isUndone } from "./refusals";
import { seal } from "./seal";
import type { Context } from "./types";

/** Creates the object, or finds the one that an interrupted run created for the same purpose. */
export async function make(
  machine: Machine,
  kind: Kind,
  inputs: Values,
  context: Context,
): Promise<Made> {
  assertOffered(machine, kind, "create");
  const bytes = bodyOf(machine, kind, inputs);
  const bodyHash = hashOf(machine, inputs, context, bytes);
  const warnings: string[] = [];
  const { identity } = context;
  const purpose = { operation: "create", kind: kind.name, identity, bodyHash } as const;
  const claimed = await machine.intents.claim(purpose, behind(machine, context));
  const recovered = await recoverOne(
    machine,
    kind,
    inputs,
    { claimed, bodyHash },
    context,
    warnings,
  );
  if (recovered) return recovered;
  warnings.push(...(await sameName(machine, kind, inputs, context)));
  for (let tries = 1; ; tries += 1) {
    const entry = await newEntry(machine, kind, inputs, { bytes, bodyHash, context });
    const intent = await machine.intents.begin(entry);
    const made = await send(machine, kind, inputs, { bytes, entry, intent }, context, warnings);
    if (made) return made;
    if (tries < KEYS_MAX) continue;
    throw new EngineError(
      "not_created",
      `${kind.name} was not created: the service failed, and goes on repeating that failure for ${KEYS_MAX} idempotency keys. Try again later, or tell the service.`,
    );
  }
}

/** Idempotency keys that one create tries, where the service keeps repeating its own failure. */
const KEYS_MAX = 2;

interface Request {
  readonly bytes: string;
  readonly entry: IntentEntry;
  readonly intent: Intent | undefined;
}

/** Sends a create. Undefined: the service keeps failing for this key, and there is no object. */
async function send(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  inputs: Values,
  { bytes, entry, intent }: Request,
  context: Context,
  warnings: string[],
): Promise<Made | undefined> {
  try {
    const { idempotencyKey } = entry;
    const options = { ...callOptions(context), idempotencyKey };
    const { record, meta } = await machine.core.createBytes(kind.resource, bytes, options);
    const answer = { record, serviceTime: meta?.timestamp };
    return await finish(machine, kind, intent, answer, context, warnings);
  } catch (error) {
    if (hasCode(error, "replayed_failure")) {
      return recoverBy(machine, kind, inputs, { entry, intent }, search, context, warnings);
    }
    if (hasCode(error, "not_offered")) {
      await machine.intents.drop(intent);
      throw notOffered(kind, "create");
    }
    await (isUndone(error) ? machine.intents.drop(intent) : machine.intents.abandon(intent));
    throw error;
  }
}

/**
 * Keyed, since a plain hash would let one guess a secret. Hosts that give no identity find intents
 * by it, after a change of the key as well: there it is plain where nothing is said to be secret.
 */
const hashOf = (machine: Machine, inputs: Values, { identity }: Context, bytes: string): string =>
  (identity === undefined && inputs["secret_properties"] === undefined
    ? createHash("sha256")
    : createHmac("sha256", machine.apiKey)
  )
    .update(bytes)
    .digest("base64url");

const bodyOf = (machine: Machine, kind: Kind, inputs: Values): string =>
  JSON.stringify(
    encodeBody(resourceOf(machine, kind), serviceFields(kind, inputs), freeFields(inputs)),
  );

async function newEntry(
  machine: Machine,
  kind: Kind,
  inputs: Values,
  { bytes, bodyHash, context }: { bytes: string; bodyHash: string; context: Context },
): Promise<IntentEntry> {
  const name = inputs["name"];
  const { identity, derived } = context;
  const serviceTime = await machine.time.known(context);
  return {
    version: 1,
    id: machine.uuid(),
    account: machine.core.account,
    operation: "create",
    kind: kind.name,
    ...(identity !== undefined && { identity }),
    ...(derived && { derived }),
    ...(typeof name === "string" && { name }),
    idempotencyKey: machine.uuid(),
    bodyHash,
    body: seal(bytes, machine.apiKey, machine.nonce()),
    time: machine.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
  };
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
  machine.time.hear(snapshot?.serviceTime);
  const twin = [...(snapshot?.records.values() ?? [])].find(
    (record) => record.fields["name"] === name && !machine.ids.isKnown(kind.name, record.id),
  );
  if (!twin) return [];
  const message = `A ${kind.name} named ${name} exists already (${twin.id}) and is not known to this run. If it is meant to be this one, import it: ${machine.importHint(kind, twin.id)}.`;
  if (policy === "error") throw new EngineError("same_name", message, ["name"]);
  return [message];
}
