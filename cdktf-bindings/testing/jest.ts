/** The matchers in jest, and in runners with its `expect.extend`. */
import type { DeployKeyOptions, Scope } from "../keys/uses";
import type { ExpectedProps, ObjectClass } from "./declared-objects";
import { verdicts } from "./expectation";

declare global {
  // The library and @types/jest declare it in this way.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace jest {
    // Methods, which are overloads where a program has the matchers of both libraries.
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars
    interface Matchers<R, T = {}> {
      /** One of the stack's constructs of this class has these props. */
      toDeclare<P>(Class: ObjectClass<P>, props?: ExpectedProps<P>): R;
      /** A key needs exactly these scopes to apply the stack, or to plan it. */
      toNeedScopes(scopes: readonly Scope[], options?: DeployKeyOptions): R;
    }
  }
}

/** A runner's `expect`, as far as it is used. */
interface Extensible {
  extend(matchers: Readonly<Record<string, JestMatcher>>): void;
}

type JestMatcher = (received: unknown, ...args: never[]) => JestVerdict;

interface JestVerdict {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Adds the matchers to `expect`: call it in a file of jest's `setupFilesAfterEnv`, next to
 * `Testing.setupJest()`.
 * @param target where `expect` is imported, as from `@jest/globals` or vitest; default: the global
 * @throws Error where there is no such `expect`
 * @example
 * setupJest();
 * expect(stack).toDeclare(Server, { name: "web" });
 */
export function setupJest(target: unknown = Reflect.get(globalThis, "expect")): void {
  if (!isExtensible(target)) {
    throw new Error(
      "setupJest found no expect to extend. Call it where tests run, such as in a file of jest's setupFilesAfterEnv, or pass the expect that you import: setupJest(expect).",
    );
  }
  target.extend(
    Object.fromEntries(
      Object.entries(verdicts).map(([name, judge]): [string, JestMatcher] => [
        name,
        (received, ...args) => {
          const { pass, message } = judge(received, ...args);
          return { pass, message: () => message };
        },
      ]),
    ),
  );
}

const isExtensible = (value: unknown): value is Extensible =>
  (typeof value === "function" || typeof value === "object") &&
  value !== null &&
  typeof Reflect.get(value, "extend") === "function";
