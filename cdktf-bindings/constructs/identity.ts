/** The identity of an object to the provider: its construct's address and the workspace. */
import type { Construct } from "constructs";

/**
 * An identity that is the same before and after an interrupted run, so that the next run finds what
 * was created: `stack/web of default`.
 */
export const identityOf = (construct: Construct): string =>
  `${literal(construct.node.path)} of \${terraform.workspace}`;

/** Escaped, so that Terraform finds no expression in it. */
const literal = (text: string): string => text.replace(/([$%])\{/g, "$1$1{");
