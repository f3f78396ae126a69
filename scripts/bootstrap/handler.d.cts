/** The types of handler.cjs for TypeScript, which does not read those in its comments. */
import type { Plugin } from "esbuild";

/** Makes the entry that Pulumi's dynamic provider loads one file. @param root the checkout */
export function bundleHandler(root: string): Promise<void>;

/** Leaves out the validator's messages in other languages, which are never shown. */
export const oneLanguage: Plugin;
