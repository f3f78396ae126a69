/** What the compiler of a program reads of the package: its declarations, as `npm run build` trims them. */
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as ts from "typescript";
import manifest from "../../../package.json";
import { trimmedDeclarations } from "../../../scripts/publish/declarations";

const root = join(__dirname, "../../..");
const MAIN = join(root, "main.ts");

const PROGRAM = `
import { ErpHost, InvalidInput, type Server, type ServerCreate, type ServerFilter } from "erphost";
import * as erphost from "erphost/pulumi";
import { verifyWebhook } from "erphost/webhooks";

const input: ServerCreate = { name: "web-1" };
const filter: ServerFilter = { status: "running", sort: "name" };
export async function names(client: ErpHost): Promise<string[]> {
  const made: Server = await client.servers.create(input);
  const all = await client.servers.list(filter).toArray();
  return [made, ...all].map(({ name }) => name.toUpperCase());
}
export const server = new erphost.Server("web", { name: "web-1" });
export const event: string = verifyWebhook({ body: "", headers: {}, secrets: "" }).event.event;
export const path: string | number | undefined = new InvalidInput("a", []).issues[0]?.path[0];
new ErpHost({ timeout: 30 });
void new ErpHost({}).servers.create({ nam: "a" });
`;

/** As `pulumi new typescript` wrote it until 2026: libraries are checked, and modules have no default. */
const CLASSIC: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2020,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  esModuleInterop: false,
  experimentalDecorators: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  types: ["node"],
  ignoreDeprecations: "6.0",
};

const DIST = join(root, "dist");
// Those for cdktn are compiled from the same sources, for a release alone.
const ENTRIES = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === "object" && !name.startsWith("./cdktn") ? [join(root, entry.types)] : [],
);
const TEXTS = trimmedDeclarations(DIST, ENTRIES);

/** A program that reads the declarations as they are trimmed, or as they were compiled. */
function program(text: string, options: ts.CompilerOptions, isTrimmed: boolean): ts.Program {
  const host = ts.createCompilerHost(options);
  const plain = ts.createCompilerHost(options);
  const isLeftOut = (name: string) => isTrimmed && name.startsWith(DIST) && !TEXTS.has(name);
  const trimmed = (name: string) => (isTrimmed ? TEXTS.get(name) : undefined);
  host.readFile = (name) => (name === MAIN ? text : (trimmed(name) ?? plain.readFile(name)));
  host.fileExists = (name) => name === MAIN || (!isLeftOut(name) && plain.fileExists(name));
  return ts.createProgram([MAIN], options, host);
}

const said = (text: string, options: ts.CompilerOptions): string[] =>
  ts
    .getPreEmitDiagnostics(program(text, options, true))
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );

test("a program of Pulumi's classic template compiles against the trimmed declarations, and its mistakes are said in names that the package has", () => {
  expect(said(PROGRAM, CLASSIC)).toEqual([
    `${MAIN}: Type 'number' is not assignable to type 'string'.`,
    `${MAIN}: Object literal may only specify known properties, but 'nam' does not exist in type 'ServerCreate'. Did you mean to write 'name'?`,
  ]);
});

/** By entry and name: whether it is a value, a type or both. */
function exported(isTrimmed: boolean): Readonly<Record<string, string>> {
  const lines = ENTRIES.map((entry, at) => `export * as e${at} from "${entry.slice(0, -5)}";`);
  const whole = program(lines.join("\n"), CLASSIC, isTrimmed);
  const checker = whole.getTypeChecker();
  const target = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const kind = ({ flags }: ts.Symbol) =>
    (["Value", "Type"] as const).filter((each) => flags & ts.SymbolFlags[each]).join(" and ");
  const main = whole.getSourceFile(MAIN);
  const module = main && checker.getSymbolAtLocation(main);
  const entries = module ? checker.getExportsOfModule(module) : [];
  return Object.fromEntries(
    entries.flatMap((entry) =>
      checker
        .getExportsOfModule(target(entry))
        // What is internal is still named by its entry, and declared nowhere.
        .filter((each) => target(each).declarations)
        .map((each) => [`${entry.name} ${each.name}`, kind(target(each))]),
    ),
  );
}

test("every entry exports the same values and types trimmed, and jest has the matchers", () => {
  const trimmed = exported(true);
  expect(trimmed).toMatchObject({ "e0 ErpHost": "Value and Type", "e0 ServerCreate": "Type" });
  expect(trimmed).toEqual(exported(false));
  const matchers = `
import "erphost/cdktf/testing";
export declare const matchers: jest.Matchers<void>;
matchers.toDeclareIt();
`;
  expect(said(matchers, { ...CLASSIC, skipLibCheck: true })).toEqual([
    expect.stringMatching(/'toDeclareIt' does not exist .* Did you mean 'toDeclare'\?$/),
  ]);
});
