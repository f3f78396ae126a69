/** Compiles SDKs together with the examples of the schema, where the compiler is on PATH. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, writeFiles } from "../../bootstrap/files.cjs";
import { findProgram, runProgram } from "../../bootstrap/programs.cjs";
import type { SdkLanguage } from "./readme";

const COMPILE_MS_MAX = 20 * 60_000;

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

const ROOT = join(__dirname, "..", "..", "..");

/**
 * @param sdks folder with an SDK per language
 * @returns one line per language that has a compiler
 * @throws Error where an SDK does not compile
 */
export async function compileSdks(
  sdks: string,
  languages: readonly SdkLanguage[],
): Promise<string[]> {
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
    const { code, output } = await runProgram(compiler.tool, compiler.args, {
      cwd: folder,
      env: process.env,
      timeoutMs: COMPILE_MS_MAX,
    });
    if (code !== 0) throw new Error(`The ${language} SDK does not compile:\n${output}`);
    return examples.length;
  });
}

/** The programs in the schema's descriptions, by resource. */
function examplesIn(language: SdkLanguage): [string, string][] {
  const schema = JSON.parse(readFileSync(join(ROOT, "schema.json"), "utf8")) as {
    resources: Record<string, { description: string }>;
  };
  const fenced = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``);
  return Object.entries(schema.resources).flatMap(([token, { description }]) => {
    const program = fenced.exec(description)?.[1];
    return program === undefined ? [] : [[token.split(":").at(-1)?.toLowerCase() ?? "", program]];
  });
}
