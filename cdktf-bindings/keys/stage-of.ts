/** Which stage a stack is deployed with; the stages themselves say it. */
import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/** The names of the stages of the app itself that stacks are in. */
const outermost = new WeakMap<IConstruct, string>();

/** Says which stage a stack is in. */
export const putInStage = (stack: TerraformStack, name: string): void =>
  void outermost.set(stack, name);

/** The name of the outermost stage that a stack is in; empty for a stack in the app itself. */
export const outermostStageOf = ({ node }: TerraformStack): string =>
  node.scopes.map((scope) => outermost.get(scope)).find((name) => name !== undefined) ?? "";
