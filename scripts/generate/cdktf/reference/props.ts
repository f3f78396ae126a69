/** Tables of props: each with its type, its default and what a change does. */
import * as ts from "typescript";
import { camel, snake } from "../../../../provider/contract";
import { kinds } from "../../../../provider/resources";
import { code, table } from "../../markdown";
import { declarationOf, docOf, kindOfGenerated, pathInRoom, type Room } from "./program";

interface Prop {
  readonly name: string;
  readonly type: string;
  /** `required`, or what holds where it is left out. */
  readonly fallback: string;
  readonly doc: string;
}

/** Types that hold props of their own may hold others, but not deeper than this. */
const DEPTH_MAX = 4;

/**
 * The table of a type's props, and those of the types that these hold, each under its name.
 * @param shown types that the page has a table of already; they are left out, and added
 */
export function tablesOf(room: Room, type: ts.Type, name: string, shown: Set<string>): string[] {
  const nested = new Map<string, ts.Type>([[name, type]]);
  const tables: string[] = [];
  for (let depth = 0; depth < DEPTH_MAX && nested.size > 0; depth += 1) {
    for (const [title, each] of [...nested]) {
      nested.delete(title);
      if (shown.has(title)) continue;
      shown.add(title);
      const props = propsOf(room, each);
      if (props.length === 0) continue;
      tables.push(`### ${title}\n\n${render(props)}`);
      for (const [inner, found] of typesIn(room, each)) nested.set(inner, found);
    }
  }
  return tables;
}

const render = (props: readonly Prop[]): string =>
  table(
    ["prop", "type", "default", "what it is"],
    props.map(({ name, type, fallback, doc }) => [code(name), code(type), fallback, doc]),
  );

function propsOf(room: Room, type: ts.Type): Prop[] {
  const members = membersOf(room, type).map((symbol) => propOf(room, type, symbol));
  const isRequired = ({ fallback }: Prop): boolean => fallback === "required";
  return [
    ...members.filter(isRequired),
    ...members.filter((prop) => !isRequired(prop)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  ];
}

/** Of a choice, the members of all its types. Texts, numbers and constructs have none. */
function membersOf({ checker }: Room, type: ts.Type): readonly ts.Symbol[] {
  const symbols = (type.isUnion() ? type.types : [type])
    .filter(({ flags }) => (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0)
    .filter((each) => !each.isClass() && each.getProperty("node") === undefined)
    .flatMap((each) => checker.getPropertiesOfType(each));
  return [...new Map(symbols.map((symbol) => [symbol.name, symbol])).values()];
}

function propOf(room: Room, owner: ts.Type, symbol: ts.Symbol): Prop {
  const declared = declarationsOf(owner, symbol, room);
  const isOptional =
    (symbol.flags & ts.SymbolFlags.Optional) !== 0 ||
    declared.some((node) => ts.isPropertySignature(node) && node.questionToken !== undefined);
  const doc = inProgramNames(
    docOf(room, symbol) || declared.map((node) => docOfNode(room, node)).join(""),
  );
  const replaces = declared.some((node) => forcesReplacement(symbol.name, node));
  const isSaid = /forces replacement/.test(doc);
  return {
    name: symbol.name,
    type: typeOf(room, symbol, declared),
    fallback: isOptional ? fallbackIn(doc) : "required",
    doc: `${doc}${replaces && !isSaid ? " Changing this forces replacement." : ""}`.trim(),
  };
}

/** Of a choice between several types, the declarations in each that has the prop. */
function declarationsOf(owner: ts.Type, symbol: ts.Symbol, { checker }: Room): ts.Declaration[] {
  const symbols = owner.isUnion()
    ? owner.types.flatMap((each) => checker.getPropertyOfType(each, symbol.name) ?? [])
    : [symbol];
  return symbols.flatMap(({ declarations = [] }) => declarations);
}

/** Docstrings of generated constructs have Terraform's names. */
const inProgramNames = (doc: string): string =>
  doc === "timeouts block"
    ? "How long waits take at most."
    : doc.replace(/`((?!erphost_)[a-z]+(?:_[a-z]+)+)`/g, (_, name: string) => `\`${camel(name)}\``);

const docOfNode = (room: Room, node: ts.Declaration): string => {
  const symbol = ts.isPropertySignature(node) && room.checker.getSymbolAtLocation(node.name);
  return symbol ? docOf(room, symbol) : "";
};

/** As it is written where it is declared, but a choice of texts with all of them. */
function typeOf(room: Room, symbol: ts.Symbol, declared: readonly ts.Declaration[]): string {
  const node = declared
    .flatMap((node) => (ts.isPropertySignature(node) && node.type ? [node.type] : []))
    .find((each) => each.getText() !== "undefined");
  if (node === undefined) return symbol.name;
  const choice = choiceOf(room, room.checker.getTypeFromTypeNode(node));
  return (choice ?? node.getText()).replaceAll("cdktf.", "").replace(/\s+/g, " ");
}

/** The texts of a choice; undefined for other types. */
export function choiceOf({ checker }: Room, type: ts.Type): string | undefined {
  if (!type.isUnion() || !type.types.every((each) => each.isStringLiteral())) return undefined;
  return type.types.map((each) => checker.typeToString(each)).join(" | ");
}

/** What the docstring says of the default. */
function fallbackIn(doc: string): string {
  const found = /\b[Dd]efault:? (?<text>(?:[^.;]|[.;](?=\S))+)/.exec(doc)?.groups?.["text"];
  return found?.trim() ?? "not set";
}

/** Whether the service cannot change it, or the engine makes a new object of it. */
function forcesReplacement(name: string, node: ts.Declaration): boolean {
  const kind = kinds[kindOfGenerated(node) ?? ""];
  const field = snake(name);
  return (
    kind?.fields[field]?.immutable === true || kind?.reading.replaceOn?.includes(field) === true
  );
}

/** The types of this room, by name, that a type's props hold and that have props themselves. */
function typesIn(room: Room, type: ts.Type): Map<string, ts.Type> {
  const found = new Map<string, ts.Type>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) {
      const held = room.checker.getTypeFromTypeNode(node);
      const symbol = held.aliasSymbol ?? held.symbol;
      // The compiler's own types have no symbol.
      const declaration = (symbol as ts.Symbol | undefined) && declarationOf(symbol);
      if (declaration && isOfProps(declaration)) found.set(node.typeName.getText(), held);
    }
    ts.forEachChild(node, visit);
  };
  for (const symbol of membersOf(room, type)) {
    for (const node of declarationsOf(type, symbol, room)) {
      if (ts.isPropertySignature(node) && node.type) visit(node.type);
    }
  }
  return found;
}

/** Whether a declaration is one of plain props: no class, and no interface of constructs. */
export function isOfProps(node: ts.Declaration): boolean {
  if (pathInRoom(node) === undefined) return false;
  if (ts.isTypeAliasDeclaration(node)) return true;
  if (!ts.isInterfaceDeclaration(node)) return false;
  return node.heritageClauses?.some((each) => each.getText().includes("IConstruct")) !== true;
}
