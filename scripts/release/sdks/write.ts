/** Generates every SDK, and packs those whose registry takes packages that are made here. */
import { basename, join, relative } from "node:path";
import { compileSdks } from "./compile";
import { generateSdks } from "./generate";
import type { SdkLanguage } from "./languages";
import { compileNode, packNode } from "./nodejs";
import { packPython } from "./python";

const ROOT = join(__dirname, "..", "..", "..");

/**
 * @param target takes a folder `sdk` with one per language, and the packages next to it
 * @param compile whether the SDKs of compiled languages are compiled, with their examples
 * @returns what was made and what was not, a line each
 */
export async function writeSdks(target: string, compile: boolean): Promise<string[]> {
  const folder = join(target, "sdk");
  const { languages, missing } = await generateSdks(join(ROOT, "schema.json"), folder);
  const lines: string[] = [];
  if (languages.length > 0) {
    lines.push(`SDKs for ${languages.join(", ")} are in ${relative(ROOT, folder)}.`);
  }
  for (const language of languages) lines.push(...(await packed(language, folder, target)));
  if (missing.length > 0) {
    lines.push(
      `For the other SDKs, run \`npm run engines -- ${missing.join(" ")}\` and build again.`,
    );
  }
  if (compile) lines.push(...(await compileSdks(folder, languages)));
  return lines;
}

/** Go takes its modules from a repository; the others are packed by the tools of their users. */
async function packed(language: SdkLanguage, folder: string, target: string): Promise<string[]> {
  const sdk = join(folder, language);
  if (language === "nodejs") return [basename(await packNode(await compileNode(sdk), target))];
  if (language !== "python") return [];
  const packages = await packPython(sdk, target);
  return (
    packages?.map((path) => basename(path)) ?? [
      "The Python SDK was not packed, because there is no Python 3 with pip on PATH.",
    ]
  );
}
