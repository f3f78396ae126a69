import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { sharedFolder } from "../support/folder";

const root = join(__dirname, "../..");
const CONFIG = ".dependency-cruiser.cjs";

/** A small checkout in which every import is allowed. */
const ALLOWED: Readonly<Record<string, string>> = {
  "provider/contract/index.ts": 'import "zod";\nimport "node:crypto";\nexport const contract = 1;',
  "provider/messages/index.ts": "export const messages = 1;",
  "provider/start/node.ts": "export const fits = true;",
  "provider/client/api.ts":
    'import "../contract";\nimport "../messages";\nimport "../settings";\nimport "undici";\nexport const client = 1;',
  "provider/client/index.ts": 'export * from "./api";',
  "provider/settings/index.ts": 'import "../contract";\nexport const settings = 1;',
  "provider/client/settings/system.ts": 'import "node:fs";\nexport const system = 1;',
  "provider/resources/index.ts": 'import "../contract";\nexport const resources = 1;',
  "provider/engine/index.ts":
    'import "../contract";\nimport "../resources";\nimport "../client";\nimport "age-encryption";\nimport "./journal/files";',
  "provider/engine/journal/files.ts": 'import "node:fs/promises";\nexport const intents = 1;',
  "provider/plans/index.ts": 'import "../contract";\nimport "../resources";',
  "provider/pulumi/index.ts":
    'import "../engine";\nimport "../resources";\nimport "../contract";\nimport "@pulumi/pulumi";',
  "provider/terraform/index.ts":
    'import "../engine";\nimport "../resources";\nimport "../contract";\nimport "../grpc";',
  "provider/grpc/index.ts": 'import "node:http2";\nexport const grpc = 1;',
  "provider/index.ts": 'import "./start/node";\nimport "./client";\nimport "./contract";',
  "cdktf-bindings/index.ts":
    'import "cdktf";\nimport "constructs";\nimport "../provider/contract";\nimport "../provider/resources";',
  "emulator/index.ts":
    'import "../provider/contract";\nimport "hono";\nimport "@hono/node-server";',
  "cli/main.ts":
    'import "../provider";\nimport "../provider/engine";\nimport "../emulator";\nimport "commander";\nimport "yaml";',
  "examples/one/index.ts": 'import "erphost";',
  "test/a-pair.ts": "export type A = number;",
  "test/b-pair.ts": 'import type { A } from "./a-pair";\nexport const b: A = 1;',
  "test/emulator/support.ts": 'import "../../emulator";',
};

/** A violating file and the one rule that it breaks. Every rule of the table has its own. */
const FORBIDDEN: readonly (readonly [rule: string, file: string, text: string])[] = [
  ["messages-import-nothing", "provider/messages/bad.ts", 'import "../contract";'],
  ["messages-import-nothing", "provider/messages/bad-core.ts", 'import "node:fs";'],
  ["start-imports-nothing", "provider/start/bad.ts", 'import "../messages";'],
  ["contract-imports-zod-only", "provider/contract/bad.ts", 'import "node:fs";'],
  ["contract-imports-zod-only", "provider/contract/bad-up.ts", 'import "../client/api";'],
  ["settings-import-contract-only", "provider/settings/bad.ts", 'import "../client/api";'],
  ["client-imports-contract-and-settings", "provider/client/bad.ts", 'import "../resources";'],
  [
    "client-imports-contract-and-settings",
    "provider/client/bad-host.ts",
    'import "@pulumi/pulumi";',
  ],
  ["resources-import-contract-only", "provider/resources/bad.ts", 'import "../client/api";'],
  ["engine-imports-what-it-drives", "provider/engine/bad.ts", 'import "undici";'],
  ["engine-imports-what-it-drives", "provider/engine/bad-deep.ts", 'import "../client/api";'],
  ["engine-imports-what-it-drives", "provider/engine/bad-up.ts", 'import "@pulumi/pulumi";'],
  ["engine-floors", "provider/engine/plan/bad.ts", 'import type {} from "../journal/files";'],
  ["engine-floors", "provider/engine/errors.ts", 'import "./journal/files";'],
  ["plans-import-what-judges-them", "provider/plans/bad.ts", 'import "../engine";'],
  ["plans-import-what-judges-them", "provider/plans/bad-core.ts", 'import "node:fs";'],
  ["pulumi-imports-engine-and-host", "provider/pulumi/bad.ts", 'import "../client/api";'],
  ["pulumi-imports-engine-and-host", "provider/pulumi/bad-face.ts", 'import "../terraform";'],
  [
    "pulumi-imports-engine-and-host",
    "provider/pulumi/bad-deep.ts",
    'import "../engine/journal/files";',
  ],
  ["plugin-imports-no-sdk", "provider/pulumi/plugin/bad.ts", 'import "@pulumi/pulumi";'],
  ["terraform-imports-engine-and-host", "provider/terraform/bad.ts", 'import "../client/api";'],
  ["terraform-imports-engine-and-host", "provider/terraform/bad-face.ts", 'import "../pulumi";'],
  ["grpc-imports-nothing", "provider/grpc/bad.ts", 'import "../contract";'],
  ["entry-imports-client-and-contract", "provider/bad.ts", 'import "./engine";'],
  ["bindings-import-cdktf-only", "cdktf-bindings/bad.ts", 'import "../provider";'],
  ["bindings-import-cdktf-only", "cdktf-bindings/bad-engine.ts", 'import "../provider/engine";'],
  ["page-imports-itself-only", "emulator/dashboard/bad.tsx", 'import "../index";'],
  ["emulator-imports-contract-only", "emulator/bad.ts", 'import "../provider/client/api";'],
  ["emulator-imports-contract-only", "emulator/bad-engine.ts", 'import "../provider/engine";'],
  ["emulator-imports-contract-only", "emulator/bad-face.ts", 'import "../provider/pulumi";'],
  ["cli-imports-entry-points-only", "cli/bad.ts", 'import "../provider/client/api";'],
  ["examples-import-what-is-published", "examples/one/bad.ts", 'import "../../provider";'],
  [
    "emulator-tests-import-no-client",
    "test/emulator/bad.ts",
    'import "../../provider/client/api";',
  ],
  ["emulator-tests-import-no-client", "test/emulator/bad-entry.ts", 'import "../../provider";'],
  ["files-enter-at-the-edge", "provider/engine/bad-file.ts", 'import "node:fs";'],
  ["commands-without-jest", "test/bad/main.ts", 'import "@jest/globals";'],
  ["no-cycles", "test/bad-cycle.ts", 'import type { A } from "./bad-pair";\nexport type B = A;'],
  ["nothing-unresolved", "test/bad-name.ts", 'import "no-such-package";'],
  ["dependencies-are-declared", "provider/pulumi/bad-dev.ts", 'import "@types/zod";'],
];

const PACKAGES = {
  dependencies: [
    "zod",
    "undici",
    "age-encryption",
    "hono",
    "@hono/node-server",
    "commander",
    "yaml",
  ],
  peerDependencies: ["@pulumi/pulumi", "cdktf", "cdktn", "constructs"],
  devDependencies: ["@types/zod", "@jest/globals"],
};

interface Cruised {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly rule: { readonly name: string };
    }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
}

const folder = sharedFolder();

const write = (path: string, text: string) => writeFiles(folder, { [path]: `${text}\n` });

beforeAll(() => {
  cpSync(join(root, CONFIG), join(folder, CONFIG));
  write("tsconfig.json", '{ "compilerOptions": { "module": "nodenext", "strict": true } }');
  for (const [path, text] of Object.entries(ALLOWED)) write(path, text);
  const lists = Object.entries(PACKAGES).map(([kind, names]) => [
    kind,
    Object.fromEntries(names.map((name) => [name, "1.0.0"])),
  ]);
  write("package.json", JSON.stringify({ name: "fixture", ...Object.fromEntries(lists) }));
  for (const name of [...Object.values(PACKAGES).flat(), "erphost"]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
});

async function cruise(): Promise<Cruised> {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const rooms = ["provider", "cdktf-bindings", "emulator", "cli", "examples", "test"];
  const words = [program, "--config", CONFIG, "--output-type", "json", ...rooms];
  const options = { cwd: folder, env: process.env, timeoutMs: 60_000, outputCharsMax: 2 ** 26 };
  const { stdout, output } = await runProgram(process.execPath, words, options);
  // Violations are its exit code; anything else has no document on stdout.
  if (!stdout.startsWith("{")) throw new Error(output);
  return JSON.parse(stdout) as Cruised;
}

test("each violating file breaks exactly its own rule, every rule has such a file, and an import that the table allows breaks none", async () => {
  for (const [, file, text] of FORBIDDEN) write(file, text);
  // A cycle is reported once, at the first of its files.
  write("test/bad-pair.ts", 'import type { B } from "./bad-cycle";\nexport type A = B[];');
  const { summary } = await cruise();
  const broken = (file: string) => [
    ...new Set(summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name)),
  ];
  for (const [rule, file] of FORBIDDEN) expect([file, broken(file)]).toEqual([file, [rule]]);
  const violating = FORBIDDEN.map(([, file]) => file);
  expect(summary.violations.filter(({ from }) => !violating.includes(from))).toEqual([]);
  const fired = new Set(FORBIDDEN.map(([rule]) => rule));
  const rules = summary.ruleSetUsed.forbidden.map(({ name }) => name);
  expect(rules.filter((name) => !fired.has(name))).toEqual([]);
}, 60_000);
