/** What ESLint holds. The style's reasons are in docs/ARCHITECTURE.md; tests of the own rules in test/checks. */
import tseslint from "typescript-eslint";
import { house } from "./scripts/check/eslint-rules.mjs";

/** Where the environment, the clock, randomness and timers may enter; they are passed on from here. */
const ENTRY_POINTS = [
  "cdktf-bindings/clock.ts",
  "cli/import/folder.ts",
  "cli/main.ts",
  "emulator/core.ts",
  "emulator/time/*.ts",
  "emulator/random.ts",
  "provider/**/main.ts",
  "provider/client/settings/system.ts",
  "provider/engine/open.ts",
  "provider/pulumi/lookups.ts",
  "provider/pulumi/dynamic/runtime.ts",
  "provider/pulumi/dynamic/traces.ts",
];

const syntax = {
  defaultExport: {
    selector: "ExportDefaultDeclaration",
    message: "Export by name: one thing has one name everywhere.",
  },
  enum: {
    selector: "TSEnumDeclaration",
    message: "Use a union of strings, or an object that is `as const`.",
  },
  doubleAssertion: {
    selector: "TSAsExpression > TSAsExpression > TSAnyKeyword",
    message: "Parse it instead: nothing checks an assertion by way of any.",
  },
  environment: {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: "The environment enters at an entry point and is passed in.",
  },
  now: {
    selector:
      "MemberExpression[object.name='Date'][property.name='now'], MemberExpression[object.name='performance'][property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
    message: "The clock enters at an entry point and is passed in.",
  },
  random: {
    selector:
      "MemberExpression[object.name='Math'][property.name='random'], CallExpression[callee.name=/^random(UUID|Bytes|Int)$/]",
    message: "Randomness enters at an entry point and is passed in.",
  },
  timer: {
    selector: "CallExpression[callee.name=/^set(Timeout|Interval)$/]",
    message: "Timers belong to the clock, which is passed in.",
  },
  madeOperation: {
    selector: "NewExpression[callee.name='Operation']",
    message: "Only the engine makes an operation, which a host has called.",
  },
  wholeOperation: {
    selector: "TSTypeReference[typeName.name=/^(Operation|Run)$/]",
    message: "Below the verbs a function names the `Parts` that it takes of an operation.",
  },
  zod: {
    selector:
      "ImportDeclaration[source.value='zod'][importKind!='type'] ImportSpecifier[imported.name='z']",
    message: "Import zod as `* as z`: a bundle then leaves out what is not used.",
  },
  focused: {
    selector:
      "MemberExpression[object.name=/^(test|describe)$/][property.name='only'], CallExpression[callee.name=/^(fdescribe|xdescribe|xtest)$/]",
    message: "A focused test silences the others; a left-out one says so with `test.skip`.",
  },
  it: {
    // No type gives them as globals, so every use begins with an import.
    selector:
      "ImportDeclaration[source.value='@jest/globals'] ImportSpecifier[imported.name=/^[fx]?it$/]",
    message: "A test's title is a whole sentence: write it with `test`.",
  },
};
const size = (linesMax) => ({
  "max-lines": ["error", { max: linesMax, skipBlankLines: true, skipComments: true }],
  // The lines of inner functions count: a closure of many small ones is a class.
  "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
});
const restricted = (...rules) => ["error", ...rules];
const everywhere = [syntax.defaultExport, syntax.enum, syntax.doubleAssertion];
const pure = [syntax.environment, syntax.now, syntax.random, syntax.timer, syntax.zod];

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "coverage/",
      "node_modules/",
      "cdktf-bindings/generated/",
      // Imports an SDK that is generated for its test, which checks its types.
      "examples/pulumi-sdk/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({
    ...config,
    files: ["**/*.ts", "**/*.tsx"],
  })),
  {
    files: ["**/*.ts", "**/*.tsx"],
    plugins: { house },
    languageOptions: {
      // Not the nearest tsconfig.json: an example's own is for its reader, and knows no sources.
      parserOptions: {
        project: ["tsconfig.json", "tsconfig.page.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "as" }],
      "@typescript-eslint/consistent-type-imports": [
        "error",
        { fixStyle: "separate-type-imports", disallowTypeAnnotations: false },
      ],
      "@typescript-eslint/prefer-nullish-coalescing": [
        "error",
        { ignorePrimitives: { string: true, boolean: true } },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Interfaces of others ask for promises where nothing is awaited.
      "@typescript-eslint/require-await": "off",
      // `require` is how a heavy module is loaded only when it is needed, and what a stored closure must use.
      "@typescript-eslint/no-require-imports": "off",
      eqeqeq: "error",
      ...size(300),
      "@typescript-eslint/max-params": ["error", { max: 4 }],
      "no-restricted-syntax": restricted(...everywhere),
    },
  },
  {
    files: ["{provider,cdktf-bindings,emulator,cli,scripts,demo,test}/**/*.{cjs,mjs}"],
    plugins: { house },
    rules: { ...size(300), "max-params": ["error", { max: 4 }] },
  },
  {
    files: ["provider/**/*.ts", "emulator/**/*.ts", "cli/**/*.ts", "cdktf-bindings/**/*.ts"],
    // The page runs in a browser, whose clock and timers are its own.
    ignores: [...ENTRY_POINTS, "emulator/dashboard/**"],
    rules: { "no-console": "error", "no-restricted-syntax": restricted(...everywhere, ...pure) },
  },
  {
    files: ["provider/engine/*/*.ts"],
    ignores: ["provider/engine/service/operation.ts"],
    rules: { "no-restricted-syntax": restricted(...everywhere, ...pure, syntax.madeOperation) },
  },
  {
    files: ["provider/engine/{service,evidence}/*.ts"],
    ignores: ["provider/engine/service/operation.ts"],
    rules: {
      "no-restricted-syntax": restricted(
        ...[...everywhere, ...pure, syntax.madeOperation, syntax.wholeOperation],
      ),
    },
  },
  {
    // What users run.
    files: ["{provider,cli,emulator,cdktf-bindings}/**/*.ts", "scripts/release/runtime/*.cjs"],
    ignores: ["emulator/dashboard/**"],
    rules: { "house/missing-only": "error" },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "house/test-expects": "error",
      "no-restricted-syntax": restricted(...everywhere, syntax.focused, syntax.it),
      ...size(350),
      // A `describe` is as long as its claims.
      "max-lines-per-function": "off",
    },
  },
  {
    // The page shows whatever JSON it is answered; what an event starts may end later.
    files: ["emulator/dashboard/*.tsx"],
    rules: {
      "@typescript-eslint/no-base-to-string": "off",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
    },
  },
  {
    // Generated files are read by their generators' tests, not by people.
    files: ["**/*.gen.ts"],
    rules: { "max-lines": "off", "max-lines-per-function": "off" },
  },
);
