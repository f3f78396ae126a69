/** Changes that a key is rotated for. */
import type { Values } from "../../contract";
import type { Kind } from "../../resources";
import type { Change, State } from "../types";

/** Whether these changes rotate the key. */
export const rotates = (kind: Kind, changes: readonly Pick<Change, "path">[]): boolean =>
  kind.reading.rotates !== undefined && changes.some(isRotating);

/** Whether it rotates the key of a kind that has one. */
export const isRotating = ({ path: [head] }: Pick<Change, "path">): boolean =>
  ROTATING.has(String(head));

/** A new recipient needs a new secret: somebody else could read the old one. */
const ROTATING = new Set(["triggers", "rotation_due", "recipient"]);

/** The last read decides whether it is due, so that plan and apply agree. */
export function rotationDue(kind: Kind, prior: State, inputs: Values): Change[] {
  const due = kind.reading.rotates !== undefined && prior.values["rotation_due"] === true;
  const isAsked = typeof inputs["rotate_after"] === "string" || prior.private.lost === true;
  return due && isAsked
    ? [{ path: ["rotation_due"], kind: "update", replace: false, secret: false }]
    : [];
}
