/** Who an object is to the provider: the construct that declares it, in this workspace. */
import type { TerraformResourceLifecycle } from "cdktf";
import type { Construct } from "constructs";

/** Attribute that carries it; told to the provider alone, never to the service. */
const ATTRIBUTE = "idempotency_token";

/**
 * An address that is the same before and after an interrupted run, so that the run that follows
 * finds what was created: `stack/web of default`.
 */
export const identityOf = (construct: Construct): string =>
  `${literal(construct.node.path)} of \${terraform.workspace}`;

/** A text in which Terraform sees no expression. */
const literal = (text: string): string => text.replace(/([$%])\{/g, "$1$1{");

/**
 * An identity matters while its object is created. Later it is left alone, so that a construct that
 * got another address plans no change.
 */
export const keepIdentity = (
  lifecycle: TerraformResourceLifecycle = {},
): TerraformResourceLifecycle => {
  const { ignoreChanges = [] } = lifecycle;
  if (ignoreChanges === "all" || ignoreChanges.includes(ATTRIBUTE)) return lifecycle;
  return { ...lifecycle, ignoreChanges: [...ignoreChanges, ATTRIBUTE] };
};
