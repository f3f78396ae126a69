/** The types of licences.cjs for TypeScript, which does not read those in its comments. */

/** The text of docs/reference/licences.md. */
export function page(): string;

/** Whether an expression of SPDX, without exceptions, can be met with these licences. */
export function isAllowed(licence: string, allowed: ReadonlySet<string>): boolean;

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly use: "installed" | "packed" | "tool";
}

/** A sentence for each component that is not allowed, and each Go module that is not known. */
export function faults(
  components: readonly Component[],
  modules: readonly string[],
): readonly string[];

/** Everything that erphost is made from, packs or is developed with. */
export function allComponents(): readonly Component[];
