/**
 * A user's project that has only the packed tarball: it compiles as CommonJS and as ES modules,
 * tests included, and the library's command line deploys it and then plans no change. With cdktf,
 * with cdktn, and with cdktn aliased as cdktf. So does the program of `erphost import`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, jest, test } from "@jest/globals";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { runProgram } from "../../../scripts/bootstrap/programs.cjs";
import { cdktnProgram, jestTest } from "../../cdktf/support/documented";
import type { Emulator } from "../../../emulator";
import { packed } from "../../../scripts/release/pack";
import { erphost } from "../../cli/support";
import { CdktfCli } from "../../harness/cdktf-cli";
import { buildMirror, MIRROR } from "../../harness/terraform-workspace";
import { sharedFolder } from "../../support/folder";
import { plantAnyAccount } from "../support/any-account";
import { page } from "../support/guide";
import { openedEmulator } from "../support/opened";

const root = join(__dirname, "../../..");
const TIMEOUT_MS = 300_000;
jest.setTimeout(TIMEOUT_MS);

interface Library {
  readonly name: "cdktf" | "cdktn";
  readonly packages: Readonly<Record<string, string>>;
}

const libraries: readonly Library[] = [
  { name: "cdktf", packages: { cdktf: "0.21.0", constructs: "10.8.1" } },
  { name: "cdktn", packages: { cdktn: "0.24.0", cdktf: "npm:cdktn@0.24.0", constructs: "10.7.2" } },
];

/** The first one compiles, the other one only checks. */
const COMPILERS = { typescript: "6.0.3", "typescript-5-9": "npm:typescript@5.9.3" };

const folder = sharedFolder();
let archive: string;
let emulator: Emulator;
/** Has an account with names of all sorts, which programs take over. */
let others: Emulator;

async function run(cwd: string, program: string, ...words: string[]): Promise<string> {
  const options = { cwd, env: process.env, timeoutMs: TIMEOUT_MS, outputCharsMax: 2 ** 26 };
  const { code, stdout, output } = await runProgram(program, words, options);
  if (code !== 0) throw new Error(`${program} ${words.join(" ")}\n${output}`);
  return stdout;
}

beforeAll(async () => {
  archive = await packed(root);
  [emulator, others] = [await openedEmulator(), await openedEmulator()];
  plantAnyAccount(others);
});

const SETTINGS = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    // cdktf's own declarations do not pass these options.
    skipLibCheck: true,
    types: ["node", "jest"],
  },
};

/** A project with the example as both kinds of module and as it is, and what only cdktn has. */
async function project({ name, packages }: Library): Promise<string> {
  const projectFolder = mkdtempSync(join(folder, "project-"));
  const dependencies = {
    ...packages,
    ...COMPILERS,
    erphost: `file:${archive}`,
    "@types/jest": "30.0.0",
    "@types/node": "24.19.2",
  };
  const example = readFileSync(join(root, "examples/cdktf/main.ts"), "utf8");
  const own = example.replaceAll(/(?<=from ".*)cdktf(?=";)/g, name);
  const programs: Readonly<Record<string, string>> = {
    "main.cts": own,
    "main.mts": own,
    "alias.cts": example,
    "jest.cts": jestTest.replaceAll(/(?<=from ".*|import ".*)cdktf(?=[/"])/g, name),
    ...(name === "cdktn" && { "cdktn.cts": cdktnProgram }),
  };
  writeFiles(projectFolder, {
    ...programs,
    "package.json": JSON.stringify({ private: true, dependencies }),
    "tsconfig.json": JSON.stringify({ ...SETTINGS, files: Object.keys(programs) }),
  });
  const out = join(projectFolder, "taken");
  const words = ["import", "--to", "cdktf", "--out", out, "--property", "*"];
  const env = { ERPHOST_BASE_URL: others.baseUrl, ERPHOST_API_KEY: others.adminKey };
  expect(await erphost(words, { env })).toMatchObject({ code: 0 });
  await run(projectFolder, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund");
  return projectFolder;
}

async function synthesised(projectFolder: string, program: string): Promise<string> {
  const output = join(projectFolder, `out-${program}`);
  mkdirSync(output);
  await run(output, process.execPath, join(projectFolder, program));
  return readFileSync(join(output, "cdktf.out/stacks/erp/cdk.tf.json"), "utf8");
}

/** The synthesised backend and metadata name the folder that a program ran in. */
const withoutPaths = (text: string): string => text.replace(/"(?:path|outdir)": "[^"]*"/g, "");

/**
 * The library's own command line deploys the program with the provider from a mirror. It locks the
 * provider's checksums, for which it asks the registry by default: both ways out that the
 * documentation shows are tried. As HCL, the program is the same to the engine.
 */
async function expectDeployed({ name }: Library, projectFolder: string): Promise<void> {
  buildMirror();
  const settings = { language: "typescript", app: "node main.cjs", projectId: "erp" };
  const text = JSON.stringify({ ...settings, sendCrashReports: "false" });
  writeFileSync(join(projectFolder, "cdktf.json"), text);
  const cli = await CdktfCli.open(name, projectFolder, {
    ERPHOST_API_KEY: emulator.adminKey,
    ERPHOST_BASE_URL: emulator.baseUrl,
  });
  const [, flag = ""] = /cdktf deploy (--\S+) my-stack/.exec(page("cdktf/index")) ?? [];
  const [, lock = ""] = /export TF_CLI_ARGS_providers_lock=(\S+)/.exec(page("cdktf/index")) ?? [];
  const mirrored = { TF_CLI_ARGS_providers_lock: lock.replace("/opt/terraform-mirror", MIRROR) };
  const locking = name === "cdktf" ? { words: [flag], env: {} } : { words: [], env: mirrored };
  const stackOf = (command: string, ...words: string[]): Promise<string> =>
    cli.must([command, "erp", ...words, ...locking.words], locking.env);
  expect(await stackOf("deploy", "--auto-approve")).toContain("7 added, 0 changed, 0 destroyed");
  expect(emulator.counts()).toMatchObject({ server: 2, instance: 2 });
  expect(await stackOf("diff", "--skip-synth")).toContain("No changes.");
  // It leaves the JSON of an earlier synthesis there, and the engine would read both.
  rmSync(join(projectFolder, "cdktf.out"), { recursive: true });
  await cli.must(["synth", "--hcl"]);
  expect(readdirSync(join(projectFolder, "cdktf.out/stacks/erp"))).toContain("cdk.tf");
  expect(await stackOf("diff", "--skip-synth")).toContain("No changes.");
  await stackOf("destroy", "--auto-approve", "--skip-synth");
  expect(emulator.counts()).toMatchObject({ server: 0, instance: 0 });
}

test.each(libraries)(
  "a project on $name compiles under TypeScript 5.9 and 6.0, and so does the program that takes over whatever names there are; it synthesises the same as CommonJS and as ES modules, and its command line deploys it from a local mirror, plans no change of it as HCL, and destroys it",
  async (library) => {
    const projectFolder = await project(library);
    for (const compiler of Object.keys(COMPILERS).reverse()) {
      const checks = compiler === "typescript" ? [] : ["--noEmit"];
      const program = `node_modules/${compiler}/bin/tsc`;
      for (const place of [".", "taken"]) {
        await run(projectFolder, process.execPath, program, "-p", place, ...checks);
      }
    }
    const common = await synthesised(projectFolder, "main.cjs");
    for (const program of ["main.mjs", "alias.cjs"]) {
      const other = await synthesised(projectFolder, program);
      expect(withoutPaths(other)).toBe(withoutPaths(common));
    }
    if (library.name === "cdktn") {
      expect(await synthesised(projectFolder, "cdktn.cjs")).toContain('"ephemeral"');
    }
    await expectDeployed(library, projectFolder);
  },
);
