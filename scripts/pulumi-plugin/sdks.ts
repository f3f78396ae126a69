/** SDKs of the plugin, by Pulumi's own generators. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const SDK_LANGUAGES = ["nodejs", "python", "go"] as const;

/** Undefined where the generator is not there. It is an engine: `pulumi-sdk-gen`. */
export async function generateSdks(
  schema: string,
  target: string,
): Promise<readonly string[] | undefined> {
  rmSync(target, { recursive: true, force: true });
  for (const language of SDK_LANGUAGES) {
    try {
      await run("pulumi-sdk-gen", [language, schema, join(target, language)]);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }
  return SDK_LANGUAGES;
}
