/** A claim, and what came of trying it on one face. */
import type { Ability, Face } from "../faces/face";
import type { Chance } from "../support/random";

export interface Trial {
  readonly face: Face;
  readonly chance: Chance;
  /** How often, where the person said it; else the claim's own number for this face. */
  readonly trials: (quick: number, slow: number) => number;
  /** Objects per trial. */
  readonly size: number;
  /** A line of progress. */
  readonly say: (text: string) => void;
}

export interface Finding {
  /** What was seen, in a few words. */
  readonly figure: string;
  /** What speaks against the claim; none: it holds. */
  readonly failures: readonly string[];
  /** Lines for the report below the table. */
  readonly details?: readonly string[];
}

export interface Claim {
  readonly name: string;
  readonly group:
    "faults" | "kills" | "manners" | "writes" | "account" | "limits" | "rotation" | "secrets";
  /** One sentence: what holds. */
  readonly says: string;
  readonly needs?: readonly Ability[];
  /** Why this claim is not tried on a face, beyond what it needs. */
  skip?(face: Face): string | undefined;
  run(trial: Trial): Promise<Finding>;
}

/** Gathers what speaks against a claim. */
export class Evidence {
  readonly failures: string[] = [];
  private static readonly MAX = 20;

  /** Notes a sentence where something is not so. */
  expect(holds: boolean, otherwise: () => string): boolean {
    if (!holds && this.failures.length < Evidence.MAX) this.failures.push(otherwise());
    return holds;
  }
}

/** The last lines of what a command printed, for a failure's text. */
export const tail = (output: string, lines = 12): string =>
  output.trim().split("\n").slice(-lines).join("\n      ");
