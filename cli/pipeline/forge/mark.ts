/** Names that a program has on a forge, whatever characters are in its stack and its folder. */
import { createHash } from "node:crypto";

/** Two folders of a repository may each have a stack of the same name. */
export interface Program {
  readonly stack: string;
  /** From the top of the repository, with a slash at its end; empty at the top. */
  readonly dir: string;
}

const SLUG_LENGTH_MAX = 40;
const HASH_LENGTH = 8;

/** `infra-prod-1a2b3c4d`: readable, of letters, digits and hyphens, and another one for each program. */
export function slugOf({ stack, dir }: Program): string {
  const readable = `${dir}${stack}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-|-$/g, "");
  const hash = createHash("sha256")
    .update(JSON.stringify([dir, stack]))
    .digest("hex")
    .slice(0, HASH_LENGTH);
  return readable === "" ? hash : `${readable}-${hash}`;
}

/** The line that an issue about drift begins with, which Markdown does not show. */
export const markOf = (about: "drift", program: Program): string =>
  `<!-- erphost:${about}:${slugOf(program)} -->`;

/** What the forge calls the file of a saved plan. */
export const artifactName = (program: Program): string => `erphost-plan-${slugOf(program)}`;
