/** SDKs of the plugin as Pulumi's generators make them, ready for programs. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { generateSdk, type SdkLanguage } from "../../../scripts/release/sdks";
import type { PulumiStack } from "../../harness/pulumi-stack";

const root = join(__dirname, "..", "..", "..");

/** What the Python program needs besides its SDK. */
const PYTHON_PACKAGES = [
  "pulumi==3.253.0",
  "parver==1.0.1.post0",
  "semver==3.1.1",
  "setuptools==80.9.0",
];

const isOnPath = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** PATH with Pulumi's generators, cached like every engine; undefined where they are not available. */
export function generatorPath(): string | undefined {
  if (isOnPath("pulumi-sdk-gen")) return process.env["PATH"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "scripts", "run.cjs"), "engines", "pulumi-sdk-gen"],
    { encoding: "utf8" },
  );
  const folder = /pulumi-sdk-gen[^:]*: (.+)$/m.exec(stdout)?.[1]?.trim();
  return status === 0 && folder ? `${folder}${delimiter}${process.env["PATH"] ?? ""}` : undefined;
}

/** @param path PATH with the generator; @returns the SDK's folder */
export async function generatedSdk(language: SdkLanguage, path: string): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "erphost-sdk-")), language);
  const env = { ...process.env, PATH: path };
  await generateSdk(language, join(root, "schema.json"), folder, env);
  return folder;
}

/** Installs the Python SDK from its project file. @returns the folder, for PYTHONPATH */
export function installPythonSdk(environment: string, sdk: string): string {
  const target = join(sdk, "installed");
  const python = join(environment, "bin", "python");
  const options = ["-q", "--no-deps", "--no-build-isolation", "--target", target];
  run(python, ["-m", "pip", "install", ...options, sdk]);
  return target;
}

/** Compiles the Node.js SDK, links it into a program, and checks the types of both. */
export function linkNodeSdk(stack: PulumiStack, sdk: string): void {
  symlinkSync(join(root, "node_modules"), join(sdk, "node_modules"), "junction");
  const compiler = require.resolve("typescript/bin/tsc");
  run(process.execPath, [compiler, "-p", sdk]);
  copyFileSync(join(sdk, "package.json"), join(sdk, "bin", "package.json"));
  mkdirSync(join(stack.program, "node_modules", "@erphost"), { recursive: true });
  symlinkSync(
    join(sdk, "bin"),
    join(stack.program, "node_modules", "@erphost", "pulumi-native"),
    "junction",
  );
  run(process.execPath, [compiler, "-p", stack.program]);
}

/** A cached virtual environment with Pulumi's own SDK; undefined where pip cannot install it. */
export function pythonEnvironment(): string | undefined {
  const cache = process.env["ERPHOST_CACHE_DIR"] ?? join(homedir(), ".cache", "erphost");
  const folder = join(cache, "python", PYTHON_PACKAGES.join("_").replace(/=/g, ""));
  if (existsSync(join(folder, "complete"))) return folder;
  const python = isOnPath("python3") ? "python3" : "python";
  if (spawnSync(python, ["-m", "venv", "--clear", folder]).status !== 0) return undefined;
  const pip = [join(folder, "bin", "python"), "-m", "pip", "install", "-q", ...PYTHON_PACKAGES];
  if (spawnSync(pip[0] ?? "", pip.slice(1)).status !== 0) return undefined;
  mkdirSync(join(folder, "complete"));
  return folder;
}

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${program} failed: ${String(error ?? "")}${stdout}${stderr}`);
}
