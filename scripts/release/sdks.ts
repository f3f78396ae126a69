/** SDKs of the plugin, by Pulumi's own generators. */
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { findProgram, runProgram } from "../bootstrap/programs.cjs";

const GENERATE_MS_MAX = 5 * 60_000;

/** Which engine (`npm run engines -- NAME`) writes which SDKs. */
const generators = {
  "pulumi-sdk-gen": ["nodejs", "python", "go"],
  "pulumi-sdk-gen-csharp-java": ["csharp", "java"],
} as const;
type Generator = keyof typeof generators;
export type SdkLanguage = (typeof generators)[Generator][number];

const generatorOf = (language: SdkLanguage): Generator =>
  language === "csharp" || language === "java" ? "pulumi-sdk-gen-csharp-java" : "pulumi-sdk-gen";

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
  // The generator writes it into the module, while the project's description names it here.
  const readme = join(folder, "pulumi_erphost", "README.md");
  if (existsSync(readme)) copyFileSync(readme, join(folder, "README.md"));
  if (language === "go") writeFileSync(join(folder, "go.mod"), goModule);
  if (language === "java") writeFileSync(join(folder, "pom.xml"), mavenProject);
}

const goModule = `module github.com/erphost/pulumi-erphost/sdk/go/erphost

go 1.25

require github.com/pulumi/pulumi/sdk/v3 v3.253.0
`;

const DEPENDENCIES = [
  ["com.pulumi", "pulumi", "1.0.0"],
  ["com.google.code.findbugs", "jsr305", "3.0.2"],
  ["com.google.code.gson", "gson", "2.8.9"],
] as const;

const dependencies = DEPENDENCIES.map(
  ([group, artifact, release]) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${release}</version></dependency>`,
).join("\n    ");

/** The generator only writes a project for sources that are published from a repository. */
const mavenProject = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.erphost</groupId>
  <artifactId>erphost</artifactId>
  <version>${version}</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    ${dependencies}
  </dependencies>
</project>
`;
