/** Changes that a key is rotated for: why, and until when the one in use works. */
import type { Values } from "../../contract";
import { message, type Message } from "../../messages";
import type { Kind } from "../../resources";
import type { Change, State } from "../types";
import { currentId, subjectOf } from "../values/state";

/** A new recipient needs a new secret: somebody else could read the old one. */
const ROTATING = new Set(["triggers", "rotation_due", "recipient"]);

const isRotating = ({ path: [head] }: Pick<Change, "path">): boolean => ROTATING.has(String(head));

export const rotates = (kind: Kind, changes: readonly Pick<Change, "path">[]): boolean =>
  kind.reading.rotates !== undefined && changes.some(isRotating);

/**
 * The changes of a key, with its rotation where that is due. The last read decided whether it is, so
 * that plan and apply agree. The first change that rotates it says why: it is rotated once for them all.
 */
export function withRotation(
  prior: State,
  inputs: Values,
  fields: readonly Change[],
): readonly Change[] {
  const isLost = prior.private.lost === true;
  const isAsked = typeof inputs["rotate_after"] === "string" || isLost;
  const isDue = isAsked && prior.values["rotation_due"] === true;
  const due = { path: ["rotation_due"], kind: "update", replace: false, secret: false } as const;
  const changes = isDue ? [...fields, due] : fields;
  const first = changes.find(isRotating);
  if (!first || changes.some(({ replace }) => replace)) return changes;
  const reason = reasonOf(prior, inputs, changes.filter(isRotating), isDue);
  return changes.map((change) => (change === first ? { ...change, reason } : change));
}

function reasonOf(
  prior: State,
  inputs: Values,
  rotating: readonly Change[],
  isDue: boolean,
): Message {
  const { values } = prior;
  const { name, rotated_at: since } = values;
  const grace = inputs["grace_period"] ?? values["grace_period"];
  const subject = subjectOf("api_key", currentId(prior), name);
  const parts = { subject, grace: typeof grace === "string" ? grace : undefined };
  if (!isDue) {
    return message("rotation_triggered", { ...parts, paths: rotating.map(({ path }) => path) });
  }
  if (prior.private.lost === true) return message("secret_lost", parts);
  const after = String(inputs["rotate_after"]);
  return message("rotation_due", { ...parts, after, since: String(since) });
}
