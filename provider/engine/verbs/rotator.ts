/** Who rotates a key, as the guard and messages name it. */
import type { InputIssue, Values } from "../../contract";
import { subjectText } from "../../messages";
import type { Kind } from "../../resources";
import { EngineError } from "../errors";
import type { Ledger } from "../ledger";
import type { Identity, State } from "../types";

const ROTATION_OF = "rotation-of-";

/** The id of a rotation's declaration. */
export const rotationId = (keyId: string): string => `${ROTATION_OF}${keyId}`;

/**
 * A declared key is known by its line; two rotations of one key differ only by what the host calls
 * them.
 */
export const rotatorOf = ({ id }: Pick<State, "id">, identity?: Identity): string =>
  id.startsWith(ROTATION_OF) ? (identity ?? id) : subjectText({ kind: "api_key", id });

/** Claims the key that inputs name. What is wrong where another rotator has it. */
export function claimNamedKey(
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
export function claimHeldKey(
  ledger: Ledger,
  { reading }: Kind,
  prior: State,
  identity: Identity,
): void {
  const current = prior.values["current_key_id"];
  if (reading.rotates === undefined || typeof current !== "string") return;
  const by = rotatorOf(prior, identity);
  ledger.note({ is: "rotates", keyId: current, by: by });
  if (reading.rotates === "own-key") ledger.note({ is: "rotates", keyId: prior.id, by: by });
}
