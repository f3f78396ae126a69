import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { repository, version } from "../../package.json";
import * as languages from "../../provider/pulumi/plugin/schema/languages";
import { finishCsharp, finishGo, finishJava } from "../../scripts/release/sdks/compiled";
import { finishNode } from "../../scripts/release/sdks/nodejs";
import { writeReadme } from "../../scripts/release/sdks/readme";
import { sharedFolder } from "../support/folder";

const { GO_PACKAGE, JAVA_ROOT, NET_NAMESPACE, NODE_PACKAGE, PYTHON_PACKAGE } = languages;
const root = join(__dirname, "..", "..");
const folder = sharedFolder();
const home = "https://github.com/erphost/erphost";
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

beforeAll(() => mkdirSync(join(folder, PYTHON_PACKAGE)));

test("Go's module and Java's group are where the project is, which its registries check", () => {
  expect(repository.url).toBe(`git+${home}.git`);
  expect(GO_PACKAGE).toMatch(/^github\.com\/erphost\/erphost\//);
  expect(JAVA_ROOT).toBe("io.github.erphost");
});

test("Node.js gets a manifest that says what is loaded, and which plugin it needs", () => {
  const pulumi = { resource: true, name: "erphost", version, server: "github://x/y/z" };
  const scripts = { build: "tsc" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ pulumi, scripts }));
  finishNode(folder);
  const manifest: unknown = JSON.parse(read("package.json"));
  expect(manifest).toMatchObject({ main: "index.js", types: "index.d.ts", pulumi, repository });
  expect(manifest).not.toHaveProperty("scripts");
});

test("Maven Central gets everything that it asks for", () => {
  finishJava(folder);
  const pom = read("pom.xml");
  for (const element of ["name", "description", "url", "licenses", "developers", "scm"]) {
    expect(pom).toMatch(new RegExp(`^  <${element}>`, "m"));
  }
  expect(pom).toContain(`<version>${version}</version>`);
  expect(pom).toContain("<name>Apache-2.0</name>");
});

test("NuGet gets a name, a licence and a page, and not Pulumi as the author", () => {
  const project = `<Project>

  <PropertyGroup>
    <Authors>Pulumi Corp.</Authors>
    <Company>Pulumi Corp.</Company>
    <PackageLicenseExpression>Apache-2.0</PackageLicenseExpression>
    <PackageProjectUrl></PackageProjectUrl>
    <RepositoryUrl></RepositoryUrl>
    <TargetFramework>net6.0</TargetFramework>
  </PropertyGroup>

</Project>
`;
  writeFileSync(join(folder, `${NET_NAMESPACE}.csproj`), project);
  finishCsharp(folder);
  const text = read(`${NET_NAMESPACE}.csproj`);
  expect(text).not.toMatch(/Pulumi Corp/);
  for (const line of [
    `<PackageId>${NET_NAMESPACE}</PackageId>`,
    `<RepositoryUrl>${home}</RepositoryUrl>`,
    "<PackageLicenseExpression>Apache-2.0</PackageLicenseExpression>",
    "<PackageReadmeFile>README.md</PackageReadmeFile>",
    '<None Include="README.md" Pack="True" PackagePath="" />',
  ]) {
    expect(text).toContain(line);
  }
  const logo = readFileSync(join(root, "docs", "logo.png"));
  expect(readFileSync(join(folder, "logo.png")).equals(logo)).toBe(true);
});

test("Go gets a module with the sums of what it needs", () => {
  finishGo(folder);
  expect(read("go.mod")).toContain(`module ${GO_PACKAGE}\n`);
  expect(read("go.sum")).toMatch(/^github\.com\/pulumi\/pulumi\/sdk\/v3 v3\.\S+ h1:/m);
});

test.each([
  ["pulumi-python/__main__.py", `\nimport ${PYTHON_PACKAGE} as erphost\n`],
  ["pulumi-python/requirements.txt", `/${PYTHON_PACKAGE}-${version}-`],
  ["pulumi-sdk/index.ts", `from "${NODE_PACKAGE}";`],
])("the example %s calls it by its name", (file, text) => {
  expect(readFileSync(join(root, "examples", file), "utf8")).toContain(text);
});

test.each([
  ["nodejs", `npm install ${NODE_PACKAGE}`, "new erphost.Installation("],
  ["python", `pip install ${PYTHON_PACKAGE}`, "erphost.Installation("],
  ["go", `go mod edit -replace ${GO_PACKAGE}=./go`, "erphost.NewInstallation("],
  ["csharp", `dotnet add package ${NET_NAMESPACE}`, "new Installation("],
  ["java", "mvn --file java/pom.xml install", "new Installation("],
] as const)(
  "the page of the SDK for %s says how to install and configure it, with a program",
  (language, install, program) => {
    writeReadme(language, join(root, "schema.json"), folder);
    const page = read("README.md");
    expect(page).toContain(install);
    expect(page).toContain(program);
    expect(page).toContain("pulumi config set --secret erphost:apiKey");
    expect(page).toContain(
      `pulumi plugin install resource erphost ${version} --server github://api.github.com/erphost/erphost`,
    );
  },
);
