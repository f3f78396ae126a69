/** Creating an object, and waiting until it is ready. */
import type { Values } from "../../contract";
import { message } from "../../messages";
import { EngineError, PartialFailure, reasonOf } from "../errors";
import { movesOnly } from "../plan/account";
import { createOnce } from "../evidence/create";
import { isServed, type Operation } from "../service/operation";
import { createRotation, keyState, rotateKey } from "./key";
import { assertRecipient } from "../values/api-key";
import type { Result, State } from "../types";
import { creating, failed, waitUntilReady } from "../service/ready";
import { validInputs } from "../values/inputs";
import { afterWrite } from "../values/state";

export async function create(op: Operation, declared: Values): Promise<Result> {
  const inputs = validInputs(op, declared);
  if (op.former !== undefined) throw new EngineError(movesOnly(op.former, op.kind.name, "create"));
  // The apply of a saved plan knows by nothing else what the state holds.
  const { replaces } = op.options;
  if (replaces) await op.seeState(replaces);
  if (!isServed(op)) return createRotation(op, inputs);
  const isKey = op.kind.reading.rotates === "own-key";
  if (isKey) await assertRecipient(inputs);
  const created = await creating(op, () => createOnce(op, inputs));
  const waited = await waitUntilReady(op, inputs, created.record);
  const written = afterWrite(op, waited.record, { inputs });
  const own = { ...written.private, ...(created.resumed && { resumed: created.resumed }) };
  const base = { id: created.record.id, ...written, private: own };
  let state = isKey ? await keyState(op, base, created, inputs) : base;
  if (isKey && created.record.fields["value"] === undefined) {
    state = await rotateLost(op, state, inputs);
  }
  if (waited.outcome === "failed") throw failed(op, waited, state);
  return { state, warnings: op.warnings };
}

/** A key that was found by its name has lost its secret: it is rotated, so that the state has one. */
async function rotateLost(op: Operation, state: State, inputs: Values): Promise<State> {
  const keyId = String(state.values["current_key_id"]);
  try {
    const rotated = await rotateKey(op, state, inputs);
    const end = String(rotated.values["previous_key_expires_at"]);
    op.warn("lost_secret_rotated", { keyId, end });
    return rotated;
  } catch (error) {
    const reason = message("lost_secret_kept", { keyId, reason: reasonOf(error) });
    const values = { ...state.values, rotation_due: true };
    const kept = { ...state, values, private: { ...state.private, lost: true } };
    throw new PartialFailure(kept, reason, op.warnings, error);
  }
}
