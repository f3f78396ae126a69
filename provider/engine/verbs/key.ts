/**
 * API keys that rotate, and rotations of keys created elsewhere. An ApiKey's id is its line: the
 * first key's id, for good; `current_key_id` is the key that works now.
 */
import type { Values } from "../../contract";
import type { Created } from "../evidence/take";
import type { Operation, Served } from "../service/operation";
import { gone, readObject } from "../service/reading";
import type { Result, State } from "../types";
import { newest } from "../values/time";
import { assertRecipient, keysOfLine, secretValues } from "../values/api-key";
import { present } from "../values/compare";
import { afterRead, currentId, reconciled } from "../values/state";
import { nowOf, rotateKey, rotationId, rotatorOf, withDue } from "./rotate";

/** Adds what the engine knows of a key that was just created or imported. */
export async function keyState(
  op: Operation,
  state: State,
  { record, serviceTime }: Created,
  inputs: Values,
): Promise<State> {
  const line = record.fields["lineage_id"];
  const values = present({
    ...state.values,
    current_key_id: record.id,
    rotated_at: record.fields["created_at"] ?? nowOf(op, serviceTime),
    rotation_due: false,
    ...(await secretValues(record.fields["value"], inputs)),
  });
  const id = typeof line === "string" ? line : state.id;
  const { ledger } = op;
  if (id !== record.id) ledger.note({ is: "alias", at: { kind: "api_key", id } });
  ledger.note({ is: "rotates", keyId: record.id, by: rotatorOf({ id }), made: true });
  return { ...state, id, values };
}

/** Reads a key by its line. Where keys can't be listed, the state is kept as it is. */
export async function readKey(op: Operation<Served>, prior: State): Promise<State | undefined> {
  if (op.resource.operations.list === undefined) {
    const { meta } = await op.core.authTest(op.calls);
    return withDue(op, prior, prior, meta?.timestamp);
  }
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const current = currentId(prior);
  const id = newest(keysOfLine(records, prior.id))?.id ?? current;
  const reading = await readObject(op, prior, id);
  if (reading.state === "gone") return gone(op, prior);
  const { record, serviceTime } = reading;
  const { values: read, private: own } = afterRead(op, prior, record);
  // The line's own beginning; when its current key was created is `rotated_at`.
  const createdAt = prior.values["created_at"] ?? read["created_at"];
  const values: Record<string, unknown> = { ...read, created_at: createdAt };
  let { lost } = prior.private;
  if (record.id !== current) {
    if (values["value"] !== undefined || values["encrypted_value"] !== undefined) lost = true;
    values["current_key_id"] = record.id;
    values["rotated_at"] = record.fields["created_at"] ?? values["rotated_at"];
    const subject = op.subject(prior.id, prior.values["name"]);
    op.warn("key_rotated_elsewhere", { subject, current: record.id });
  }
  const kept = { ...own, ...(lost === true && { lost }) };
  const state = { id: prior.id, values: present(values), private: kept };
  return withDue(op, prior, state, serviceTime);
}

/** Declares the rotation of an existing key, and rotates it once unless `rotate_on_create` is false. */
export async function createRotation(op: Operation, inputs: Values): Promise<Result> {
  const keyId = String(inputs["key_id"]);
  const id = rotationId(keyId);
  await assertRecipient(inputs);
  op.ledger.note({ is: "rotates", keyId, by: rotatorOf({ id }, op.options.identity) });
  const createdAt = nowOf(op, (await op.core.authTest(op.calls)).meta?.timestamp);
  const values = {
    ...inputs,
    created_at: createdAt,
    current_key_id: keyId,
    rotated_at: createdAt,
    rotation_due: false,
  };
  const state = { id, ...reconciled(op, values, { managed: Object.keys(inputs), echo: {} }) };
  if (inputs["rotate_on_create"] === false) return { state, warnings: [] };
  return { state: await rotateKey(op, state, inputs), warnings: op.warnings };
}

/** Reads only the service's time: the key itself may not be listed. */
export async function readRotation(op: Operation, prior: State): Promise<State> {
  if (prior.values["rotate_after"] === undefined) return prior;
  const { meta } = await op.core.authTest(op.calls);
  return withDue(op, prior, prior, meta?.timestamp);
}
