/**
 * A program that takes over objects, before any language: what each writer renders. Names of kinds
 * and fields are the contract's, so a writer says them in its own.
 */
import type { Account } from "../../../provider";
import type { Kind } from "../../../provider/resources";

/**
 * Where an object is declared. `name` is snake_case and unique in its kind even without the
 * underscores, so that it stays unique in any other case. A `key` tells those apart that one
 * declaration makes.
 */
export interface DeclaredName {
  readonly name: string;
  readonly key?: string | undefined;
}

/** A value as a program writes it. */
export type Value =
  | { readonly is: "literal"; readonly value: unknown }
  /** The id of another object that the program declares. */
  | { readonly is: "reference"; readonly kind: string; readonly place: DeclaredName }
  | { readonly is: "list"; readonly of: readonly Value[] };

export interface TakenObject {
  readonly kind: Kind;
  /** What an import names it by. */
  readonly id: string;
  readonly place: DeclaredName;
  /** Inputs that a program would write, in the order of the definition. */
  readonly values: ReadonlyMap<string, Value>;
  /** Free fields that may be secrets: they are not written, and somebody may want to give them. */
  readonly secrets: readonly string[];
}

/** Everything that one run writes. Objects come after those that they refer to. */
export interface Program {
  readonly account: Account;
  readonly objects: readonly TakenObject[];
}
