/** Changes that a key is rotated for. */
import type { Kind } from "../../resources";
import type { Change } from "../types";

/** Whether these changes rotate the key. */
export const rotates = (kind: Kind, changes: readonly Pick<Change, "path">[]): boolean =>
  kind.reading.rotates !== undefined &&
  changes.some(({ path: [head] }) => ROTATING.has(String(head)));

/** A new recipient needs a new secret: somebody else could read the old one. */
const ROTATING = new Set(["triggers", "rotation_due", "recipient"]);
