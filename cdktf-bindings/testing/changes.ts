/** What differs between two versions of a block. */
import { isDeepStrictEqual } from "node:util";
import type { Block } from "./synthesised";

/** One line of what a plan would do. */
export interface Change {
  readonly kind: "created" | "deleted" | "changed" | "imported";
  readonly text: string;
}

/** How the arguments of a block are compared. */
export interface Comparison {
  /** How the block is called. */
  readonly name: string;
  /** Whether another value of an argument shows in no plan. */
  readonly isWithoutEffect: (argument: string) => boolean;
  /** Whether an argument's values are left out of what a failed test prints. */
  readonly isSecret?: (argument: string) => boolean;
  /** What follows from another value, after a comma. */
  readonly consequence?: (argument: string) => string;
}

/** One line for each argument that differs. */
export function changesIn(before: Block, after: Block, comparison: Comparison): Change[] {
  const { name, isWithoutEffect, isSecret, consequence } = comparison;
  const all = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return all
    .filter((argument) => !isWithoutEffect(argument))
    .filter((argument) => !isDeepStrictEqual(before[argument], after[argument]))
    .map((argument): Change => {
      const values = isSecret?.(argument)
        ? "(its values are not shown)"
        : `${shown(before[argument])} → ${shown(after[argument])}`;
      const end = consequence?.(argument) ?? "";
      return { kind: "changed", text: `${name} would change: ${argument} ${values}${end}` };
    });
}

/** A value as it is written into the configuration. */
const shown = (value: unknown): string =>
  value === undefined ? "(not set)" : JSON.stringify(value);
