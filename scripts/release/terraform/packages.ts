/** What is installed on each platform. */
import { canMakeExecutable, executable } from "../executable";
import { terraformFiles } from "../launcher";
import { terraformWarmUp } from "../terraform-calls";
import { ERPHOST, PLATFORMS, platformOf, programFile, type Package } from "./layout";

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
export async function packagesOf(source: string, _which: Which): Promise<MadePackage[]> {
  const own = platformOf(process.platform, process.arch);
  const launcher = terraformFiles(source, ERPHOST.version);
  const single = canMakeExecutable ? await executable(source, terraformWarmUp()) : undefined;
  return PLATFORMS.map((platform) => {
    if (platform !== own || single === undefined) {
      const entries = platform.startsWith("windows") ? [] : launcher;
      return { platform, entries, selfContained: false };
    }
    const entries = [{ name: programFile(ERPHOST), content: single, executable: true }];
    return { platform, entries, selfContained: true };
  });
}
