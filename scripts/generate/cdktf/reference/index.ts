/** `docs/cdktf/reference/index.md`, and a page for each construct, Aspect and function of `erphost/cdktf`. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { camel, pascal } from "../../../../provider/contract";
import type { Generated } from "../../files";
import { bullets, code, fenced, header, page, table } from "../../markdown";
import { headOf, membersOf } from "./members";
import { declarationOf, docOf, pathInRoom, readRoom, tagsOf, type Room } from "./program";
import { choiceOf, isOfProps, tablesOf } from "./props";

const generatedRoot = join(__dirname, "../../../../cdktf-bindings/generated");

/** What constructs extend; their members are on the pages of those. */
const BASES: readonly string[] = ["Declared", "DeclaredKey"];

/** @public The pages. Loaded by name, once the generated classes have been written. */
export function cdktfReference(): Generated {
  const room = readRoom();
  const all = [...room.exported];
  const documented = all.filter(([name, symbol]) => isRunnable(symbol) && !BASES.includes(name));
  const known = documented.map(([name]) => name);
  const types = all.filter(([, symbol]) => !isRunnable(symbol));
  const pages = documented.map(([name, symbol]): [string, string] => [
    `docs/cdktf/reference/${fileOf(name)}`,
    pageOf(room, name, symbol, known),
  ]);
  return {
    "docs/cdktf/reference/index.md": indexOf(room, documented, types),
    ...Object.fromEntries(pages),
  };
}

const isRunnable = ({ flags }: ts.Symbol): boolean =>
  (flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Function)) !== 0;

/** `server-fleet.md` for `ServerFleet`. */
const fileOf = (name: string): string =>
  `${name.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.md`;

const GROUPS: readonly (readonly [folder: string, title: string])[] = [
  ["constructs/", "Constructs"],
  ["patterns/", "Patterns"],
  ["aspects/", "Aspects"],
  ["stages/", "Stages and stacks"],
  ["keys/", "Keys"],
  ["", "Others"],
];

type Named = readonly (readonly [name: string, symbol: ts.Symbol])[];

function indexOf(room: Room, documented: Named, types: Named): string {
  const groupOf = (symbol: ts.Symbol): string => {
    const node = declarationOf(symbol);
    const place = (node && pathInRoom(node)) ?? "";
    return GROUPS.find(([folder]) => place.startsWith(folder))?.[1] ?? "";
  };
  const lists = GROUPS.map(([, title]) => {
    const lines = documented
      .filter(([, symbol]) => groupOf(symbol) === title)
      .map(([name, symbol]) => {
        const [first] = docOf(room, symbol).split(/(?<=\.) /);
        return `[${code(name)}](${fileOf(name)}): ${first ?? ""}`;
      });
    return `## ${title}\n\n${bullets(lines)}`;
  });
  const shown = new Set<string>();
  return page(
    header("cdktf-bindings/"),
    "# Constructs",
    "What `erphost/cdktf` exports. A page lists every prop, inherited ones too, with its type, its default and what a change does.",
    ...lists,
    "## Generated constructs",
    "`l1` has everything that the provider has, generated from its schema, with the same arguments in camelCase:",
    l1Table(),
    "## Types",
    ...types.flatMap(([name, symbol]) => typeSection(room, name, symbol, shown)),
  );
}

/** What every construct has from its library. */
const FROM_CONSTRUCT: readonly string[] = ["node", "toString", "with"];

/** A type that no page of a construct describes. */
function typeSection(
  room: Room,
  name: string,
  symbol: ts.Symbol,
  shown: Set<string>,
): readonly string[] {
  const node = declarationOf(symbol);
  if (node === undefined || /(?:Props|Config)$/.test(name)) return [];
  const doc = docOf(room, symbol);
  const type = room.checker.getDeclaredTypeOfSymbol(symbol);
  if (isOfProps(node) && ts.isInterfaceDeclaration(node)) {
    const [first = `### ${name}`] = tablesOf(room, type, name, shown);
    return [first.replace("\n\n", `\n\n${doc}\n\n`)];
  }
  const isAlias = ts.isTypeAliasDeclaration(node);
  const written = choiceOf(room, type) ?? (isAlias ? node.type.getText() : "");
  const has = type.isIntersection() || !isAlias ? type.getProperties() : [];
  const own = has.map((each) => each.name).filter((each) => !FROM_CONSTRUCT.includes(each));
  const members = own.length === 0 ? "" : `It has ${own.map(code).join(", ")}.`;
  const text = members || (written && code(written.replace(/\s+/g, " ")));
  return [page(`### ${name}`, doc, text).trimEnd()];
}

/** Every generated class, and the page of the provider about it. */
function l1Table(): string {
  const folders = readdirSync(generatedRoot, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "provider")
    .map(({ name }) => name)
    .sort();
  return table(
    ["construct", "in Terraform"],
    folders.map((folder) => {
      const isData = folder.startsWith("data-erphost-");
      const name = folder.replace("data-erphost-", "").replaceAll("-", "_");
      const whole = folder.replaceAll("-", "_");
      const page = `../../${isData ? "data-sources" : "resources"}/${name}.md`;
      return [
        code(`l1.${camel(whole)}.${pascal(whole)}`),
        `[${code(`${isData ? "data." : ""}erphost_${name}`)}](${page})`,
      ];
    }),
  );
}

function pageOf(room: Room, name: string, symbol: ts.Symbol, known: readonly string[]): string {
  const node = declarationOf(symbol);
  const throws = tagsOf(room, symbol, "throws").map((text) => `Throws ${text}.`);
  const signature = signatureOf(name, node);
  const shown = new Set<string>();
  const props = parametersOf(node).flatMap((parameter) => propsTables(room, parameter, shown));
  return page(
    header("cdktf-bindings/"),
    `# ${name}`,
    [docOf(room, symbol), ...throws].join(" "),
    ...tagsOf(room, symbol, "example").map((text) => program(text, known)),
    fenced("text", signature),
    bullets(describedParameters(node)),
    ...(props.length > 0 ? ["## Props", ...props] : []),
    ...(symbol.flags & ts.SymbolFlags.Class ? membersOf(room, symbol) : []),
  );
}

/** A function itself, or the constructor of a class that has one of its own. */
const calledOf = (node: ts.Declaration | undefined) =>
  node && ts.isClassDeclaration(node)
    ? node.members.find(ts.isConstructorDeclaration)
    : node && ts.isFunctionDeclaration(node)
      ? node
      : undefined;

const parametersOf = (node: ts.Declaration | undefined): readonly ts.ParameterDeclaration[] =>
  calledOf(node)?.parameters ?? [];

/** What the docstring says of each parameter. */
function describedParameters(node: ts.Declaration | undefined): string[] {
  const called = calledOf(node);
  const texts = called ? ts.getJSDocTags(called).filter(ts.isJSDocParameterTag).map(textOfTag) : [];
  return texts.map((text) => text.replace(/\s+/g, " ").replace(/^(\w+)/, "`$1`:"));
}

const textOfTag = (tag: ts.JSDocParameterTag): string =>
  `${tag.name.getText()} ${ts.getTextOfJSDocComment(tag.comment) ?? ""}`;

const signatureOf = (name: string, node: ts.Declaration | undefined): string =>
  node && ts.isFunctionDeclaration(node)
    ? headOf(node)
    : `new ${name}(${parametersOf(node)
        .map((each) => each.getText().replace(/\b(?:private|readonly) /g, ""))
        .join(", ")})`;

/** The props that a parameter takes, if its type is one of props. */
function propsTables(room: Room, parameter: ts.ParameterDeclaration, shown: Set<string>): string[] {
  const { type: written } = parameter;
  if (!written || !ts.isTypeReferenceNode(written)) return [];
  const type = room.checker.getTypeFromTypeNode(written);
  // The compiler's own types have no symbol.
  const symbol = (type.aliasSymbol ?? type.symbol) as ts.Symbol | undefined;
  const node = symbol && declarationOf(symbol);
  return node && isOfProps(node) ? tablesOf(room, type, written.typeName.getText(), shown) : [];
}

/** An example as a whole program that a reader can run, with a stack if the example needs one. */
function program(example: string, known: readonly string[]): string {
  const begin = /\bstack\b/.test(example)
    ? [`const stack = new TerraformStack(app, "erp");`, `new ErphostProvider(stack, "provider");`]
    : [];
  const whole = ["const app = new App();", ...begin, example].join("\n");
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}[(.]`).test(whole);
  const names = known.filter(isUsed).toSorted().join(", ");
  const library = ["App", "Aspects", "TerraformStack", "TerraformVariable"].filter(isUsed);
  const imports = `import { ${library.join(", ")} } from "cdktf";
import { ${names} } from "erphost/cdktf";`;
  const parts = [imports, ["const app = new App();", ...begin].join("\n"), example, "app.synth();"];
  return fenced("ts", parts.join("\n\n"));
}
