/** Making an object, exactly once: an intent, then the request. */
import { createHash, createHmac } from "node:crypto";
import { hasCode } from "../../client/errors";
import { encodeBody, type Values } from "../../contract";
import { EngineError } from "../errors";
import type { Intent, IntentEntry } from "./store";
import { freeFields, heardOf, serviceFields, type Machine } from "../machine";
import { finish, recoverBy, recoverOne, search, type Made } from "./recover";
import { isUndone } from "../refusals";
import { seal } from "./seal";
import type { Context } from "../types";
import { type Operation, type Served, assertOffered, behind, notOffered } from "../operation";

/** Creates the object, or finds the one that an interrupted run created for the same purpose. */
export async function make(op: Operation, inputs: Values): Promise<Made> {
  assertOffered(op, "create");
  const bytes = bodyOf(op, inputs);
  const bodyHash = hashOf(op.machine, inputs, op.context, bytes);
  const { identity } = op.context;
  const purpose = { operation: "create", kind: op.kind.name, identity, bodyHash } as const;
  const claimed = await op.machine.intents.claim(purpose, behind(op));
  const recovered = await recoverOne(op, inputs, { claimed, bodyHash });
  if (recovered) return recovered;
  op.warnings.push(...(await sameName(op, inputs)));
  for (let tries = 1; ; tries += 1) {
    const entry = await newEntry(op, inputs, { bytes, bodyHash, context: op.context });
    const intent = await op.machine.intents.begin(entry);
    const made = await send(op, inputs, { bytes, entry, intent });
    if (made) return made;
    if (tries < KEYS_MAX) continue;
    throw new EngineError(
      "not_created",
      `${op.kind.name} was not created: the service failed, and goes on repeating that failure for ${KEYS_MAX} idempotency keys. Try again later, or tell the service.`,
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
  op: Operation<Served>,
  inputs: Values,
  { bytes, entry, intent }: Request,
): Promise<Made | undefined> {
  try {
    const { idempotencyKey } = entry;
    const options = { ...op.calls, idempotencyKey };
    const { record, meta } = await op.core.createBytes(op.kind.resource, bytes, options);
    const answer = { record, serviceTime: meta?.timestamp };
    return await finish(op, intent, answer);
  } catch (error) {
    if (hasCode(error, "replayed_failure")) {
      return recoverBy(op, inputs, { entry, intent }, search);
    }
    if (hasCode(error, "not_offered")) {
      await op.machine.intents.drop(intent);
      throw notOffered(op.kind, "create");
    }
    await (isUndone(error) ? op.machine.intents.drop(intent) : op.machine.intents.abandon(intent));
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

const bodyOf = (op: Operation, inputs: Values): string =>
  JSON.stringify(encodeBody(op.resource, serviceFields(op.kind, inputs), freeFields(inputs)));

async function newEntry(
  op: Operation,
  inputs: Values,
  { bytes, bodyHash, context }: { bytes: string; bodyHash: string; context: Context },
): Promise<IntentEntry> {
  const name = inputs["name"];
  const { identity, derived } = context;
  const serviceTime = await op.machine.time.known(context);
  return {
    version: 1,
    id: op.machine.uuid(),
    account: op.core.account,
    operation: "create",
    kind: op.kind.name,
    ...(identity !== undefined && { identity }),
    ...(derived && { derived }),
    ...(typeof name === "string" && { name }),
    idempotencyKey: op.machine.uuid(),
    bodyHash,
    body: seal(bytes, op.machine.apiKey, op.machine.nonce()),
    time: op.machine.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
  };
}

/** An object of the same name that nobody here knows: told, or refused. */
async function sameName(op: Operation<Served>, inputs: Values): Promise<string[]> {
  const { sameName: policy } = op.machine.options;
  const name = inputs["name"];
  const replacing = heardOf(op.machine, op.context.identity).prior === true;
  const listed = op.resource.operations.list !== undefined;
  if (policy === "allow" || typeof name !== "string" || replacing || !listed) return [];
  const options = op.sharedWalk;
  const snapshot = await op.core.snapshot(op.kind.resource, options).catch((error: unknown) => {
    // A key that may write and not read still creates.
    if (policy === "warn") return undefined;
    throw error;
  });
  op.machine.time.hear(snapshot?.serviceTime);
  const twin = [...(snapshot?.records.values() ?? [])].find(
    (record) => record.fields["name"] === name && !op.machine.ids.isKnown(op.kind.name, record.id),
  );
  if (!twin) return [];
  const message = `A ${op.kind.name} named ${name} exists already (${twin.id}) and is not known to this run. If it is meant to be this one, import it: ${op.machine.importHint(op.kind, twin.id)}.`;
  if (policy === "error") throw new EngineError("same_name", message, ["name"]);
  return [message];
}
