/** SDKs of the plugin, by Pulumi's own generators, with what each registry asks for. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { findProgram, runProgram } from "../../bootstrap/programs.cjs";
import { finishCsharp, finishGo, finishJava } from "./compiled";
import { finishNode } from "./nodejs";
import { finishPython } from "./python";
import { generators, type Generator, type SdkLanguage } from "./languages";
import { writeReadme } from "./readme";

const GENERATE_MS_MAX = 5 * 60_000;

const generatorOf = (language: SdkLanguage): Generator =>
  language === "csharp" || language === "java" ? "pulumi-sdk-gen-csharp-java" : "pulumi-sdk-gen";

/** What a generator leaves out. */
const finish: Readonly<Record<SdkLanguage, (folder: string) => void>> = {
  nodejs: finishNode,
  python: finishPython,
  go: finishGo,
  csharp: finishCsharp,
  java: finishJava,
};

export interface Generated {
  readonly languages: readonly SdkLanguage[];
  /** Generators that are not on PATH. */
  readonly missing: readonly Generator[];
}

/** Writes every SDK whose generator is on PATH, each to a folder named after its language. */
export async function generateSdks(schema: string, target: string): Promise<Generated> {
  rmSync(target, { recursive: true, force: true });
  const languages: SdkLanguage[] = [];
  const missing: Generator[] = [];
  // Their names are the keys of this very table.
  for (const generator of Object.keys(generators) as Generator[]) {
    if (findProgram(generator, process.env["PATH"] ?? "") === undefined) {
      missing.push(generator);
      continue;
    }
    for (const language of generators[generator]) {
      await generateSdk(language, schema, join(target, language), process.env);
      languages.push(language);
    }
  }
  return { languages, missing };
}

/**
 * @param env PATH in it is where the generator is looked for
 * @throws Error where the generator is not there, or fails
 */
export async function generateSdk(
  language: SdkLanguage,
  schema: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const generator = generatorOf(language);
  if (findProgram(generator, env["PATH"] ?? "") === undefined) {
    throw new Error(
      `The ${language} SDK needs the generator ${generator}, which is not on PATH. Run \`npm run engines -- ${generator}\` once, which builds it with Go, and then try again.`,
    );
  }
  const { code, output } = await runProgram(generator, [language, schema, folder], {
    env,
    timeoutMs: GENERATE_MS_MAX,
  });
  if (code !== 0) throw new Error(`The ${language} SDK could not be generated:\n${output}`);
  finish[language](folder);
  writeReadme(language, schema, folder);
}
