/** The page that a registry shows of an SDK: how to install it, to configure it, and a program. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GO_PACKAGE, JAVA_PACKAGE } from "../../../provider/pulumi/plugin/schema/languages";
import { JAVA_ROOT, NET_NAMESPACE } from "../../../provider/pulumi/plugin/schema/languages";
import { NODE_PACKAGE, PYTHON_PACKAGE } from "../../../provider/pulumi/plugin/schema/languages";
import { project } from "../project";
import { placePythonReadme } from "./python";

export type SdkLanguage = "nodejs" | "python" | "go" | "csharp" | "java";

interface Page {
  /** As people call it. */
  readonly name: string;
  /** How the schema's examples are fenced. */
  readonly fence: string;
  /** Commands. */
  readonly install: string;
}

const { version, home } = project;

/** SDKs that no registry has are on the release's page, as sources. */
function unpacked(language: string): string {
  const archive = `erphost-pulumi-sdk-${language}-${version}.tar.gz`;
  return `curl -LO ${home}/releases/download/v${version}/${archive}\ntar -xzf ${archive}`;
}

const pages: Readonly<Record<SdkLanguage, Page>> = {
  nodejs: {
    name: "TypeScript and JavaScript",
    fence: "typescript",
    install: `npm install ${NODE_PACKAGE}`,
  },
  python: { name: "Python", fence: "python", install: `pip install ${PYTHON_PACKAGE}` },
  go: {
    name: "Go",
    fence: "go",
    install: `${unpacked("go")}
go mod edit -replace ${GO_PACKAGE}=./go
go mod tidy`,
  },
  csharp: {
    name: "C#",
    fence: "csharp",
    install: `${unpacked("csharp")}
dotnet pack csharp --output packages
dotnet add package ${NET_NAMESPACE} --version ${version} --source "$PWD/packages"`,
  },
  java: {
    name: "Java",
    fence: "java",
    install: `${unpacked("java")}
mvn --file java/pom.xml install   # adds ${JAVA_ROOT}:${JAVA_PACKAGE.slice(JAVA_ROOT.length + 1)}:${version}`,
  },
};

type Schema = typeof import("../../../schema.json");

/** A server, an instance on it and its backups in one resource. */
const EXAMPLE = "erphost:index:Installation";

/** Writes the page that the language's registry shows. @throws Error without an example in it */
export function writeReadme(language: SdkLanguage, schemaFile: string, folder: string): void {
  // It was generated, and the generator of the SDK has read it.
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;
  writeFileSync(join(folder, "README.md"), readme(pages[language], schema));
  if (language === "python") placePythonReadme(folder);
}

/** The program in a description of the schema. @param fence the language of its block */
export const programIn = (description: string, fence: string): string | undefined =>
  new RegExp(`\`\`\`${fence}\\n([^]*?)\`\`\``).exec(description)?.[1];

function readme({ name, fence, install }: Page, schema: Schema): string {
  const program = programIn(schema.resources[EXAMPLE].description, fence);
  if (program === undefined) throw new Error(`The schema has no example in ${name}.`);
  const block = (of: string, text: string): string => `\`\`\`${of}\n${text.trimEnd()}\n\`\`\``;
  return `${[
    `# erphost for Pulumi programs in ${name}`,
    schema.description,
    "## Install",
    block("sh", install),
    "Pulumi gets the plugin, which has no dependencies, at the first run. To install it beforehand:",
    block(
      "sh",
      `pulumi plugin install resource erphost ${version} --server ${schema.pluginDownloadURL}`,
    ),
    "## Configure",
    block(
      "sh",
      `pulumi config set erphost:baseUrl https://erp.example.com/v1
pulumi config set --secret erphost:apiKey`,
    ),
    `Or set \`ERPHOST_BASE_URL\` and \`ERPHOST_API_KEY\`. [All settings](${home}/blob/v${version}/docs/reference/settings.md) have a page.`,
    "## A program",
    block(fence, program),
    `More about the plugin is in [its documentation](${home}/blob/v${version}/docs/pulumi-plugin.md).`,
  ].join("\n\n")}\n`;
}
