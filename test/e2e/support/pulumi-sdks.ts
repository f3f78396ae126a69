/** SDKs of the plugin, generated and packed as they are released, in programs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import schema from "../../../schema.json";
import { generateSdk } from "../../../scripts/release/sdks/generate";
import { programIn, type SdkLanguage } from "../../../scripts/release/sdks/readme";
import { compileNode, packNode } from "../../../scripts/release/sdks/nodejs";
import { packPython, pythonEnvironment, pythonOf } from "../../../scripts/release/sdks/python";
import type { PulumiStack } from "../../harness/pulumi-stack";
import { onPath } from "../../harness/terraform-workspace";

const root = join(__dirname, "..", "..", "..");

export const EXAMPLES = join(root, "examples");

/** The programs in the schema's descriptions, by resource. */
export const describedIn = (language: string): [title: string, text: string][] =>
  Object.entries(schema.resources).map(([token, { description }]) => [
    token.split(":").at(-1) ?? "",
    programIn(description, language) ?? "",
  ]);

const PYTHON_PACKAGES = ["pulumi==3.253.0", "parver==1.0.1.post0", "semver==3.1.1"];

/** Whether Pulumi's generators are there, which `npm run test:release` gets. */
export const hasGenerator = onPath("pulumi-sdk-gen") !== undefined;

/** @returns the folder of the SDK's sources */
export async function generatedSdk(language: SdkLanguage): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "erphost-sdk-")), language);
  await generateSdk(language, join(root, "schema.json"), folder, process.env);
  return folder;
}

let packed: Promise<string> | undefined;

/** Made once per process. */
async function packedNodeSdk(): Promise<string> {
  const sdk = await generatedSdk("nodejs");
  return packNode(await compileNode(sdk), sdk);
}

/** Unpacks the SDK where `npm install` puts it, and checks the types of the program. */
export async function installNodeSdk(stack: PulumiStack): Promise<void> {
  const target = join(stack.program, "node_modules", "@erphost", "pulumi-native");
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", await (packed ??= packedNodeSdk()), "--strip-components=1", "-C", target]);
  run(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", stack.program]);
}

/** The cached packages that the Python SDK needs; undefined where pip cannot install them. */
export const pythonPackages = (): Promise<string | undefined> => pythonEnvironment(PYTHON_PACKAGES);

/**
 * Installs the Python SDK's wheel with pip into a virtual environment of its own, which finds what
 * the wheel needs in the cached one.
 * @returns the folder of the environment's programs
 */
export async function installPythonSdk(cached: string, sdk: string): Promise<string> {
  const environment = join(dirname(sdk), "environment");
  run(pythonOf(cached), ["-m", "venv", environment]);
  const library = (of: string): string => {
    const [version = ""] = readdirSync(join(of, "lib")).filter((name) => name.startsWith("python"));
    return join(of, "lib", version, "site-packages");
  };
  writeFileSync(join(library(environment), "cached.pth"), `${library(cached)}\n`);
  const wheel = (await packPython(sdk, sdk))?.find((path) => path.endsWith(".whl"));
  if (wheel === undefined) throw new Error("there is no wheel");
  run(pythonOf(environment), ["-m", "pip", "install", "-q", "--no-index", wheel]);
  return join(environment, "bin");
}

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${String(error ?? "")}${stdout}${stderr}`);
}
