/** SDKs of the plugin, by Pulumi's own generators, with what each registry asks for, and compiled. */
import { cpSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { resources } from "../../../schema.json";
import { inFolder, writeFiles } from "../../bootstrap/files.cjs";
import { findProgram, runProgram } from "../../bootstrap/programs.cjs";
import { finishCsharp, finishGo, finishJava } from "./compiled";
import { compileNode, finishNode, packNode } from "./nodejs";
import { finishPython, packPython } from "./python";
import { programIn, writeReadme, type SdkLanguage } from "./readme";

const ROOT = join(__dirname, "..", "..", "..");
const GENERATE_MS_MAX = 5 * 60_000;
const COMPILE_MS_MAX = 20 * 60_000;

/** Which engine (`npm run engines -- NAME`) writes an SDK. */
const generatorOf = (language: SdkLanguage): string =>
  language === "csharp" || language === "java" ? "pulumi-sdk-gen-csharp-java" : "pulumi-sdk-gen";

/** What a generator leaves out. */
const finish: Readonly<Record<SdkLanguage, (folder: string) => void>> = {
  nodejs: finishNode,
  python: finishPython,
  go: finishGo,
  csharp: finishCsharp,
  java: finishJava,
};

/** Writes every SDK whose generator is on PATH, each to a folder named after its language. */
async function generateSdks(schema: string, target: string) {
  rmSync(target, { recursive: true, force: true });
  // Their names are the keys of this very table.
  const all = Object.keys(finish) as SdkLanguage[];
  const languages = all.filter((one) => findProgram(generatorOf(one), process.env["PATH"] ?? ""));
  for (const language of languages) {
    await generateSdk(language, schema, join(target, language), process.env);
  }
  const others = all.filter((one) => !languages.includes(one));
  return { languages, missing: [...new Set(others.map(generatorOf))] };
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
  const options = { env, timeoutMs: GENERATE_MS_MAX };
  const { code, output } = await runProgram(generator, [language, schema, folder], options);
  if (code !== 0) throw new Error(`The ${language} SDK could not be generated:\n${output}`);
  finish[language](folder);
  writeReadme(language, schema, folder);
}

/**
 * Generates every SDK, and packs those whose registry takes packages that are made here.
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

/** How the SDK of a language is compiled, with programs that use it. */
interface Compiler {
  readonly tool: string;
  readonly args: readonly string[];
  /** Where the program of a resource goes. */
  readonly place: (resource: string) => string;
  /** The first line of that program. */
  readonly head: (resource: string) => string;
}

const compilers: Partial<Record<SdkLanguage, Compiler>> = {
  go: {
    tool: "go",
    args: ["vet", "./..."],
    place: (resource) => `example/${resource}/main.go`,
    head: () => "",
  },
  java: {
    tool: "mvn",
    args: ["-q", "-B", "test-compile"],
    place: (resource) => `src/test/java/example/${resource}/App.java`,
    head: (resource) => `package example.${resource};\n`,
  },
};

/**
 * Compiles SDKs together with the examples of the schema, where the compiler is on PATH.
 * @param sdks folder with an SDK per language
 * @returns one line per language that has a compiler
 * @throws Error where an SDK does not compile
 */
async function compileSdks(sdks: string, languages: readonly SdkLanguage[]): Promise<string[]> {
  const lines: string[] = [];
  for (const language of languages) {
    const compiler = compilers[language];
    if (!compiler) continue;
    if (findProgram(compiler.tool, process.env["PATH"] ?? "") === undefined) {
      lines.push(`${language}: not compiled, because there is no ${compiler.tool} on PATH.`);
      continue;
    }
    const count = await compile(join(sdks, language), language, compiler);
    lines.push(`${language}: compiles, with the examples of ${count} resources.`);
  }
  return lines;
}

/** Works on a copy of the SDK. Answers how many examples were compiled with it. */
function compile(sdk: string, language: SdkLanguage, compiler: Compiler): Promise<number> {
  return inFolder(`erphost-sdk-${language}-`, async (folder) => {
    cpSync(sdk, folder, { recursive: true });
    const examples = examplesIn(language);
    for (const [resource, text] of examples) {
      writeFiles(folder, { [compiler.place(resource)]: compiler.head(resource) + text });
    }
    const options = { cwd: folder, env: process.env, timeoutMs: COMPILE_MS_MAX };
    const { code, output } = await runProgram(compiler.tool, compiler.args, options);
    if (code !== 0) throw new Error(`The ${language} SDK does not compile:\n${output}`);
    return examples.length;
  });
}

/** The programs in the schema's descriptions, by resource. */
function examplesIn(language: SdkLanguage): [string, string][] {
  return Object.entries(resources).flatMap(([token, { description }]) => {
    const program = programIn(description, language);
    return program === undefined ? [] : [[token.split(":").at(-1)?.toLowerCase() ?? "", program]];
  });
}
