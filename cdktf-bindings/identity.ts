/** Who an object is to the provider: the construct that declares it, in this workspace. */
import type { Construct } from "constructs";

/**
 * An address that is the same before and after an interrupted run, so that the run that follows
 * finds what was created: `stack/web of default`.
 */
export const identityOf = (construct: Construct): string =>
  `${literal(construct.node.path)} of \${terraform.workspace}`;

/** A text in which Terraform sees no expression. */
const literal = (text: string): string => text.replace(/([$%])\{/g, "$1$1{");
