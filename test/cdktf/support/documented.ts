/** The programs in the documentation of the constructs, and what they synthesise. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The library that the tests run on, as jest.config.cjs says for each project. */
export const LIBRARY: string = String(Reflect.get(globalThis, "LIBRARY") ?? "cdktf");

const root = join(__dirname, "../../..");

const pages = ["docs/cdktf", "docs/guides"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);

/** Every program, by the place where it begins. */
const programs: Readonly<Record<string, string>> = Object.fromEntries(
  pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const lineOf = (index: number): number => text.slice(0, index).split("\n").length + 1;
    return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
      .filter(([program]) => /"erphost\/cdkt[fn]/.test(program))
      .map(({ index, 1: program = "" }) => [`${page}:${lineOf(index)}`, program]);
  }),
);

const isTest = (program: string): boolean => program.includes("Testing.app()");
const hasBindings = (program: string): boolean => program.includes('"@cdktf/');
const isForCdktn = (program: string): boolean => program.includes('"erphost/cdktn"');

const those = (isWanted: (program: string) => boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(programs).filter(([, program]) => isWanted(program)));

/** The programs for the library under test; the documentation says that cdktn runs all of them. */
export const documented = those(
  (program) =>
    !isTest(program) && !hasBindings(program) && (LIBRARY === "cdktn" || !isForCdktn(program)),
);

/** The programs that use other providers' bindings, which only an end-to-end test has. */
export const withBindings = those(hasBindings);

export const documentedTests = those(isTest);

/** The program that shows what only cdktn has. */
export const cdktnProgram: string = Object.values(programs).find(isForCdktn) ?? "";

/** The test that jest runs, whose types a user's project checks. */
const testing = readFileSync(join(root, "docs/cdktf/testing.md"), "utf8");
export const [, jestTest = ""] = /^```js\n(import [\s\S]*?)^```$/m.exec(testing) ?? [];

/** Where a program finds the packages that it names: in the checkout. */
const packages: Readonly<Record<string, string>> = {
  cdktf: require.resolve("cdktf"),
  cdktn: require.resolve("cdktn"),
  "erphost/cdktf": join(root, "cdktf-bindings"),
  "erphost/cdktf/testing": join(root, "cdktf-bindings/testing"),
  "erphost/cdktn": join(root, "cdktf-bindings"),
  "erphost/cdktn/testing": join(root, "cdktf-bindings/testing"),
};

/** A program with the paths of the packages that it imports. */
export const located = (program: string): string =>
  program.replace(/(?<=from )"([^"]+)"/g, (_, name: string) =>
    JSON.stringify(packages[name] ?? name),
  );

/** Runs a program as it is, and returns the configuration of its stack; of several, the first with resources. */
export const synthesised = (program: string): string =>
  run(program, (folder) => {
    const stacks = readdirSync(join(folder, "stacks"))
      .sort()
      .map((name) => readFileSync(join(folder, "stacks", name, "cdk.tf.json"), "utf8"));
    return stacks.find((text) => "resource" in (JSON.parse(text) as object)) ?? stacks.join("");
  });

/** Runs a program with its output in a folder, which is read before it is removed. */
export function run<T>(program: string, read: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "erphost-documented-"));
  const outdir = process.env["CDKTF_OUTDIR"];
  process.env["CDKTF_OUTDIR"] = folder;
  try {
    const file = join(folder, "program.ts");
    writeFileSync(file, located(program));
    require(file);
    return read(folder);
  } finally {
    if (outdir === undefined) delete process.env["CDKTF_OUTDIR"];
    else process.env["CDKTF_OUTDIR"] = outdir;
    rmSync(folder, { recursive: true });
  }
}
