/** Names for objects that the program does not name. */
import { createHash } from "node:crypto";
import type { Kind } from "../../../resources";
import { AutonamingMode, type AutonamingOptions } from "../messages.gen";

const RANDOM_LENGTH = 7;
const NAME_LENGTH_MAX = 255;

/** Whether objects of this kind have a name that must be given. */
export const isNamed = (kind: Kind): boolean => kind.fields["name"]?.use === "required";

export interface Autonaming {
  /** The same in the preview and in the run, so that both show one name. */
  readonly randomSeed: Uint8Array;
  /** From the stack's configuration (`pulumi:autonaming`). */
  readonly proposed?: AutonamingOptions | undefined;
}

/** `erp-3f9c1aa`: the resource's name and a random suffix. Undefined where naming is off. */
export function autoname(name: string, { randomSeed, proposed }: Autonaming): string | undefined {
  if (proposed?.mode === AutonamingMode.disable) return undefined;
  if (proposed && proposed.proposed_name !== "")
    return proposed.proposed_name.slice(0, NAME_LENGTH_MAX);
  const random = createHash("sha256").update(randomSeed).update(name).digest("hex");
  const end = `-${random.slice(0, RANDOM_LENGTH)}`;
  return `${name.slice(0, NAME_LENGTH_MAX - end.length)}${end}`;
}
