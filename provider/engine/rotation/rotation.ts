/**
 * Keys that rotate. An ApiKey's id is its line: the first key's id, for good; `current_key_id` is
 * the key that works now. An ApiKeyRotation rotates a key that was made elsewhere.
 */
import type { Operation } from "../operation";
import { periodMs, type ResourceName, type ServiceRecord, type Values } from "../../contract";
import type { Kind } from "../../resources";
import { EngineError, subject } from "../errors";
import type { Machine } from "../machine";
import { afterRead, finish, present } from "../lifecycle/reconcile";
import { ask, gone, newest, removeSurely } from "../lifecycle/records";
import { rotateOnce } from "./once";
import { encryptTo } from "../intents/seal";
import type { ReadResult, Result, State } from "../types";

type Served = Kind & { resource: ResourceName };

/** Adds what the engine knows of a key that was just made or imported. */
export async function afterKeyCreated(
  machine: Machine,
  state: State,
  record: ServiceRecord,
  serviceTime: string | undefined,
  inputs: Values,
): Promise<State> {
  const line = record.fields["lineage_id"];
  const values = present({
    ...state.values,
    current_key_id: record.id,
    rotated_at: record.fields["created_at"] ?? serviceTime ?? isoNow(machine),
    rotation_due: false,
    ...(await secretValues(record.fields["value"], inputs)),
  });
  const id = typeof line === "string" ? line : state.id;
  if (id !== record.id) machine.ids.mention("api_key", id);
  machine.rotators.follow(record.id, rotatorOf({ id }));
  return { ...state, id, values };
}

const ROTATION_OF = "rotation-of-";

/**
 * Who rotates a key, as messages name it. A declared key is known by its line; two rotations of
 * one key differ by what the host calls them alone.
 */
export const rotatorOf = ({ id }: Pick<State, "id">, identity?: string): string =>
  id.startsWith(ROTATION_OF) ? (identity ?? id) : `api_key ${id}`;

/** The id of a rotation's declaration. */
export const rotationId = (keyId: string): string => `${ROTATION_OF}${keyId}`;

/** Tries the recipient before anything is made that only it could open. */
export async function assertRecipient(inputs: Values): Promise<void> {
  const recipient = inputs["recipient"];
  if (typeof recipient !== "string") return;
  try {
    await encryptTo(recipient, "");
  } catch {
    throw new EngineError(
      "invalid_input",
      "recipient is no age public key: its checksum is wrong. Copy it again, from age1 to its end.",
      ["recipient"],
    );
  }
}

const isoNow = (machine: Machine): string => new Date(machine.clock.wallMs()).toISOString();

/** The secret as the program wants it kept: plain, or encrypted to its recipient. */
async function secretValues(value: unknown, inputs: Values): Promise<Values> {
  if (typeof value !== "string") return {};
  const recipient = inputs["recipient"];
  return typeof recipient === "string"
    ? { value: undefined, encrypted_value: await encryptTo(recipient, value) }
    : { value, encrypted_value: undefined };
}

/** Declares the rotation of an existing key, and rotates it once unless told to wait. */
export async function createRotation(op: Operation, inputs: Values): Promise<Result> {
  const keyId = String(inputs["key_id"]);
  const id = rotationId(keyId);
  await assertRecipient(inputs);
  op.machine.rotators.claim(keyId, rotatorOf({ id }, op.context.identity));
  const meta = (await op.core.authTest(op.calls)).meta;
  const createdAt = meta?.timestamp ?? isoNow(op.machine);
  const values = {
    ...inputs,
    created_at: createdAt,
    current_key_id: keyId,
    rotated_at: createdAt,
    rotation_due: false,
  };
  const state = { id, ...finish(op.ours, values, Object.keys(inputs), {}) };
  if (inputs["rotate_on_create"] === false) return { state, warnings: [] };
  return { state: await rotateKey(op, state, inputs), warnings: op.warnings };
}

/** Rotates the current key once, whatever happened to an interrupted rotation before. */
export async function rotateKey(op: Operation, prior: State, inputs: Values): Promise<State> {
  const keyId = currentId(prior);
  await assertRecipient(inputs);
  op.machine.rotators.claim(keyId, rotatorOf(prior, op.context.identity));
  const self = await isOwnKey(op, keyId);
  if (self && inputs["allow_self_rotation"] !== true) {
    throw new EngineError(
      "self_rotation",
      `${subject("key", keyId, prior.values["name"])} is the key that this run uses, so rotating it would end its own access after the grace period. Set allow_self_rotation to true and hand the new key to the pipeline, or run with another key.`,
      ["allow_self_rotation"],
    );
  }
  const { rotated, intent } = await rotateOnce(op, prior, keyId);
  const { new_key: next, old_key: old } = rotated.rotation;
  await op.machine.intents.answered(intent, next.id);
  if (self) {
    op.core.useKey(next.value);
    op.machine.apiKey = next.value;
  }
  // From here on the new secret is in our hands alone: nothing may fail before it is handed over.
  op.machine.rotators.follow(next.id, rotatorOf(prior, op.context.identity));
  const values = {
    ...prior.values,
    ...Object.fromEntries(
      ["triggers", "rotate_after", "recipient", "allow_self_rotation"].map((name) => [
        name,
        inputs[name],
      ]),
    ),
    current_key_id: next.id,
    rotated_at: next.created_at,
    previous_key_expires_at: old.expires_at,
    rotation_due: false,
    ...(await secretValues(next.value, inputs)),
  };
  return {
    id: prior.id,
    ...finish(op.ours, values, Object.keys(inputs), prior.private.echo),
  };
}

async function isOwnKey(op: Operation, keyId: string): Promise<boolean> {
  const test = await op.core.authTest(op.calls);
  return test.key_id === keyId;
}

/** Reads a key by its line. Where keys can't be listed the state stands, without a verdict. */
export async function readKey(op: Operation<Served>, prior: State): Promise<ReadResult> {
  if (op.contract.resources.api_key.operations.list === undefined) {
    const { meta } = await op.core.authTest(op.calls);
    return { state: dueNow(op, prior, prior, meta?.timestamp), warnings: [] };
  }
  const options = op.sharedWalk;
  const snapshot = await op.core.snapshot(op.kind.resource, options);
  const line = [...snapshot.records.values()].filter(
    (record) => record.fields["lineage_id"] === prior.id,
  );
  const found = newest(line)?.id ?? currentId(prior);
  const reading = await ask(op, prior, found);
  if (reading.state === "gone") return gone(op.kind, prior);
  const { values: shown, ...rest } = afterRead(op.ours, prior, reading.record);
  // The line's own beginning; when its current key was made is `rotated_at`.
  const read = { id: prior.id, ...rest, values: { ...shown, ...lineValues(prior) } };
  const elsewhere = reading.record.id !== currentId(prior);
  const values = elsewhere
    ? {
        ...read.values,
        current_key_id: reading.record.id,
        rotated_at: reading.record.fields["created_at"] ?? read.values["rotated_at"],
      }
    : read.values;
  const warnings = elsewhere
    ? [
        `${subject("api_key", prior.id, prior.values["name"])} was rotated elsewhere: the key in use is ${reading.record.id}, and the secret in the state is of an older one.`,
      ]
    : [];
  const held = values["value"] !== undefined || values["encrypted_value"] !== undefined;
  const lost = prior.private.lost === true || (elsewhere && held);
  const now = { ...read, values, private: { ...read.private, ...(lost && { lost }) } };
  return { state: dueNow(op, prior, now, reading.serviceTime), warnings };
}

const lineValues = ({ values }: State): Values =>
  values["created_at"] === undefined ? {} : { created_at: values["created_at"] };

/** The id that lists show now: a rotated key is patched, rotated and deleted under this one. */
export const currentId = ({ id, values }: State): string => {
  const current = values["current_key_id"];
  return typeof current === "string" ? current : id;
};

/** A rotation reads only the service's time: its key may not be listed at all. */
export async function readRotation(op: Operation, prior: State): Promise<ReadResult> {
  if (prior.values["rotate_after"] === undefined) return { state: prior, warnings: [] };
  const { meta } = await op.core.authTest(op.calls);
  return { state: dueNow(op, prior, prior, meta?.timestamp), warnings: [] };
}

/** Stores whether the rotation is due, by the service's own time, so that plan and apply agree. */
function dueNow(op: Operation, prior: State, state: State, serviceTime: string | undefined): State {
  const after = prior.values["rotate_after"];
  const now = Date.parse(serviceTime ?? isoNow(op.machine));
  const since = Date.parse(String(state.values["rotated_at"]));
  const old = typeof after === "string" && now - since >= periodMs(after);
  const due = old || state.private.lost === true;
  return { ...state, values: { ...state.values, rotation_due: due } };
}

/** Deletes all keys of the line that still work; refuses the key that this run uses. */
export async function deleteKey(op: Operation<Served>, prior: State): Promise<string[]> {
  const current = currentId(prior);
  const older = await olderKeys(op, prior);
  const { key_id: own } = await op.core.authTest(op.calls);
  if (own === current || older.includes(own)) {
    throw new EngineError(
      "self_rotation",
      `${subject("api_key", own, prior.values["name"])} is the key that this run uses; deleting it would lock the run out. Use another key to destroy it.`,
    );
  }
  const failed: string[] = [];
  for (const id of [...older, current]) {
    await removeSurely(op, id).catch((error: unknown) => {
      if (id === current) throw error;
      failed.push(id);
    });
  }
  return failed.map(
    (id) =>
      `Key ${id}, an older one of the line ${prior.id}, could not be deleted and ends with its grace period.`,
  );
}

async function olderKeys(op: Operation<Served>, prior: State): Promise<string[]> {
  if (op.contract.resources.api_key.operations.list === undefined) return [];
  const snapshot = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  return [...snapshot.records.values()]
    .filter((record) => record.fields["lineage_id"] === prior.id && record.id !== currentId(prior))
    .map(({ id }) => id);
}
