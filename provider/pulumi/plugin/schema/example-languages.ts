/** A program that declares one resource, in each language. */
import { camel, pascal, snake } from "../../../contract";
import { GO_PACKAGE, JAVA_PACKAGE, NET_NAMESPACE, NODE_PACKAGE, PYTHON_PACKAGE } from "./languages";

/** Names in camelCase; values as source text. */
type Members = readonly (readonly [name: string, value: string])[];

export interface Declared {
  /** `api_key` */
  readonly name: string;
  /** `ApiKey` */
  readonly title: string;
  /** `erphost:index:ApiKey` */
  readonly token: string;
}

export interface Language {
  readonly fence: string;
  /** @param quoted a text as JSON, which is how each of them writes it */
  text(quoted: string): string;
  plain(value: number | boolean): string;
  /** @param type of its items, where they are objects */
  list(items: readonly string[], type: string | undefined): string;
  readonly object: (type: string, members: Members) => string;
  /** A whole program, line by line. */
  program(declared: Declared, inputs: Members): string[];
}

const joined = (members: Members, write: (name: string, value: string) => string): string =>
  members.map(([name, value]) => write(name, value)).join(", ");
const lines = (members: Members, write: (name: string, value: string) => string): string[] =>
  members.map(([name, value]) => write(name, value));
const title = (name: string): string => pascal(snake(name));
const brackets = (items: readonly string[]): string => `[${items.join(", ")}]`;
const asIs = (quoted: string): string => quoted;

/** As most of them write it. */
const common = { plain: String, text: asIs, list: brackets } as const;

const typescript: Language = {
  ...common,
  fence: "typescript",
  object: (_, members) => `{ ${joined(members, (name, value) => `${name}: ${value}`)} }`,
  program: ({ name, title: type }, inputs) => [
    `import * as erphost from "${NODE_PACKAGE}";`,
    "",
    `const ${camel(name)} = new erphost.${type}("example", {`,
    ...lines(inputs, (member, value) => `    ${member}: ${value},`),
    "});",
  ],
};

const python: Language = {
  ...common,
  fence: "python",
  plain: (value) => (typeof value === "boolean" ? (value ? "True" : "False") : String(value)),
  object: (_, members) => `{${joined(members, (name, value) => `"${snake(name)}": ${value}`)}}`,
  program: ({ name, title: type }, inputs) => [
    `import ${PYTHON_PACKAGE} as erphost`,
    "",
    `${name} = erphost.${type}("example",`,
    ...lines(inputs, (member, value) => `    ${snake(member)}=${value},`),
    ")",
  ],
};

const go: Language = {
  fence: "go",
  plain: (value) =>
    typeof value === "boolean"
      ? `pulumi.Bool(${value})`
      : `pulumi.${Number.isInteger(value) ? "Int" : "Float64"}(${value})`,
  text: (quoted) => `pulumi.String(${quoted})`,
  list: (items, type) =>
    `${type === undefined ? "pulumi.StringArray" : `erphost.${type}Array`}{${items.join(", ")}}`,
  object: (type, members) =>
    `&erphost.${type}Args{${joined(members, (name, value) => `${title(name)}: ${value}`)}}`,
  program: ({ title: type }, inputs) => [
    "package main",
    "",
    "import (",
    `\t"${GO_PACKAGE}"`,
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    ")",
    "",
    "func main() {",
    "\tpulumi.Run(func(ctx *pulumi.Context) error {",
    `\t\t_, err := erphost.New${type}(ctx, "example", &erphost.${type}Args{`,
    ...lines(inputs, (name, value) => `\t\t\t${title(name)}: ${value},`),
    "\t\t})",
    "\t\treturn err",
    "\t})",
    "}",
  ],
};

const csharp: Language = {
  ...common,
  fence: "csharp",
  list: (items) => `new[] { ${items.join(", ")} }`,
  object: (type, members) =>
    `new ${NET_NAMESPACE}.Inputs.${type}Args { ${joined(members, (name, value) => `${title(name)} = ${value}`)} }`,
  program: ({ name, title: type }, inputs) => [
    "using Pulumi;",
    `using ${NET_NAMESPACE};`,
    "",
    "return await Deployment.RunAsync(() =>",
    "{",
    `    var ${camel(name)} = new ${type}("example", new ${type}Args`,
    "    {",
    ...lines(inputs, (member, value) => `        ${title(member)} = ${value},`),
    "    });",
    "});",
  ],
};

const java: Language = {
  ...common,
  fence: "java",
  list: (items) => `List.of(${items.join(", ")})`,
  object: (type, members) =>
    `${type}Args.builder()${members.map(([name, value]) => `.${name}(${value})`).join("")}.build()`,
  program: ({ name, title: type }, inputs) => [
    `import ${JAVA_PACKAGE}.*;`,
    `import ${JAVA_PACKAGE}.inputs.*;`,
    "import com.pulumi.Pulumi;",
    "import java.util.List;",
    "",
    "public class App {",
    "    public static void main(String[] args) {",
    "        Pulumi.run(context -> {",
    `            var ${camel(name)} = new ${type}("example", ${type}Args.builder()`,
    ...lines(inputs, (member, value) => `                .${member}(${value})`),
    "                .build());",
    "        });",
    "    }",
    "}",
  ],
};

const yaml: Language = {
  ...common,
  fence: "yaml",
  object: typescript.object,
  program: ({ token }, inputs) => [
    "resources:",
    "  example:",
    `    type: ${token}`,
    "    properties:",
    ...lines(inputs, (name, value) => `      ${name}: ${value}`),
  ],
};

export const languagesOfExamples = [typescript, python, go, csharp, java, yaml];
