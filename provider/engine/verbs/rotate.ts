/** Rotating the key that works now. */
import { periodMs, type Values } from "../../contract";
import { engineError } from "../errors";
import { type Operation } from "../service/operation";
import { currentId, reconciled } from "../values/state";
import type { State } from "../types";
import { rotateOnce } from "../evidence/rotate";
import { rotatorOf } from "./rotator";
import { assertRecipient, secretValues } from "../values/api-key";

/** Inputs that a rotation takes over into the state. */
const ROTATION_INPUTS = ["triggers", "rotate_after", "recipient", "allow_self_rotation"] as const;

/** Rotates the current key once, whatever happened to an interrupted rotation before. */
export async function rotateKey(op: Operation, prior: State, inputs: Values): Promise<State> {
  const { ledger } = op.run;
  const keyId = currentId(prior);
  const by = rotatorOf(prior, op.options.identity);
  await assertRecipient(inputs);
  ledger.note({ is: "rotates", keyId, by });
  const self = (await op.core.authTest(op.calls)).key_id === keyId;
  if (self && inputs["allow_self_rotation"] !== true) {
    throw engineError(
      "self_rotation",
      { subject: op.subject(keyId, prior.values["name"]), does: "rotate" },
      { path: ["allow_self_rotation"] },
    );
  }
  const { rotation } = await rotateOnce(op, prior, keyId);
  const { new_key: next, old_key: old } = rotation;
  if (self) {
    op.core.useKey(next.value);
    op.run.apiKey = next.value;
  }
  // Only this process has the new secret now: nothing may fail before the host has it.
  ledger.note({ is: "rotates", keyId: next.id, by, made: true });
  const values = {
    ...prior.values,
    ...Object.fromEntries(ROTATION_INPUTS.map((name) => [name, inputs[name]])),
    current_key_id: next.id,
    rotated_at: next.created_at,
    previous_key_expires_at: old.expires_at,
    rotation_due: false,
    ...(await secretValues(next.value, inputs)),
  };
  const { echo } = prior.private;
  const own = reconciled(op, values, { managed: Object.keys(inputs), echo, prior });
  return { id: prior.id, ...own };
}

/** Stores whether the rotation is due, by the service's own time, so that plan and apply agree. */
export function withDue(
  op: Operation,
  prior: State,
  state: State,
  serviceTime: string | undefined,
): State {
  const after = prior.values["rotate_after"];
  const ageMs = Date.parse(nowOf(op, serviceTime)) - Date.parse(String(state.values["rotated_at"]));
  const old = typeof after === "string" && ageMs >= periodMs(after);
  const due = old || state.private.lost === true;
  return { ...state, values: { ...state.values, rotation_due: due } };
}

/** The service's time, or this machine's where the service did not say it. */
export const nowOf = ({ run }: Operation, serviceTime: string | undefined): string =>
  serviceTime ?? new Date(run.clock.wallMs()).toISOString();
