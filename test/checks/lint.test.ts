import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { sharedFolder } from "../support/folder";

const root = join(__dirname, "../..");

/** The checkout's own configuration, on the project of another folder. */
const LINTER = `
  const { ESLint } = require("eslint");
  const [config, folder] = process.argv.slice(1);
  (async () => {
    const languageOptions = { parserOptions: { tsconfigRootDir: folder } };
    const linter = new ESLint({
      cwd: folder,
      overrideConfigFile: config,
      overrideConfig: { files: ["**/*.ts"], languageOptions },
    });
    const found = await linter.lintFiles(".");
    console.log(JSON.stringify(found.map(({ filePath, messages }) => [
      filePath,
      [...new Set(messages.map(({ ruleId, message }) => ruleId ?? message))],
    ])));
  })();
`;

/**
 * Lints texts as files of a small checkout, since most of the time goes into reading the project;
 * answers for each the rules that fired.
 */
async function rulesBroken(texts: readonly Record<"file" | "text", string>[]): Promise<string[][]> {
  const folder = sharedFolder();
  const compilerOptions = { module: "nodenext", strict: true, types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFiles(folder, Object.fromEntries(texts.map(({ file, text }) => [file, text])));
  const words = ["-e", LINTER, join(root, "eslint.config.mjs"), folder];
  const options = { cwd: root, env: process.env, timeoutMs: TIMEOUT_MS };
  const { stdout, output } = await runProgram(process.execPath, words, options);
  if (!stdout.startsWith("[")) throw new Error(output);
  // What the linter above printed.
  const found = new Map(JSON.parse(stdout) as [string, string[]][]);
  return texts.map(({ file }) => found.get(join(folder, file)) ?? ["was not linted"]);
}

const TEST = "test/checks/a.test.ts";
const TIMEOUT_MS = 120_000;
const imports = 'import { expect, test } from "@jest/globals";\n';
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `  f(${index});`).join("\n");

const inner = [...Array(10).keys()]
  .map((index) => `  const g${index} = () => {\n${lines(8)}\n  };\n  g${index}();`)
  .join("\n");
const functionOf = (body: string) =>
  `declare const f: (n: number) => void;\nexport function a(): void {\n${body}\n}`;
const SYNTAX = "no-restricted-syntax";
const TS = "@typescript-eslint";
const EXPECTS = "house/test-expects";
const LINES = "max-lines-per-function";

const PLANNED = "provider/engine/evidence/planned.ts";
const VERB = "provider/engine/verbs/verb.ts";
const FIVE = "export const a = (b: 1, c: 1, d: 1, e: 1, f: 1): number => b + c + d + e + f;";
const MUTE = "() => { const b = 1; void b; });";
const GOOD = "() => { expect(1).toBe(1); });";
const AND_GOOD = `${MUTE}\ntest("c", ${GOOD}`;
const OTHER_NAME = `${imports}const testWithEngine = test.skip;\ntestWithEngine("a", ${AND_GOOD}`;
const MAKES = "export const c = new Operation();";
const LOOK = "const fs = require('node:fs');\n\nif (fs.existsSync('a')) fs.unlinkSync('a');";
const PROMISE = "export const a = (): void => { Promise.resolve(1); };";
const LONG = `module.exports = [\n${"  1,\n".repeat(299)}];`;

const takes = (type: string): string =>
  `class ${type} {\n  a = 1;\n}\nexport const a = (b: ${type}): number => b.a;`;

const MISSING = "house/missing-only";
const promised = (end: string): string =>
  `declare const p: Promise<unknown>;\nexport const a = (): unknown => p${end};`;
const tried = (end: string): string =>
  `import { readFileSync } from "node:fs";\nexport function a(): string {
  try {\n    return readFileSync("a", "utf8");\n  } catch {\n    ${end}\n  }\n}`;

/** What is refused, by the rule that refuses it. */
const broken: readonly (readonly [rule: string, file: string, claim: string, text: string])[] = [
  [EXPECTS, TEST, "a test that expects nothing", `${imports}test("a", ${AND_GOOD}`],
  [EXPECTS, TEST, "a test with another function name that expects nothing", OTHER_NAME],
  [SYNTAX, TEST, "a focused test", `${imports}test.only("a", ${GOOD}`],
  [SYNTAX, TEST, "a test written with it", `${imports.replace("test", "it")}it("a", ${GOOD}`],
  [`${TS}/no-explicit-any`, TEST, "any", "export const a = (b: any): void => void b;"],
  [SYNTAX, TEST, "a default export", "export default 1;"],
  [`${TS}/no-floating-promises`, TEST, "a promise that nobody waits for", PROMISE],
  [SYNTAX, PLANNED, "the environment read outside an entry point", "export const a = process.env;"],
  [SYNTAX, PLANNED, "the clock read outside an entry point", "export const a = Date.now();"],
  [SYNTAX, "emulator/a.ts", "chance outside an entry point", "export const a = Math.random();"],
  [SYNTAX, PLANNED, "an operation that is taken whole below the verbs", takes("Operation")],
  [SYNTAX, PLANNED, "a run that is taken whole below the verbs", takes("Run")],
  [SYNTAX, VERB, "an operation that a verb makes", `${takes("Operation")}\n${MAKES}`],
  [LINES, PLANNED, "a function that is too long", functionOf(lines(70))],
  [LINES, PLANNED, "a long function whose lines belong to small inner ones", functionOf(inner)],
  [`${TS}/max-params`, PLANNED, "five parameters", FIVE],
  [`${TS}/max-params`, TEST, "five parameters in a test", FIVE],
  [
    "max-params",
    "scripts/tasks.cjs",
    "five parameters in a script that runs before anything is installed",
    "module.exports = (a, b, c, d, e) => a + b + c + d + e;",
  ],
  [MISSING, PLANNED, "a read whose failure is nothing", promised(".catch((_e) => [])")],
  [MISSING, PLANNED, "a read whose failure is false", promised(".then(() => 1, () => 0)")],
  [MISSING, "emulator/a.ts", "a file that is empty where it cannot be read", tried("return '';")],
  [MISSING, "scripts/release/runtime/start.cjs", "a look before an act", LOOK],
  ["max-lines", "scripts/tasks.cjs", "a file that is too long", LONG],
];

describe("lint", () => {
  let found: string[][];

  beforeAll(async () => {
    const passed = [
      promised(".catch(() => undefined) // It ends anyway."),
      tried("return ''; // Nobody has to read it."),
      tried("throw new Error('It cannot be read.');"),
      "export const a = (b: string): unknown => {\n  try {\n    return JSON.parse(b);\n  } catch {\n    return 1;\n  }\n};",
    ].map((text) => ["", PLANNED, "", text] as const);
    const texts = [...broken, ...passed].map(([, file, , text], index) => ({
      file: file.replace(/(?=\.\w+$)/, String(index)),
      text: `${text}\n`,
    }));
    found = await rulesBroken(texts);
  }, TIMEOUT_MS);

  test("lint passes a dropped error that says why, or is thrown on", () => {
    expect(found.slice(broken.length)).toEqual([[], [], [], []]);
  });

  test.each(broken.map(([rule, , claim], index) => [claim, rule, index] as const))(
    "lint refuses %s",
    (_, rule, index) => expect(found[index]).toEqual([rule]),
  );
});
