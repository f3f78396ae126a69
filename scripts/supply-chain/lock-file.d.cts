/** The types of lock-file.cjs for TypeScript, which does not read those in its comments. */

export interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** By their folder. */
export type Packages = Readonly<Record<string, Locked>>;

/** Packages that others name as optional dependencies and that are not locked. */
export function missing(packages: Packages): readonly (readonly [folder: string, entry: Locked])[];

/** The folders of packages that npm would install without verifying what it got. */
export function unverified(packages: Packages): readonly string[];
