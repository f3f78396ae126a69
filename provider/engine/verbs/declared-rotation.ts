/** Rotations that a program declares of a key that was created elsewhere. */
import type { Values } from "../../contract";
import { reconciled } from "../values/state";
import type { Operation } from "../service/operation";
import type { ReadResult, Result, State } from "../types";
import { nowOf, rotateKey, withDue } from "./rotate";
import { rotationId, rotatorOf } from "./rotator";
import { assertRecipient } from "../values/api-key";

/** Declares the rotation of an existing key, and rotates it once unless `rotate_on_create` is false. */
export async function createRotation(op: Operation, inputs: Values): Promise<Result> {
  const keyId = String(inputs["key_id"]);
  const id = rotationId(keyId);
  await assertRecipient(inputs);
  op.run.ledger.note({ is: "rotates", keyId, by: rotatorOf({ id }, op.options.identity) });
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
export async function readRotation(op: Operation, prior: State): Promise<ReadResult> {
  if (prior.values["rotate_after"] === undefined) return { state: prior, warnings: [] };
  const { meta } = await op.core.authTest(op.calls);
  return { state: withDue(op, prior, prior, meta?.timestamp), warnings: [] };
}
