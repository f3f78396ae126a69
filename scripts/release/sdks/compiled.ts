/** What registries of Go, Java and C# packages want to know of an SDK. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GO_PACKAGE, JAVA_PACKAGE } from "../../../provider/pulumi/plugin/schema/languages";
import { JAVA_ROOT, NET_NAMESPACE } from "../../../provider/pulumi/plugin/schema/languages";
import { description, keywords } from "../../../schema.json";
import { project } from "../project";

const OWNER = new URL(project.home).pathname.split("/")[1] ?? "";

/** Its dependencies are pinned here, so that the module compiles as it is. */
const GO_MODULE = join(__dirname, "go-module");

/** Adds the pinned dependencies. @throws Error where the SDK names another module */
export function finishGo(folder: string): void {
  for (const name of ["go.mod", "go.sum"]) copyFileSync(join(GO_MODULE, name), join(folder, name));
  const [, module] = /^module (\S+)$/m.exec(readFileSync(join(folder, "go.mod"), "utf8")) ?? [];
  if (module !== GO_PACKAGE)
    throw new Error(`The Go module is ${String(module)}, not ${GO_PACKAGE}.`);
}

/** The generator's project names Pulumi as the author, and no page for NuGet to show. */
export function finishCsharp(folder: string): void {
  const name = readdirSync(folder).find((file) => file.endsWith(".csproj"));
  if (name === undefined) throw new Error("The C# SDK has no project.");
  const path = join(folder, name);
  const tag = (element: string, text: string): string => `<${element}>${text}</${element}>`;
  const own = [
    tag("PackageId", NET_NAMESPACE),
    tag("Authors", OWNER),
    tag("Company", OWNER),
    tag("RepositoryType", "git"),
    tag("PackageTags", keywords.join(";")),
    tag("PackageReadmeFile", "README.md"),
  ];
  const text = readFileSync(path, "utf8")
    .replace(/^ *<(?:Authors|Company)>.*\n/gm, "")
    .replace(/<TargetFramework>.*<\/TargetFramework>/, tag("TargetFramework", "net8.0"))
    .replace(/<PackageProjectUrl>.*</, `<PackageProjectUrl>${project.home}<`)
    .replace(/<RepositoryUrl>.*</, `<RepositoryUrl>${project.home}<`)
    .replace("<PropertyGroup>\n", `<PropertyGroup>\n${own.map((line) => `    ${line}\n`).join("")}`)
    .replace(
      "\n</Project>",
      `
  <ItemGroup>
    <None Include="README.md" Pack="True" PackagePath="" />
  </ItemGroup>

</Project>`,
    );
  writeFileSync(path, text);
  // The generator leaves a blank one.
  copyFileSync(join(__dirname, "..", "..", "..", "docs", "logo.png"), join(folder, "logo.png"));
}

const DEPENDENCIES = [
  ["com.pulumi", "pulumi", "1.0.0"],
  ["com.google.code.findbugs", "jsr305", "3.0.2"],
  ["com.google.code.gson", "gson", "2.8.9"],
] as const;

const dependencies = DEPENDENCIES.map(
  ([group, artifact, release]) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${release}</version></dependency>`,
).join("\n    ");

/** The last part of the package's name. */
const ARTIFACT = JAVA_PACKAGE.slice(JAVA_ROOT.length + 1);

/** A plugin that adds an archive to the package, which Maven Central asks for. */
const archived = (artifact: string, release: string, goal: string): string =>
  `<plugin>
            <groupId>org.apache.maven.plugins</groupId>
            <artifactId>${artifact}</artifactId>
            <version>${release}</version>
            <executions><execution><goals><goal>${goal}</goal></goals></execution></executions>
          </plugin>`;

/** The generator writes a project for Gradle alone. */
export function finishJava(folder: string): void {
  writeFileSync(
    join(folder, "pom.xml"),
    `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${JAVA_ROOT}</groupId>
  <artifactId>${ARTIFACT}</artifactId>
  <version>${project.version}</version>
  <name>${JAVA_ROOT}:${ARTIFACT}</name>
  <description>${description}</description>
  <url>${project.home}</url>
  <licenses>
    <license>
      <name>${project.license}</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
    </license>
  </licenses>
  <developers>
    <developer><id>${OWNER}</id><name>${OWNER}</name><url>${project.home}</url></developer>
  </developers>
  <scm>
    <connection>scm:git:${project.home}.git</connection>
    <developerConnection>scm:git:${project.home}.git</developerConnection>
    <url>${project.home}</url>
    <tag>v${project.version}</tag>
  </scm>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    ${dependencies}
  </dependencies>
  <profiles>
    <profile>
      <id>release</id>
      <build>
        <plugins>
          ${archived("maven-source-plugin", "3.3.1", "jar-no-fork")}
          ${archived("maven-javadoc-plugin", "3.11.2", "jar")}
          ${archived("maven-gpg-plugin", "3.2.7", "sign")}
        </plugins>
      </build>
    </profile>
  </profiles>
</project>
`,
  );
}
