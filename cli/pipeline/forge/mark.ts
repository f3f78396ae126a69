/** Names that a stack has on a forge, whatever characters are in it. */
import { createHash } from "node:crypto";

const SLUG_LENGTH_MAX = 40;
const HASH_LENGTH = 8;

/** `prod-1a2b3c4d`: readable, of letters, digits and hyphens, and another one for every stack. */
function slugOf(stack: string): string {
  const readable = stack
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-|-$/g, "");
  const hash = createHash("sha256").update(stack).digest("hex").slice(0, HASH_LENGTH);
  return readable === "" ? hash : `${readable}-${hash}`;
}

/** The line that a comment or an issue begins with, which Markdown does not show. */
export const markOf = (about: "plan" | "drift", stack: string): string =>
  `<!-- erphost:${about}:${slugOf(stack)} -->`;

/** What the forge calls the file of a saved plan. */
export const artifactName = (stack: string): string => `erphost-plan-${slugOf(stack)}`;
