/** SDKs of the plugin, by Pulumi's own generators. */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const SDK_LANGUAGES = ["nodejs", "python", "go"] as const;
export type SdkLanguage = (typeof SDK_LANGUAGES)[number];

/** All of them; undefined where the generator is not there. It is an engine: `pulumi-sdk-gen`. */
export async function generateSdks(
  schema: string,
  target: string,
): Promise<readonly SdkLanguage[] | undefined> {
  rmSync(target, { recursive: true, force: true });
  try {
    for (const language of SDK_LANGUAGES) {
      await generateSdk(language, schema, join(target, language), process.env);
    }
    return SDK_LANGUAGES;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** @param env PATH in it is where the generator is looked for */
export async function generateSdk(
  language: SdkLanguage,
  schema: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await run("pulumi-sdk-gen", [language, schema, folder], { env });
  // The generator writes it into the module, and the project's description names it beside.
  const readme = join(folder, "pulumi_erphost", "README.md");
  if (existsSync(readme)) copyFileSync(readme, join(folder, "README.md"));
}
