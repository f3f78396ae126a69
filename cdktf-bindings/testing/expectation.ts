/** What tests say of a stack, with any test runner. */
import type { TerraformStack } from "cdktf";
import { declaresObject, type ExpectedProps, type ObjectClass } from "./declared-objects";
import type { DeployKeyOptions, Scope } from "../keys/uses";
import { needsScopes } from "./needed-scopes";
import { assertStack, type Verdict } from "./synthesised";

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
