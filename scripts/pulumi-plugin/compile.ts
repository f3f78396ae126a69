/** Compiles SDKs together with the examples of the schema, where the language's tools are there. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SdkLanguage } from "./sdks";

/** How the SDK of a language is compiled, with programs that use it. */
interface Compiler {
  readonly tool: string;
  readonly args: readonly string[];
  /** Where the program of a resource goes, and what comes before it. */
  readonly place: (resource: string) => { readonly file: string; readonly head: string };
  readonly prepare?: (folder: string, root: string) => void;
}

const compilers: Partial<Record<SdkLanguage, Compiler>> = {
  go: {
    tool: "go",
    args: ["vet", "./..."],
    place: (resource) => ({ file: `example/${resource}/main.go`, head: "" }),
    // Versions and checksums that are pinned already.
    prepare: (folder, root) => {
      const pinned = (name: string): string =>
        readFileSync(join(root, "scripts", "engines", "pulumi-sdk-gen", name), "utf8");
      const module = /^module .+$/m;
      const own = module.exec(readFileSync(join(folder, "go.mod"), "utf8"))?.[0] ?? "";
      writeFileSync(join(folder, "go.mod"), pinned("go.mod").replace(module, own));
      writeFileSync(join(folder, "go.sum"), pinned("go.sum"));
    },
  },
  java: {
    tool: "mvn",
    args: ["-q", "-B", "test-compile"],
    place: (resource) => ({
      file: `src/test/java/example/${resource}/App.java`,
      head: `package example.${resource};\n`,
    }),
  },
};

/**
 * @param sdks folder with an SDK per language
 * @returns one line per language that has a compiler
 * @throws where one does not compile
 */
export function compileSdks(
  root: string,
  sdks: string,
  languages: readonly SdkLanguage[],
): string[] {
  return languages.flatMap((language) => {
    const compiler = compilers[language];
    if (!compiler) return [];
    const folder = mkdtempSync(join(tmpdir(), `erphost-sdk-${language}-`));
    try {
      cpSync(join(sdks, language), folder, { recursive: true });
      compiler.prepare?.(folder, root);
      const examples = examplesIn(root, language);
      for (const [resource, text] of examples) {
        const { file, head } = compiler.place(resource);
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), head + text);
      }
      const env = { ...process.env, GOFLAGS: "-mod=mod" };
      const { error, status, stdout, stderr } = spawnSync(compiler.tool, compiler.args, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      if (error) return [`${language}: not compiled, as there is no ${compiler.tool}.`];
      if (status !== 0)
        throw new Error(`The ${language} SDK does not compile:\n${stdout}${stderr}`);
      return [`${language}: compiles, with the examples of ${examples.length} resources.`];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** The programs in the schema's descriptions, by resource. */
function examplesIn(root: string, language: SdkLanguage): [string, string][] {
  const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as {
    resources: Record<string, { description: string }>;
  };
  const fenced = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``);
  return Object.entries(schema.resources).flatMap(([token, { description }]) => {
    const program = fenced.exec(description)?.[1];
    return program === undefined ? [] : [[token.split(":").at(-1)?.toLowerCase() ?? "", program]];
  });
}
