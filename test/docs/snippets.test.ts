/** What pages print for readers to copy: what runs each block, and that TypeScript compiles. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import ts from "typescript";
import { blocksOf } from "../e2e/support/guide";
import { GUIDES, PAGES } from "../e2e/support/guides/table";

const root = join(__dirname, "../..");
/** Below the checkout, so that packages are found, in a folder that no other tool looks into. */
let folder: string;

afterAll(() => rmSync(folder, { recursive: true }));

/** Pages whose snippets readers copy: README.md when it is there, and everything in docs/. */
const pages = ["", "docs", "examples"].flatMap((below) =>
  readdirSync(join(root, below), { recursive: below !== "", encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(below, name)),
);

interface Snippet {
  readonly where: string;
  readonly text: string;
}

/** An end-to-end test compiles these, with the published bindings of other providers. */
const hasBindings = ({ text }: Snippet): boolean => text.includes('"@cdktf/provider-');

const snippetsOf = (page: string): Snippet[] => {
  const text = readFileSync(join(root, page), "utf8");
  // Lines to put into a file, which CONTRIBUTING.md's own test does, are not programs.
  const programs = /(?<!^<!-- change [^\n]* -->\n\n)^```(?:ts|typescript)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(programs)].map((match) => ({
    where: `${page}:${text.slice(0, match.index).split("\n").length + 1}`,
    text: match[1] ?? "",
  }));
};

/** One file per snippet, and what the compiler says of each; not of the sources that they import. */
function compile(snippets: readonly Snippet[]): readonly string[] {
  const files = snippets.map(({ text }, index) => {
    const file = join(folder, `snippet-${index}.mts`);
    // Each is a module of its own, as it is for the reader who copies it.
    writeFileSync(file, `${text}\nexport {};\n`);
    return file;
  });
  const read = (path: string) => readFileSync(path, "utf8");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), read) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
  const program = ts.createProgram(files, {
    ...options,
    incremental: false,
    // Where the sources of erphost/cdktn see the product.
    rootDirs: [root, join(root, "dist/sources")],
  });
  return files.flatMap((file, index) => {
    const source = program.getSourceFile(file);
    return [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ].map(({ start = 0, code, messageText }) => {
      const { line = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {};
      const text = ts.flattenDiagnosticMessageText(messageText, " ");
      return `${snippets[index]?.where} (line ${line + 1}): TS${code} ${text}`;
    });
  });
}

/** One that nobody may copy. */
const WRONG: Snippet = {
  where: "wrong.md:7",
  text: 'import { Server } from "erphost/pulumi";\nnew Server("a", { nam: "b" });',
};

const snippets = pages.flatMap(snippetsOf).filter((each) => !hasBindings(each));
let said: readonly string[];

beforeAll(() => {
  // A snippet may import erphost/cdktn, whose sources git does not hold.
  (require("../cdktf/support/cdktn-sources.cjs") as () => void)();
  folder = mkdtempSync(join(root, "node_modules/.snippets-"));
  said = compile([...snippets, WRONG]);
}, 180_000);

const ofWrong = (line: string): boolean => line.startsWith(WRONG.where);

test("every TypeScript snippet of the README and the docs type-checks", () => {
  expect(snippets.length).toBeGreaterThan(10);
  expect(said.filter((line) => !ofWrong(line))).toEqual([]);
});

test("a snippet that does not type-check is found, with its place", () => {
  expect(said.filter(ofWrong)).toEqual([expect.stringMatching(/^wrong\.md:7 \(line 2\): TS2561/)]);
});

const rows = Object.entries(GUIDES).flatMap(([path, { elsewhere = [] }]) =>
  elsewhere.map(([holding, where]) => ({ path, holding, where })),
);

test("the list has every page that prints something to copy, and no other", () => {
  expect(Object.keys(GUIDES).sort()).toEqual([...PAGES].sort());
});

test.each(rows)("a block of $path holds $holding", ({ path, holding }) => {
  const first = (text: string) => GUIDES[path]?.elsewhere?.find(([one]) => text.includes(one))?.[0];
  expect(blocksOf(path).some(({ text }) => first(text) === holding)).toBe(true);
});

const inTests = rows.filter(({ where }) => where.startsWith("test/"));
test.each(inTests)("$where reads $path", ({ path, where }) => {
  const text = readFileSync(join(root, where), "utf8");
  const named = `["/]${basename(path)}(?:\\.md)?"`;
  expect(text).toMatch(new RegExp(`${named}|cdktf/support/documented"`));
});
