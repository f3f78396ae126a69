/**
 * A user's project that has only the packed tarball: it compiles as CommonJS and as ES modules,
 * applies, and then plans no change. With cdktf, with cdktn, and with cdktn aliased as cdktf.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { cdktnProgram } from "../../cdktf/support/documented";
import { startEmulator, type Emulator } from "../../../emulator";
import { packed } from "../../../scripts/release/pack";
import { buildMirror, hasEngine, TerraformWorkspace } from "../../harness/terraform-workspace";

const root = join(__dirname, "../../..");
const TIMEOUT_MS = 300_000;

interface Library {
  readonly name: "cdktf" | "cdktn";
  readonly packages: Readonly<Record<string, string>>;
}

const libraries: readonly Library[] = [
  { name: "cdktf", packages: { cdktf: "0.21.0", constructs: "10.8.1" } },
  {
    name: "cdktn",
    packages: { cdktn: "0.24.0", cdktf: "npm:cdktn@0.24.0", constructs: "10.7.2" },
  },
];

/** The first one compiles, the other one only checks. */
const COMPILERS = { typescript: "6.0.3", "typescript-5-9": "npm:typescript@5.9.3" };

let folder: string;
let archive: string;
let emulator: Emulator;

function run(cwd: string, program: string, ...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
    execFile(program, words, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${words.join(" ")}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "erphost-consumer-"));
  archive = await packed(root);
  emulator = await startEmulator({ provisionMs: 10 });
}, TIMEOUT_MS);

afterAll(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
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
    types: ["node"],
  },
};

/**
 * The project's folder, with the example for the library as both kinds of module, the example as it
 * is, and with cdktn the documented program of what only cdktn has.
 */
async function project({ name, packages }: Library): Promise<string> {
  const projectFolder = mkdtempSync(join(folder, "project-"));
  const dependencies = {
    ...packages,
    ...COMPILERS,
    erphost: `file:${archive}`,
    "@types/node": "24.19.2",
  };
  const write = (file: string, text: string): void => {
    writeFileSync(join(projectFolder, file), text);
  };
  const example = readFileSync(join(root, "examples/cdktf/main.ts"), "utf8");
  const own = example.replaceAll(/(?<=from ".*)cdktf(?=";)/g, name);
  const programs: Readonly<Record<string, string>> = {
    "main.cts": own,
    "main.mts": own,
    "alias.cts": example,
    ...(name === "cdktn" && { "cdktn.cts": cdktnProgram }),
  };
  for (const [file, text] of Object.entries(programs)) write(file, text);
  write("package.json", JSON.stringify({ private: true, dependencies }));
  write("tsconfig.json", JSON.stringify({ ...SETTINGS, files: Object.keys(programs) }));
  await run(projectFolder, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund");
  return projectFolder;
}

/** What a compiled program synthesises. */
async function synthesised(projectFolder: string, program: string): Promise<string> {
  const output = join(projectFolder, `out-${program}`);
  mkdirSync(output);
  await run(output, process.execPath, join(projectFolder, program));
  return readFileSync(join(output, "cdktf.out/stacks/erp/cdk.tf.json"), "utf8");
}

/** The synthesised backend and metadata name the folder that a program ran in. */
const withoutPaths = (text: string): string => text.replace(/"(?:path|outdir)": "[^"]*"/g, "");

async function expectLifecycle(text: string): Promise<void> {
  const engine = hasEngine("terraform") ? "terraform" : "tofu";
  buildMirror();
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const workspace = await TerraformWorkspace.create({ engine, env }, "");
  try {
    workspace.write("cdk.tf.json", text.replace(/"path": "[^"]*"/, '"path": "state.tfstate"'));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    const types = (await workspace.changes()).map(({ address }) => address.split(".")[0]);
    expect(types.sort()).toEqual([
      "erphost_api_key",
      "erphost_backup",
      ...["erphost_instance", "erphost_instance"],
      ...["erphost_server", "erphost_server"],
      "erphost_team",
    ]);
    expect(await workspace.apply()).toMatchObject({ code: 0 });
    expect(await workspace.plan()).toMatchObject({ code: 0 });
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
    expect(emulator.counts()).toMatchObject({ server: 0, instance: 0 });
  } finally {
    workspace.remove();
  }
}

test.each(libraries)(
  "a project on $name compiles under TypeScript 5.9 and 6.0, synthesises the same as CommonJS and as ES modules, and can be applied and destroyed",
  async (library) => {
    const projectFolder = await project(library);
    for (const compiler of Object.keys(COMPILERS).reverse()) {
      const checks = compiler === "typescript" ? [] : ["--noEmit"];
      const program = `node_modules/${compiler}/bin/tsc`;
      await run(projectFolder, process.execPath, program, "-p", ".", ...checks);
    }
    const common = await synthesised(projectFolder, "main.cjs");
    for (const program of ["main.mjs", "alias.cjs"]) {
      const other = await synthesised(projectFolder, program);
      expect(withoutPaths(other)).toBe(withoutPaths(common));
    }
    if (library.name === "cdktn") {
      expect(await synthesised(projectFolder, "cdktn.cjs")).toContain('"ephemeral"');
    }
    await expectLifecycle(common);
  },
  TIMEOUT_MS,
);
