/** Every check of `npm run check`. The longest come first, so that none is left alone at the end. */
import { inTurn, tool } from "./command";
import before from "./metrics-before.json";
import { measure, metricsTable, passed } from "./metrics";
import { checkPackage } from "./package";
import type { Check } from "./run-all";
import { tidy } from "./tidy";
import { trackedFiles } from "./tracked";

/** Rooms that the import table speaks of; a folder that is not there yet is left out. */
const ROOMS = [
  "provider",
  "cdktf-bindings",
  "emulator",
  "cli",
  "examples",
  "demo",
  "scripts",
  "test",
];

const bin = (name: string): string => `node_modules/${name}`;

/** @param root the checkout */
export const checks = (root: string): readonly Check[] => [
  {
    name: "lint",
    about: "ESLint, with types",
    remedy: "Many findings are mended by `npx eslint --fix .`.",
    run: () => tool(root, [bin("eslint/bin/eslint.js"), "."]),
  },
  {
    name: "package",
    about: "what npm would publish: its files, its entries, its types",
    remedy: "See the fields files, exports and bin of package.json, and scripts/build.ts.",
    run: () => checkPackage(root),
  },
  {
    name: "types",
    about: "TypeScript; the constructs against cdktf and against cdktn",
    remedy: "Mend the types; nothing is emitted.",
    run: () =>
      inTurn([
        () => tool(root, [bin("typescript/bin/tsc"), "--noEmit"]),
        () => tool(root, ["-r", "ts-node/register", "scripts/generate/cdktf/cdktn-sources.ts"]),
        () => tool(root, [bin("typescript/bin/tsc"), "-p", "tsconfig.cdktn.json"]),
      ]),
  },
  {
    name: "format",
    about: "Prettier",
    remedy: "Run `npx prettier --write .`.",
    run: () => tool(root, [bin("prettier/bin/prettier.cjs"), "--check", "."]),
  },
  {
    name: "imports",
    about: "the import table of the rooms, and no cycles",
    remedy: "The table is in docs/ARCHITECTURE.md; its rules are in .dependency-cruiser.cjs.",
    run: () =>
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
    run: () => tool(root, [bin("knip/bin/knip.js")]),
  },
  {
    name: "generated",
    about: "no generated file is stale",
    remedy: "Run `npm run generate` and commit the result.",
    run: () => tool(root, ["-r", "ts-node/register", "scripts/generate.ts", "--check"]),
  },
  {
    name: "lock",
    about: "package-lock.json holds the packages of every platform",
    remedy: "Run `node scripts/prepare/complete-lock-file.cjs` and commit the file.",
    run: () => tool(root, ["scripts/prepare/complete-lock-file.cjs", "--check"]),
  },
  {
    name: "metrics",
    about: "the shape of the code, before and after; no limit is passed",
    remedy: "The limits are in scripts/check/metrics.ts.",
    shows: true,
    run: () => {
      const now = measure(trackedFiles(root));
      const findings = passed(now);
      const output = [metricsTable(before, now), ...findings].join("\n");
      return Promise.resolve({ ok: findings.length === 0, output });
    },
  },
  {
    name: "tidy",
    about: "no machine's paths, no registry's hosts, no notes to oneself",
    remedy: "The rules are in scripts/check/tidy.ts.",
    run: () => {
      const findings = tidy(trackedFiles(root));
      return Promise.resolve({ ok: findings.length === 0, output: findings.join("\n") });
    },
  },
];
