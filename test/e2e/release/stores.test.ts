/** The documented program that hands keys to stores of secrets, against other providers' bindings. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { withBindings } from "../../cdktf/support/documented";
import { cachedTools, must } from "../../harness/cached-tools";
import { sharedFolder } from "../../support/folder";

const root = join(__dirname, "../../..");
const INSTALL_MS = 300_000;

const PINS = join(__dirname, "bindings");
/** What the documented program imports of each binding: all of them would take 600 MB of the cache. */
const { kept: KEPT } = JSON.parse(readFileSync(join(PINS, "package.json"), "utf8")) as {
  readonly kept: Readonly<Record<string, readonly string[]>>;
};

/** A folder of the cache with those parts of the bindings. */
const bindings = (): Promise<string> => {
  const pins = ["package.json", "package-lock.json"];
  const install = async (folder: string): Promise<void> => {
    const quiet = ["--legacy-peer-deps", "--ignore-scripts", "--loglevel=error"];
    await must("npm", ["ci", ...quiet], folder);
    for (const [name, parts] of Object.entries(KEPT)) {
      const all = join(folder, "node_modules/@cdktf", name);
      for (const part of ["package.json", ...parts.map((each) => `lib/${each}`)]) {
        cpSync(join(all, part), join(folder, name, part), { recursive: true });
      }
    }
    rmSync(join(folder, "node_modules"), { recursive: true });
  };
  return cachedTools({ name: "bindings", from: PINS, pins, install });
};

type Blocks = Readonly<Record<string, Readonly<Record<string, object>>>>;

const project = sharedFolder();

beforeAll(async () => {
  mkdirSync(join(project, "node_modules/@cdktf"), { recursive: true });
  const cached = await bindings();
  for (const name of Object.keys(KEPT)) {
    cpSync(join(cached, name), join(project, "node_modules/@cdktf", name), { recursive: true });
  }
  // The package as it is built, and the library that it finds.
  symlinkSync(root, join(project, "node_modules/erphost"));
  for (const name of ["cdktf", "constructs", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  }
}, INSTALL_MS);

/** What each store writes; with which values, the tests of the stores say. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  vault_kv_secret_v2: "data_json_wo data_json_wo_version mount name",
  aws_secretsmanager_secret_version: "secret_id secret_string_wo secret_string_wo_version",
  kubernetes_secret_v1: "data_wo data_wo_revision metadata",
  github_actions_secret: "plaintext_value repository secret_name",
};

test("the documented program of all stores compiles and synthesises against the published bindings", () => {
  const [program = "", ...more] = Object.values(withBindings);
  expect(more).toEqual([]);
  writeFileSync(join(project, "store.ts"), program);
  const compilerOptions = {
    ...{ target: "es2023", module: "nodenext", moduleResolution: "nodenext", types: ["node"] },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
  };
  writeFileSync(join(project, "package.json"), "{}");
  const config = JSON.stringify({ compilerOptions, files: ["store.ts"] });
  writeFileSync(join(project, "tsconfig.json"), config);
  const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", "."];
  execFileSync(process.execPath, words, { cwd: project });
  execFileSync(process.execPath, ["store.js"], { cwd: project });
  const text = readFileSync(join(project, "cdktf.out/stacks/keys/cdk.tf.json"), "utf8");
  // As Terraform documents its JSON syntax.
  const { resource } = JSON.parse(text) as { resource: Blocks };
  const written = Object.keys(ARGUMENTS).map((type) => {
    const [block = {}] = Object.values(resource[type] ?? {});
    const names = Object.keys(block).filter((name) => name !== "//");
    return [type, names.sort().join(" ")];
  });
  expect(Object.fromEntries(written)).toEqual(ARGUMENTS);
});
