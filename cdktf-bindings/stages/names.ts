/** What stages say of their stacks: how default names in them begin, and the stage itself. */
import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

const prefixes = new WeakMap<TerraformStack, string>();

/** What default names in a stack begin with; empty: nothing. */
export const namePrefixOf = (stack: TerraformStack): string => prefixes.get(stack) ?? "";

/** Decides what default names in a stack begin with. */
export const prefixNames = (stack: TerraformStack, prefix: string): void => {
  prefixes.set(stack, prefix);
};

/** The names of the stages of the app itself that stacks are in. */
const outermost = new WeakMap<IConstruct, string>();

/** Says which stage a stack is in. */
export const putInStage = (stack: TerraformStack, name: string): void =>
  void outermost.set(stack, name);

/** The name of the outermost stage that a stack is in; empty for a stack in the app itself. */
export const outermostStageOf = ({ node }: TerraformStack): string =>
  node.scopes.map((scope) => outermost.get(scope)).find((name) => name !== undefined) ?? "";
