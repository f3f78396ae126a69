import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { sharedFolder } from "../support/folder";

const root = join(__dirname, "../..");
const CONFIG = ".dependency-cruiser.cjs";

/** A small checkout in which every import is allowed: what each file imports, or its whole text. */
const ALLOWED: Readonly<Record<string, string>> = {
  "provider/contract/index.ts": "zod node:crypto",
  "provider/messages/index.ts": "export const messages = 1;",
  "provider/start/node.ts": "export const fits = true;",
  "provider/client/api.ts": "../contract ../messages ../settings undici",
  "provider/client/index.ts": 'export * from "./api";',
  "provider/settings/index.ts": "../contract",
  "provider/client/settings/system.ts": "node:fs",
  "provider/resources/index.ts": "../contract",
  "provider/engine/index.ts": "../contract ../resources ../client age-encryption ./journal/files",
  "provider/engine/journal/files.ts": "node:fs/promises",
  "provider/plans/index.ts": "../contract ../resources",
  "provider/pulumi/index.ts": "../engine ../resources ../contract @pulumi/pulumi",
  "provider/terraform/index.ts": "../engine ../resources ../contract ../grpc",
  "provider/grpc/index.ts": "node:http2",
  "provider/index.ts": "./start/node ./client ./contract",
  "cdktf-bindings/index.ts": "cdktf constructs ../provider/contract ../provider/resources",
  "emulator/index.ts": "../provider/contract hono @hono/node-server",
  "cli/main.ts": "../provider ../provider/engine ../emulator commander yaml",
  "examples/one/index.ts": "erphost",
  "test/a-pair.ts": "export type A = number;",
  "test/b-pair.ts": 'import type { A } from "./a-pair";\nexport const b: A = 1;',
  "test/emulator/support.ts": "../../emulator",
};

/** A violating file and the one rule that it breaks. Every rule of the table has its own. */
const FORBIDDEN: readonly (readonly [rule: string, file: string, said: string])[] = [
  ["messages-import-nothing", "provider/messages/bad.ts", "../contract"],
  ["messages-import-nothing", "provider/messages/bad-core.ts", "node:fs"],
  ["start-imports-nothing", "provider/start/bad.ts", "../messages"],
  ["contract-imports-zod-only", "provider/contract/bad.ts", "node:fs"],
  ["contract-imports-zod-only", "provider/contract/bad-up.ts", "../client/api"],
  ["settings-import-contract-only", "provider/settings/bad.ts", "../client/api"],
  ["client-imports-contract-and-settings", "provider/client/bad.ts", "../resources"],
  ["client-imports-contract-and-settings", "provider/client/bad-host.ts", "@pulumi/pulumi"],
  ["resources-import-contract-only", "provider/resources/bad.ts", "../client/api"],
  ["engine-imports-what-it-drives", "provider/engine/bad.ts", "undici"],
  ["engine-imports-what-it-drives", "provider/engine/bad-deep.ts", "../client/api"],
  ["engine-imports-what-it-drives", "provider/engine/bad-up.ts", "@pulumi/pulumi"],
  ["engine-floors", "provider/engine/plan/bad.ts", 'import type {} from "../journal/files";'],
  ["engine-floors", "provider/engine/errors.ts", "./journal/files"],
  ["plans-import-what-judges-them", "provider/plans/bad.ts", "../engine"],
  ["plans-import-what-judges-them", "provider/plans/bad-core.ts", "node:fs"],
  ["pulumi-imports-engine-and-host", "provider/pulumi/bad.ts", "../client/api"],
  ["pulumi-imports-engine-and-host", "provider/pulumi/bad-face.ts", "../terraform"],
  ["pulumi-imports-engine-and-host", "provider/pulumi/bad-deep.ts", "../engine/journal/files"],
  ["plugin-imports-no-sdk", "provider/pulumi/plugin/bad.ts", "@pulumi/pulumi"],
  ["terraform-imports-engine-and-host", "provider/terraform/bad.ts", "../client/api"],
  ["terraform-imports-engine-and-host", "provider/terraform/bad-face.ts", "../pulumi"],
  ["grpc-imports-nothing", "provider/grpc/bad.ts", "../contract"],
  ["entry-imports-client-and-contract", "provider/bad.ts", "./engine"],
  ["bindings-import-cdktf-only", "cdktf-bindings/bad.ts", "../provider"],
  ["bindings-import-cdktf-only", "cdktf-bindings/bad-engine.ts", "../provider/engine"],
  ["page-imports-itself-only", "emulator/dashboard/bad.tsx", "../index"],
  ["emulator-imports-contract-only", "emulator/bad.ts", "../provider/client/api"],
  ["emulator-imports-contract-only", "emulator/bad-engine.ts", "../provider/engine"],
  ["emulator-imports-contract-only", "emulator/bad-face.ts", "../provider/pulumi"],
  ["cli-imports-entry-points-only", "cli/bad.ts", "../provider/client/api"],
  ["examples-import-what-is-published", "examples/one/bad.ts", "../../provider"],
  ["emulator-tests-import-no-client", "test/emulator/bad.ts", "../../provider/client/api"],
  ["emulator-tests-import-no-client", "test/emulator/bad-entry.ts", "../../provider"],
  ["files-enter-at-the-edge", "provider/engine/bad-file.ts", "node:fs"],
  ["commands-without-jest", "test/bad/main.ts", "@jest/globals"],
  ["no-cycles", "test/bad-cycle.ts", 'import type { A } from "./bad-pair";\nexport type B = A;'],
  ["nothing-unresolved", "test/bad-name.ts", "no-such-package"],
  ["dependencies-are-declared", "provider/pulumi/bad-dev.ts", "@types/zod"],
];

const PACKAGES = {
  dependencies: "zod undici age-encryption hono @hono/node-server commander yaml".split(" "),
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

const writeSource = (path: string, said: string) => {
  const imports = said.split(" ").map((name) => `import "${name}";`);
  write(path, said.includes(";") ? said : `${imports.join("\n")}\nexport {};`);
};

beforeAll(() => {
  cpSync(join(root, CONFIG), join(folder, CONFIG));
  write("tsconfig.json", '{ "compilerOptions": { "module": "nodenext", "strict": true } }');
  for (const [path, said] of Object.entries(ALLOWED)) writeSource(path, said);
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
  for (const [, file, said] of FORBIDDEN) writeSource(file, said);
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
