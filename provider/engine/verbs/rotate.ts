/** Rotating the key that works now, and who rotates it, as the guard and messages name it. */
import { periodMs, type InputIssue, type Values } from "../../contract";
import { subjectText } from "../../messages";
import type { Kind } from "../../resources";
import { engineError, EngineError } from "../errors";
import { rotateOnce } from "../evidence/rotate";
import type { Ledger } from "../ledger";
import type { Operation } from "../service/operation";
import type { Identity, State } from "../types";
import { assertRecipient, secretValues } from "../values/api-key";
import { currentId, reconciled } from "../values/state";

/** Inputs that a rotation takes over into the state. */
const ROTATION_INPUTS = ["triggers", "rotate_after", "recipient", "allow_self_rotation"] as const;

/** Rotates the current key once, whatever happened to an interrupted rotation before. */
export async function rotateKey(op: Operation, prior: State, inputs: Values): Promise<State> {
  const { ledger } = op;
  const keyId = currentId(prior);
  const by = rotatorOf(prior, op.options.identity);
  await assertRecipient(inputs);
  ledger.note({ is: "rotates", keyId, by });
  const self = (await op.core.authTest(op.calls)).key_id === keyId;
  if (self && inputs["allow_self_rotation"] !== true) {
    const subject = op.subject(keyId, prior.values["name"]);
    const about = { path: ["allow_self_rotation"] };
    throw engineError("self_rotation", { subject, does: "rotate" }, about);
  }
  const { rotation } = await rotateOnce(op, prior, keyId);
  const { new_key: next, old_key: old } = rotation;
  if (self) {
    op.core.useKey(next.value);
    op.key.secret = next.value;
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
export const nowOf = ({ clock }: Operation, serviceTime: string | undefined): string =>
  serviceTime ?? new Date(clock.wallMs()).toISOString();

const ROTATION_OF = "rotation-of-";

export const rotationId = (keyId: string): string => `${ROTATION_OF}${keyId}`;

/** A declared key is known by its line, two rotations of one key by what the host calls them. */
export const rotatorOf = ({ id }: Pick<State, "id">, identity?: Identity): string =>
  id.startsWith(ROTATION_OF) ? (identity ?? id) : subjectText({ kind: "api_key", id });

/** Notes who rotates the key that inputs name. What is wrong where another rotator has it. */
export function noteNamedKey(
  ledger: Ledger,
  { reading }: Kind,
  { key_id: keyId }: Values,
  identity: Identity,
): InputIssue | undefined {
  if (reading.rotates !== "existing-key" || typeof keyId !== "string") return undefined;
  try {
    ledger.note({ is: "rotates", keyId, by: rotatorOf({ id: rotationId(keyId) }, identity) });
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { ...error.reason, path: ["key_id"] };
  }
}

/** A key in a state already has a rotator, be it only its own declaration. */
export function noteHeldKey(
  ledger: Ledger,
  { reading }: Kind,
  prior: State,
  identity: Identity,
): void {
  const current = prior.values["current_key_id"];
  if (reading.rotates === undefined || typeof current !== "string") return;
  const by = rotatorOf(prior, identity);
  ledger.note({ is: "rotates", keyId: current, by });
  if (reading.rotates === "own-key") ledger.note({ is: "rotates", keyId: prior.id, by });
}
