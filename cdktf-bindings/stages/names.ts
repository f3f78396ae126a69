/** The first part of the names that constructs have by default. */
import type { TerraformStack } from "cdktf";

const prefixes = new WeakMap<TerraformStack, string>();

/** What default names in a stack begin with; empty: nothing. */
export const namePrefixOf = (stack: TerraformStack): string => prefixes.get(stack) ?? "";

/** Decides what default names in a stack begin with. */
export const prefixNames = (stack: TerraformStack, prefix: string): void => {
  prefixes.set(stack, prefix);
};
