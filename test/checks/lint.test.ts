import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { sharedFolder } from "../support/folder";

const root = join(__dirname, "../..");

interface Text {
  /** In a small checkout: most of the time goes into reading the project. */
  readonly file: string;
  readonly text: string;
}

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

/** Lints texts as files of a small checkout; answers for each the rules that fired. */
function rulesBroken(texts: readonly Text[]): Promise<string[][]> {
  const folder = sharedFolder();
  writeFileSync(
    join(folder, "tsconfig.json"),
    '{ "compilerOptions": { "module": "nodenext", "strict": true, "types": ["node"] } }',
  );
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const { file, text } of texts) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return new Promise((resolve, reject) => {
    const words = ["-e", LINTER, join(root, "eslint.config.mjs"), folder];
    execFile(process.execPath, words, { cwd: root }, (error, stdout, stderr) => {
      if (!stdout.startsWith("[")) return reject(error ?? new Error(stderr));
      // What the linter above printed.
      const found = new Map(JSON.parse(stdout) as [string, string[]][]);
      resolve(texts.map(({ file }) => found.get(join(folder, file)) ?? ["was not linted"]));
    });
  });
}

const TEST = "test/checks/a.test.ts";
const TIMEOUT_MS = 120_000;
const imports = 'import { expect, test } from "@jest/globals";\n';
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `  f(${index});`).join("\n");

const inner = Array.from(
  { length: 10 },
  (_, index) => `  const g${index} = () => {\n${lines(8)}\n  };\n  g${index}();`,
).join("\n");
const factory = `declare const f: (n: number) => void;\nexport function a(): void {\n${inner}\n}`;

const broken: readonly (readonly [claim: string, file: string, text: string, rule: string])[] = [
  [
    "a test that expects nothing",
    TEST,
    `${imports}test("a", () => { const b = 1; void b; });\ntest("c", () => { expect(1).toBe(1); });`,
    "house/test-expects",
  ],
  [
    "a focused test",
    TEST,
    `${imports}test.only("a", () => { expect(1).toBe(1); });`,
    "no-restricted-syntax",
  ],
  [
    "a test written with it",
    TEST,
    'import { it, expect } from "@jest/globals";\nit("a", () => { expect(1).toBe(1); });',
    "no-restricted-syntax",
  ],
  [
    "a test with another function name that expects nothing",
    TEST,
    `${imports}const testWithEngine = test.skip;\ntestWithEngine("a", () => { const b = 1; void b; });\ntest("c", () => { expect(1).toBe(1); });`,
    "house/test-expects",
  ],
  ["any", TEST, "export const a = (b: any): void => void b;", "@typescript-eslint/no-explicit-any"],
  ["a default export", TEST, "export default 1;", "no-restricted-syntax"],
  [
    "a promise that nobody waits for",
    TEST,
    "export const a = (): void => { Promise.resolve(1); };",
    "@typescript-eslint/no-floating-promises",
  ],
  [
    "the environment read outside an entry point",
    "provider/engine/planning/planned.ts",
    "export const a = process.env;",
    "no-restricted-syntax",
  ],
  [
    "the clock read outside an entry point",
    "provider/engine/planning/planned.ts",
    "export const a = Date.now();",
    "no-restricted-syntax",
  ],
  [
    "chance outside an entry point",
    "emulator/journal.ts",
    "export const a = Math.random();",
    "no-restricted-syntax",
  ],
  [
    "a function that is too long",
    "provider/engine/planning/planned.ts",
    `declare const f: (n: number) => void;\nexport function a(): void {\n${lines(70)}\n}`,
    "max-lines-per-function",
  ],
  [
    "a long function whose lines belong to small inner ones",
    "provider/engine/planning/planned.ts",
    factory,
    "max-lines-per-function",
  ],
  [
    "five parameters",
    "provider/engine/planning/planned.ts",
    "export const a = (b: 1, c: 1, d: 1, e: 1, f: 1): number => b + c + d + e + f;",
    "@typescript-eslint/max-params",
  ],
  [
    "five parameters in a test",
    TEST,
    "export const a = (b: 1, c: 1, d: 1, e: 1, f: 1): number => b + c + d + e + f;",
    "@typescript-eslint/max-params",
  ],
  [
    "five parameters in a script that runs before anything is installed",
    "scripts/tasks.cjs",
    "module.exports = (a, b, c, d, e) => a + b + c + d + e;",
    "max-params",
  ],
  [
    "a file that is too long",
    "scripts/tasks.cjs",
    `module.exports = [\n${"  1,\n".repeat(299)}];`,
    "max-lines",
  ],
];

describe("lint", () => {
  let found: string[][];

  beforeAll(async () => {
    const texts = broken.map(([, file, text], index) => ({
      file: file.replace(/(?=\.\w+$)/, String(index)),
      text: `${text}\n`,
    }));
    found = await rulesBroken(texts);
  }, TIMEOUT_MS);

  test.each(broken.map(([claim, , , rule], index) => ({ claim, rule, index })))(
    "lint refuses $claim",
    ({ rule, index }) => {
      expect(found[index]).toEqual([rule]);
    },
  );
});
