/** SDKs of the plugin, by Pulumi's own generators. */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Which engine (`npm run engines -- NAME`) writes which SDKs. */
const generators = {
  "pulumi-sdk-gen": ["nodejs", "python", "go"],
  "pulumi-sdk-gen-csharp-java": ["csharp", "java"],
} as const;
type Generator = keyof typeof generators;
export type SdkLanguage = (typeof generators)[Generator][number];

export interface Generated {
  readonly made: readonly SdkLanguage[];
  /** Generators that are not there. */
  readonly missing: readonly Generator[];
}

/** All that can be made. */
export async function generateSdks(schema: string, target: string): Promise<Generated> {
  rmSync(target, { recursive: true, force: true });
  const made: SdkLanguage[] = [];
  const missing: Generator[] = [];
  // Their names are the keys of the very table.
  for (const generator of Object.keys(generators) as Generator[]) {
    try {
      for (const language of generators[generator]) {
        await generateSdk(language, schema, join(target, language), process.env);
        made.push(language);
      }
    } catch (error) {
      if (!(error instanceof MissingGenerator)) throw error;
      missing.push(generator);
    }
  }
  return { made, missing };
}

/** The generator of an SDK is not on PATH. */
class MissingGenerator extends Error {
  constructor(language: SdkLanguage, generator: Generator) {
    super(
      `The ${language} SDK needs the generator ${generator}, which is not on PATH. Run \`npm run engines -- ${generator}\` once, which builds it with Go, and then try again.`,
    );
  }
}

const isMissing = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";

/**
 * @param env PATH in it is where the generator is looked for
 * @throws where it is not there
 */
export async function generateSdk(
  language: SdkLanguage,
  schema: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const generator =
    language === "csharp" || language === "java" ? "pulumi-sdk-gen-csharp-java" : "pulumi-sdk-gen";
  await run(generator, [language, schema, folder], { env }).catch((error: unknown) => {
    throw isMissing(error) ? new MissingGenerator(language, generator) : error;
  });
  // The generator writes it into the module, and the project's description names it beside.
  const readme = join(folder, "pulumi_erphost", "README.md");
  if (existsSync(readme)) copyFileSync(readme, join(folder, "README.md"));
  if (language === "go") writeFileSync(join(folder, "go.mod"), goModule);
  if (language === "java") writeFileSync(join(folder, "pom.xml"), mavenProject);
}

const goModule = `module github.com/erphost/pulumi-erphost/sdk/go/erphost

go 1.25

require github.com/pulumi/pulumi/sdk/v3 v3.253.0
`;

const dependency = (group: string, artifact: string, version: string): string =>
  `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`;

/** The generator writes a project only for sources that are published from a repository. */
const mavenProject = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.erphost</groupId>
  <artifactId>erphost</artifactId>
  <version>0.1.0</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
${[
  dependency("com.pulumi", "pulumi", "1.0.0"),
  dependency("com.google.code.findbugs", "jsr305", "3.0.2"),
  dependency("com.google.code.gson", "gson", "2.8.9"),
].join("\n")}
  </dependencies>
</project>
`;
