/** What tests say of a stack, with any test runner. */
import { TerraformElement, type TerraformStack } from "cdktf";
import { isOurs, pathOf } from "../checks/program";
import { scopesFor } from "../keys/scopes";
import { declaresObject, type ExpectedProps, type ObjectClass } from "./declared-objects";
import type { DeployKeyOptions, Scope } from "../keys/uses";
import { assertStack, configurationOf, type Verdict } from "./synthesised";

/** What can be said of a stack; `R` is what saying it gives, which is the runner's own. */
export interface StackMatchers<R> {
  /**
   * One of the stack's constructs of this class has these props, as programs write them; without
   * props, there is one. The class may be a generated one (`l1`).
   */
  toDeclare<P>(Class: ObjectClass<P>, props?: ExpectedProps<P>): R;
  /**
   * A key needs exactly these scopes to apply the stack, or with `{ for: "plan" }` to plan it, as
   * `deployKeyFor` computes them.
   */
  toNeedScopes(scopes: readonly Scope[], options?: DeployKeyOptions): R;
}

/** Each matcher's verdict about what a test gave to `expect`. */
export const verdicts: Readonly<
  Record<keyof StackMatchers<void>, (received: unknown, ...args: never[]) => Verdict>
> = {
  toDeclare(received: unknown, Class: ObjectClass<never>, props?: object) {
    assertStack("toDeclare", received);
    return declaresObject(received, Class, props);
  },
  toNeedScopes(received: unknown, scopes: readonly Scope[], options?: DeployKeyOptions) {
    assertStack("toNeedScopes", received);
    return needsScopes(received, scopes, options);
  },
};

/** The matchers about one stack, and their opposites. */
export interface StackExpectation extends StackMatchers<void> {
  readonly not: StackMatchers<void>;
}

/**
 * The matchers without jest: each throws an Error that says what it found instead. The stack is
 * synthesised with all its validations.
 * @example
 * expectStack(stack).toDeclare(Server, { name: "web", deletionProtection: true });
 * expectStack(stack).not.toDeclare(Team);
 */
export function expectStack(stack: TerraformStack): StackExpectation {
  return { ...matchers(stack, true), not: matchers(stack, false) };
}

function matchers(stack: TerraformStack, expected: boolean): StackMatchers<void> {
  const entries = Object.entries(verdicts).map(([name, judge]) => [
    name,
    (...args: never[]): void => {
      const { pass, message } = judge(stack, ...args);
      if (pass !== expected) throw new Error(message);
    },
  ]);
  // One for each matcher, with its arguments.
  return Object.fromEntries(entries) as StackMatchers<void>;
}

/** Whether the stack needs exactly these scopes; of others, the verdict names what needs them. */
function needsScopes(
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
