/** What a construct has and can do: its attributes, methods and static methods, inherited ones too. */
import * as ts from "typescript";
import { code } from "../../markdown";
import { declarationOf, docOf, pathInRoom, tagsOf, type Room } from "./program";

/** The lists of a class's members, each under a heading. */
export function membersOf(room: Room, symbol: ts.Symbol): string[] {
  const { checker } = room;
  const statics = checker.getTypeOfSymbol(symbol).getProperties();
  const own = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
  const lines = (symbols: readonly ts.Symbol[], isMethod: boolean): string[] =>
    symbols
      .filter((each) => ((each.flags & ts.SymbolFlags.Method) !== 0) === isMethod)
      .flatMap((each) => line(room, each) ?? []);
  return [
    section("Attributes", lines(own, false)),
    section("Methods", lines(own, true)),
    section("Static methods", lines(statics, true)),
  ].filter((text) => text !== "");
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `## ${title}\n\n${lines.join("\n")}`;

const HIDDEN: readonly string[] = ["private", "protected"];
/** The method of an Aspect that the library calls. */
const VISIT = "visit";

/** A member of a class that is written here; undefined for what callers cannot use. */
function line(room: Room, symbol: ts.Symbol): string | undefined {
  const node = declarationOf(symbol);
  if (node === undefined || pathInRoom(node)?.startsWith("generated/") !== false) return undefined;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  if (modifiers.some((each) => HIDDEN.includes(each.getText()))) return undefined;
  if (symbol.name === VISIT || tagsOf(room, symbol, "internal").length > 0) return undefined;
  const doc = docOf(room, symbol);
  return `- ${code(signatureOf(room, symbol, node))}${doc === "" ? "" : ` ${doc}`}`;
}

function signatureOf({ checker }: Room, symbol: ts.Symbol, node: ts.Declaration): string {
  if (ts.isMethodDeclaration(node)) return headOf(node).replace(/^static /, "");
  const written =
    ts.isPropertyDeclaration(node) || ts.isGetAccessorDeclaration(node)
      ? node.type?.getText()
      : undefined;
  const type = written ?? checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, node));
  return `${symbol.name}: ${type}`;
}

/** A function or method up to its body, in one line. */
export function headOf(node: ts.FunctionLikeDeclaration): string {
  const end = node.body?.getStart() ?? node.getEnd();
  return node
    .getText()
    .slice(0, end - node.getStart())
    .replace(/^export function /, "")
    .replace(/\s+/g, " ")
    .replace(/\( /g, "(")
    .replace(/,? \)/g, ")")
    .trim();
}
