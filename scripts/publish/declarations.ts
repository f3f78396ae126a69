/**
 * Cuts compiled declarations down to what programs can name: each statement that an entry of the
 * package leads to stays where it is, under its own name, and the rest is left out. What is inferred
 * from a schema is written out, so that nobody's compiler reads zod's types.
 */
import { dirname, relative } from "node:path";
import * as ts from "typescript";

/** Types that are computed from definitions, for which a reader wants to see the outcome. */
const INFERRED = /^(?:(?:z\.(?:output|input|infer)|GivenOf|Choice)<|keyof typeof )/;

/**
 * What is left of compiled declarations, by file.
 * @param folder that of all declarations
 * @param entries the declarations of the package's entries
 * @throws Error where a type that a program can name still names zod
 */
export function trimmedDeclarations(
  folder: string,
  entries: readonly string[],
): ReadonlyMap<string, string> {
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    types: ["node"],
  });
  const trimmed = new Declarations(program.getTypeChecker(), (file) =>
    file.fileName.startsWith(`${folder.replaceAll("\\", "/")}/`),
  );
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    if (!file) throw new Error(`${entry} is not there`);
    trimmed.reachWhole(file);
  }
  const texts = new Map(trimmed.texts());
  for (const [name, text] of texts) {
    const [line] = /.*(?:\bzod\b|\bz\.).*/.exec(text) ?? [];
    if (line !== undefined) throw new Error(`${name} names zod: ${line}`);
  }
  return texts;
}

/** What is reached, and how it is written. */
class Declarations {
  readonly #statements = new Map<ts.SourceFile, Set<ts.Statement>>();
  /** Files whose every export is reached, under the names that they give them. */
  readonly #whole = new Set<ts.SourceFile>();
  /** Names that kept statements import. */
  readonly #imports = new Map<ts.SourceFile, Set<ts.Symbol>>();
  /** What stands in the place of a node. */
  readonly #replaced = new Map<ts.Node, string>();

  constructor(
    readonly checker: ts.TypeChecker,
    readonly isOurs: (file: ts.SourceFile) => boolean,
  ) {}

  reachWhole(file: ts.SourceFile): void {
    if (this.#whole.has(file)) return;
    this.#whole.add(file);
    for (const symbol of this.#exportsOf(file)) this.#reach(symbol);
  }

  *texts(): Generator<[name: string, text: string]> {
    for (const file of new Set([...this.#whole, ...this.#statements.keys()])) {
      const lines = [...this.#importLines(file), ...this.#statementTexts(file)];
      if (this.#whole.has(file)) lines.push(...this.#exportLines(file));
      // Without it every declaration of a file without exports would be one.
      yield [file.fileName, [...lines, "export {};", ""].join("\n")];
    }
  }

  #exportsOf(file: ts.SourceFile): ts.Symbol[] {
    const module = this.checker.getSymbolAtLocation(file);
    return module ? this.checker.getExportsOfModule(module) : [];
  }

  #target = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;

  #reach(symbol: ts.Symbol): void {
    for (const declaration of this.#target(symbol).declarations ?? []) {
      if (!this.isOurs(declaration.getSourceFile())) continue;
      if (ts.isSourceFile(declaration)) this.reachWhole(declaration);
      else this.#keep(declaration);
    }
  }

  #keep(declaration: ts.Node): void {
    const statement = ts.findAncestor(declaration, (node) => ts.isSourceFile(node.parent));
    if (!statement || ts.isImportDeclaration(statement)) return;
    const file = statement.getSourceFile();
    const kept = this.#statements.get(file) ?? new Set();
    if (kept.has(statement as ts.Statement)) return;
    this.#statements.set(file, kept.add(statement as ts.Statement));
    this.#visit(statement, file);
    // No name leads to `declare global`: whoever imports the file has what it adds.
    for (const each of file.statements) {
      if (each.flags & ts.NodeFlags.GlobalAugmentation) this.#keep(each);
    }
  }

  #visit(node: ts.Node, file: ts.SourceFile): void {
    if (ts.isTypeNode(node) && INFERRED.test(node.getText())) {
      const type = this.checker.getTypeFromTypeNode(node);
      const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags;
      this.#replaced.set(node, this.checker.typeToString(type, node, NoTruncation | InTypeAlias));
      return;
    }
    const symbol = ts.isIdentifier(node) ? this.checker.getSymbolAtLocation(node) : undefined;
    if (symbol) {
      const [origin] = symbol.declarations ?? [];
      if (origin && ts.findAncestor(origin, ts.isImportDeclaration)) {
        this.#imports.set(file, (this.#imports.get(file) ?? new Set()).add(symbol));
      }
      this.#reach(symbol);
    }
    ts.forEachChild(node, (child) => {
      this.#visit(child, file);
    });
  }

  /** Each import by itself, from where its name is declared. */
  #importLines = (file: ts.SourceFile): string[] =>
    [...(this.#imports.get(file) ?? [])].flatMap((symbol) => {
      const [specifier] = symbol.declarations ?? [];
      const statement = specifier && ts.findAncestor(specifier, ts.isImportDeclaration);
      if (!specifier || !statement) return [];
      const target = this.#target(symbol);
      const [origin] = target.declarations ?? [];
      const isOurs = origin && this.isOurs(origin.getSourceFile());
      const from = isOurs
        ? pathBetween(file, origin.getSourceFile())
        : (statement.moduleSpecifier as ts.StringLiteral).text;
      if (ts.isNamespaceImport(specifier)) return `import * as ${symbol.name} from "${from}";`;
      if (ts.isImportClause(specifier)) return `import ${symbol.name} from "${from}";`;
      const imported = ts.isImportSpecifier(specifier) ? specifier.propertyName?.text : undefined;
      const name = isOurs ? target.name : (imported ?? symbol.name);
      return `import { ${renamed(name, symbol.name)} } from "${from}";`;
    });

  #statementTexts(file: ts.SourceFile): string[] {
    const kept = this.#statements.get(file);
    return file.statements
      .filter((statement) => kept?.has(statement))
      .map((statement) => {
        const start = statement.getFullStart();
        let text = statement.getFullText();
        // The last first, so that the places of the others stay.
        for (const [node, replacement] of [...this.#replaced].reverse()) {
          if (ts.findAncestor(node, (each) => each === statement) === undefined) continue;
          const [from, to] = [node.getStart() - start, node.end - start];
          text = text.slice(0, from) + replacement + text.slice(to);
        }
        return text.trimStart();
      });
  }

  #exportLines = (file: ts.SourceFile): string[] =>
    this.#exportsOf(file).flatMap((symbol) => {
      const target = this.#target(symbol);
      const [origin] = target.declarations ?? [];
      if (!origin || origin.getSourceFile() === file) return [];
      const from = pathBetween(file, origin.getSourceFile());
      if (ts.isSourceFile(origin)) return `export * as ${symbol.name} from "${from}";`;
      const [specifier] = symbol.declarations ?? [];
      const isType = specifier && ts.isTypeOnlyImportOrExportDeclaration(specifier);
      const name = renamed(target.name, symbol.name);
      return `export ${isType ? "type " : ""}{ ${name} } from "${from}";`;
    });
}

const renamed = (name: string, as: string): string => (name === as ? name : `${name} as ${as}`);

/** As an import names it, with the folder of an index. */
function pathBetween(from: ts.SourceFile, to: ts.SourceFile): string {
  const path = relative(dirname(from.fileName), to.fileName).replaceAll("\\", "/");
  const bare = path.replace(/\.d\.ts$/, "");
  return bare.startsWith(".") ? bare : `./${bare}`;
}
