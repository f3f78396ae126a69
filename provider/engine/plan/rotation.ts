/** Why a plan rotates a key, and until when the one in use works. */
import type { Values } from "../../contract";
import { message, type Message } from "../../messages";
import type { Change, State } from "../types";
import { isRotating } from "../values/rotates";

/** Says the reason at the first of the changes that rotate the key: it is rotated once for them all. */
export function withReason(
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): readonly Change[] {
  if (changes.some(({ replace }) => replace)) return changes;
  const at = changes.findIndex(isRotating);
  return changes.map((change, index) =>
    index === at ? { ...change, reason: reasonOf(prior, inputs, changes) } : change,
  );
}

function reasonOf(prior: State, inputs: Values, changes: readonly Change[]): Message {
  const { name, current_key_id: current, rotated_at: since } = prior.values;
  const grace = inputs["grace_period"] ?? prior.values["grace_period"];
  const parts = {
    subject: {
      kind: "api_key",
      id: typeof current === "string" ? current : prior.id,
      ...(typeof name === "string" && { name }),
    },
    grace: typeof grace === "string" ? grace : undefined,
  };
  const paths = changes.filter(isRotating).map(({ path }) => path);
  if (!paths.some(([head]) => head === "rotation_due")) {
    return message("rotation_triggered", { ...parts, paths });
  }
  if (prior.private.lost === true) return message("secret_lost", parts);
  const after = String(inputs["rotate_after"]);
  return message("rotation_due", { ...parts, after, since: String(since) });
}
