/** What the compiler of a program reads of the package: its declarations, as `npm run build` trims them. */
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as ts from "typescript";
import manifest from "../../package.json";
import { trimmedDeclarations } from "../../scripts/publish/declarations";

const root = join(__dirname, "../..");
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

test("a program of Pulumi's classic template compiles against the trimmed declarations, and its mistakes are said in names that the package has", () => {
  const entries = ([".", "./pulumi", "./webhooks"] as const).map((entry) =>
    join(root, manifest.exports[entry].types),
  );
  const texts = trimmedDeclarations(join(root, "dist"), entries);
  const host = ts.createCompilerHost(CLASSIC);
  const plain = ts.createCompilerHost(CLASSIC);
  const isLeftOut = (name: string) => name.startsWith(join(root, "dist")) && !texts.has(name);
  host.readFile = (name) => (name === MAIN ? PROGRAM : (texts.get(name) ?? plain.readFile(name)));
  host.fileExists = (name) => name === MAIN || (!isLeftOut(name) && plain.fileExists(name));
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([MAIN], CLASSIC, host));
  const said = diagnostics.map(
    ({ file, messageText }) =>
      `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
  );
  expect(said).toEqual([
    `${MAIN}: Type 'number' is not assignable to type 'string'.`,
    `${MAIN}: Object literal may only specify known properties, but 'nam' does not exist in type 'ServerCreate'. Did you mean to write 'name'?`,
  ]);
});
