/** Every check of `npm run check`. The longest come first, so that none is left alone at the end. */
import { join } from "node:path";
import { calques } from "./english";
import { checkPackage } from "./package/check";
import { checkConsumers } from "./package/consumers";
import { command, inTurn, tool, type Check, type Finding } from "./run-all";
import { tidy } from "./tidy";
import { trackedFiles } from "./tracked";
import { weighCheckout } from "./weight";

/** Where no run of code may stand twice. */
const CODE = ["provider", "cdktf-bindings", "emulator", "cli", "demo", "scripts"];

/** Rooms that the import table speaks of. */
const ROOMS = [...CODE, "examples", "test"];

const bin = (name: string): string => `node_modules/${name}`;

const listed = (findings: readonly string[]): Promise<Finding> =>
  Promise.resolve({ ok: findings.length === 0, output: findings.join("\n") });

/** Finds runs of ten lines or more that stand twice; shorter ones are punctuation and imports. */
export const duplicates = (root: string, rooms: readonly string[]): Promise<Finding> =>
  tool(root, [
    join(__dirname, "../..", bin("jscpd/bin/jscpd")),
    ...["--min-lines", "10", "--min-tokens", "50", "--format", "typescript,javascript"],
    ...["--ignore", "**/generated/**,**/*.gen.ts", "--reporters", "console", "--noTips"],
    ...["--no-colors", "--exitCode", "1", ...rooms],
  ]);

/** In the order in which they start. */
export const checks: readonly Check[] = [
  {
    name: "lint",
    about: "ESLint, with types",
    remedy: "Many findings are mended by `npx eslint --fix .`.",
    run: (root) => tool(root, [bin("eslint/bin/eslint.js"), "."]),
  },
  {
    name: "package",
    about: "what npm would publish: its files and entries, and each face, installed",
    remedy: "See the fields files, exports and bin of package.json, and scripts/build.ts.",
    run: (root) => checkPackage(root),
  },
  {
    name: "consumers",
    about: "the published types, under every supported TypeScript, resolution and @types/node",
    remedy: "The matrix is in scripts/check/package/consumers.ts.",
    run: (root) => checkConsumers(root),
  },
  {
    name: "types",
    about: "TypeScript; the constructs against cdktf and against cdktn",
    remedy: "Mend the types; nothing is emitted.",
    run: (root) =>
      inTurn([
        () => tool(root, [bin("typescript/bin/tsc"), "--noEmit"]),
        () => tool(root, [bin("typescript/bin/tsc"), "--noEmit", "-p", "tsconfig.page.json"]),
        () => tool(root, ["-r", "ts-node/register", "scripts/generate/cdktf/cdktn-sources.ts"]),
        () => tool(root, [bin("typescript/bin/tsc"), "-p", "tsconfig.cdktn.json"]),
      ]),
  },
  {
    name: "format",
    about: "Prettier",
    remedy: "Run `npx prettier --write .`.",
    run: (root) => tool(root, [bin("prettier/bin/prettier.cjs"), "--check", "."]),
  },
  {
    name: "imports",
    about: "the import table of the rooms, and no cycles",
    remedy: "The table is in docs/ARCHITECTURE.md; its rules are in .dependency-cruiser.cjs.",
    run: (root) =>
      tool(root, [
        bin("dependency-cruiser/bin/dependency-cruiser.mjs"),
        "--config",
        ".dependency-cruiser.cjs",
        ...ROOMS,
      ]),
  },
  {
    name: "dead-code",
    about: "no file, export or dependency that nothing uses",
    remedy: "Remove it, or make it used; knip.json lists the entries.",
    run: (root) => tool(root, [bin("knip/bin/knip.js")]),
  },
  {
    name: "generated",
    about: "no generated file is stale",
    remedy: "Run `npm run generate` and commit the result.",
    run: (root) => tool(root, ["-r", "ts-node/register", "scripts/generate.ts", "--check"]),
  },
  {
    name: "lock",
    about: "package-lock.json holds the packages of every platform, each with a checksum",
    remedy: "Run `node scripts/supply-chain/lock-file.cjs` and commit the file.",
    run: (root) => tool(root, ["scripts/supply-chain/lock-file.cjs", "--check"]),
  },
  {
    name: "licences",
    about: "every dependency has a licence that is allowed where it is used",
    remedy: "Use another package; the lists are in scripts/supply-chain/licences.cjs.",
    run: (root) => tool(root, ["scripts/supply-chain/licences.cjs", "--check"]),
  },
  {
    name: "workflows",
    about: "actionlint on .github/workflows",
    remedy: "Mend the workflow; `npm run engines actionlint` gets the linter.",
    // It does not know yet that `$/` is the repository and the commit of the file itself.
    run: (root) =>
      command(root, "actionlint", ["-no-color", "-ignore", 'action "\\$/\\S+" in invalid']),
  },
  {
    name: "weight",
    about: "what people write and what is tracked; no limit is passed",
    remedy: "Take out what nobody needs; the limits are in scripts/check/weight.ts.",
    shows: true,
    run: (root) => {
      const { table, passed } = weighCheckout(root);
      return Promise.resolve({ ok: passed.length === 0, output: [table, ...passed].join("\n") });
    },
  },
  {
    name: "duplicates",
    about: "no run of ten lines or more stands twice",
    remedy: "Take it out, so that one piece of code serves both.",
    run: (root) => duplicates(root, CODE),
  },
  {
    name: "english",
    about: "no phrase that reads like a translation",
    remedy: "The phrases, and what to write instead, are in scripts/check/english.ts.",
    run: (root) => listed(calques(trackedFiles(root))),
  },
  {
    name: "tidy",
    about: "no machine's paths, no registry's hosts, no notes to oneself, no crowded folder",
    remedy: "The rules are in scripts/check/tidy.ts.",
    run: (root) => listed(tidy(trackedFiles(root))),
  },
];
