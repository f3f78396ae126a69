import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const root = join(__dirname, "../..");
/** Below the checkout, so that packages are found, in a folder that no other tool looks into. */
let folder: string;

beforeAll(() => {
  // A snippet may import erphost/cdktn, whose sources git does not hold.
  (require("../cdktf/support/cdktn-sources.cjs") as () => void)();
  folder = mkdtempSync(join(root, "node_modules/.snippets-"));
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

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

/** One file per snippet, and what the compiler says of all of them. */
function compile(snippets: readonly Snippet[]): Promise<string> {
  const files = snippets.map(({ text }, index) => {
    const name = `snippet-${index}.mts`;
    // Each is a module of its own, as it is for the reader who copies it.
    writeFileSync(join(folder, name), `${text}\nexport {};\n`);
    return name;
  });
  const up = relative(folder, root);
  const settings = {
    extends: `${up}/tsconfig.json`,
    // A snippet says what it makes and need not use it.
    compilerOptions: {
      noUnusedLocals: false,
      typeRoots: [`${up}/node_modules/@types`],
      // The checkout's own record of what has been checked is not about these files.
      incremental: false,
      // Where the sources of erphost/cdktn see the product.
      rootDirs: [up, `${up}/dist/sources`],
    },
    include: [],
    files,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, "-p", folder], { cwd: folder }, (_, stdout) => {
      resolve(
        stdout.replace(
          /snippet-(\d+)\.mts/g,
          (_match, index) => snippets[Number(index)]?.where ?? "",
        ),
      );
    });
  });
}

/** One that nobody may copy. */
const WRONG: Snippet = {
  where: "wrong.md:7",
  text: 'import { Server } from "erphost/pulumi";\nnew Server("a", { nam: "b" });',
};

const snippets = pages.flatMap(snippetsOf).filter((each) => !hasBindings(each));
/** What the compiler says of all of them, by line, and of the wrong one. */
let said: readonly string[];

beforeAll(async () => {
  said = (await compile([...snippets, WRONG])).split("\n").filter((line) => line !== "");
}, 120_000);

const ofWrong = (line: string): boolean => line.startsWith(WRONG.where);

test("every TypeScript snippet of the README and the docs type-checks", () => {
  expect(snippets.length).toBeGreaterThan(10);
  expect(said.filter((line) => !ofWrong(line))).toEqual([]);
});

test("a snippet that does not type-check is found, with its place", () => {
  expect(said.filter(ofWrong)).toEqual([expect.stringMatching(/^wrong\.md:7\(2,.*TS2561/)]);
});
