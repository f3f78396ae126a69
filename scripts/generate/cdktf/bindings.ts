/** What git holds of L1: cdktf's as it is, and of cdktn's, which the build makes, the hashes. */
import type { Generated } from "../files";
import { CDKTN_HASHES, hashesOf } from "./cdktn-sources";
import { l1 } from "./l1";

/** Every committed file, by path. */
export async function cdktfBindings(): Promise<Generated> {
  const files: Record<string, string> = {};
  for (const [path, text] of Object.entries(await l1("cdktf"))) {
    files[`cdktf-bindings/generated/${path}`] = text;
  }
  files[CDKTN_HASHES] = `${JSON.stringify(hashesOf(await l1("cdktn")))}\n`;
  return files;
}
