/** Which scopes a key needs to plan or to apply a stack. */
import { TerraformElement, type TerraformStack } from "cdktf";
import { isOurs, pathOf } from "../checks/program";
import { scopesFor } from "../keys/scopes";
import type { DeployKeyOptions, Scope } from "../keys/uses";
import { configurationOf, type Verdict } from "./synthesised";

/** Whether the stack needs exactly these scopes; of others, the verdict names what needs them. */
export function needsScopes(
  stack: TerraformStack,
  expected: readonly Scope[],
  options: DeployKeyOptions = {},
): Verdict {
  // Aspects have a say, and mistakes are to be found.
  configurationOf(stack);
  const needed = scopesFor(stack, options);
  const purpose = options.for === "plan" ? "to be planned" : "to be applied";
  const begin = `The stack ${stack.node.path}`;
  const unexpected = needed.filter((scope) => !expected.includes(scope));
  const idle = expected.filter((scope) => !needed.includes(scope));
  if (unexpected.length === 0 && idle.length === 0) {
    const message = `${begin} needs exactly these scopes ${purpose}: ${needed.join(", ")}.`;
    return { pass: true, message };
  }
  const lines = [
    ...unexpected.map((scope) => `  ${scope} is needed by ${usersOf(stack, scope, options)}`),
    ...idle.map((scope) => `  ${scope} is not needed`),
  ];
  return { pass: false, message: [`${begin} needs other scopes ${purpose}:`, ...lines].join("\n") };
}

/** Paths of the constructs that need a scope. */
function usersOf(stack: TerraformStack, scope: Scope, options: DeployKeyOptions): string {
  const { also: _, ...own } = options;
  const users = stack.node
    .findAll()
    .filter((each) => TerraformElement.isTerraformElement(each))
    .filter((each) => each.cdktfStack === stack && isOurs(each))
    .filter((each) => scopesFor(each, own).includes(scope));
  const paths = [...new Set(users.map(pathOf))];
  return paths.length === 0 ? "the option also" : paths.join(", ");
}
