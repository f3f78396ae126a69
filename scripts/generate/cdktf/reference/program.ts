/** What the constructs export, as the compiler knows it: with everything that is inherited. */
import { dirname, join, relative } from "node:path";
import * as ts from "typescript";

const root = join(__dirname, "../../../..");
const ROOM = join(root, "cdktf-bindings");

/** The room, compiled. */
export interface Room {
  readonly checker: ts.TypeChecker;
  /** What the entry exports, by name, in its order; `l1` left out. */
  readonly exported: ReadonlyMap<string, ts.Symbol>;
}

/** Compiles the entry of the constructs. */
export function readRoom(): Room {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const entry = join(ROOM, "index.ts");
  const program = ts.createProgram({
    rootNames: [entry],
    options: { ...options, types: [], incremental: false, noEmit: true },
    host: hostOf(options),
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} exports nothing.`);
  const symbols = checker
    .getExportsOfModule(module)
    .filter(({ name }) => name !== "l1")
    .map((symbol): [string, ts.Symbol] => [symbol.name, originOf(checker, symbol)]);
  return { checker, exported: new Map(symbols) };
}

/** No page shows anything of these, and the compiler would read more of them than of all the rest. */
const OF_OTHERS = /^(?:node:|zod|undici)/;

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const known = ts.createModuleResolutionCache(root, (name) => name, options);
  host.resolveModuleNameLiterals = (names, file) =>
    names.map(({ text }) =>
      OF_OTHERS.test(text)
        ? { resolvedModule: undefined }
        : ts.resolveModuleName(text, file, options, host, known),
    );
  return host;
}

const originOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The declaration that describes a symbol. */
export const declarationOf = (symbol: ts.Symbol): ts.Declaration | undefined =>
  symbol.declarations?.[0];

/** The path of a declaration below the room; undefined for what other packages declare. */
export function pathInRoom(node: ts.Node): string | undefined {
  const path = relative(ROOM, node.getSourceFile().fileName).replaceAll("\\", "/");
  return path.startsWith("../") ? undefined : path;
}

/** The kind that a generated declaration is about, such as `api_key`; undefined for written ones. */
export function kindOfGenerated(node: ts.Node): string | undefined {
  const place = pathInRoom(node);
  return place?.startsWith("generated/")
    ? dirname(place).slice("generated/".length).replaceAll("-", "_")
    : undefined;
}

/** What a docstring says, in one line. */
export const docOf = ({ checker }: Room, symbol: ts.Symbol): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, " ").trim();

/** The text of each tag of a name in a symbol's docstring. */
export const tagsOf = ({ checker }: Room, symbol: ts.Symbol, name: string): string[] =>
  symbol
    .getJsDocTags(checker)
    .filter((tag) => tag.name === name)
    .map((tag) => ts.displayPartsToString(tag.text));
