/** What is installed on each platform. */
import { packagesOf as packagesFor, terraformProgram } from "../runtime/packages";
import type { Package } from "./layout";

/** For which platforms an executable is made: for this machine's, or for every one. */
export type Which = "own" | "all";

/** A package, and what a person should know of it. */
export interface MadePackage extends Package {
  /** Whether it needs no Node.js on the machine that it is installed on. */
  readonly selfContained: boolean;
  /** Why it is not self-contained. */
  readonly note?: string;
}

/** One per platform. Without files where the platform has no package. */
export async function packagesOf(source: string, which: Which): Promise<MadePackage[]> {
  const packages = await packagesFor(terraformProgram(source), source, which);
  return packages.map((each) => ({ ...each, platform: each.platform.replace("-", "_") }));
}
