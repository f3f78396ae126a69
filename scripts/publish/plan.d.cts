/** The types of plan.cjs for TypeScript, which does not read those in its comments. */

export interface Plan {
  readonly version: string;
  /** Names of the files that wait. */
  readonly changesets: readonly string[];
  readonly next: "version" | "publish" | "nothing";
}

export function plan(root: string): Plan;

/** The plan for a person. */
export function sentence(planned: Plan): string;
