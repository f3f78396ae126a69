/**
 * Makes `dist/pulumi-plugin`: the plugin's folder, archives for every platform with their
 * checksums, and the SDKs where Pulumi's generators are there (`npm run engines -- pulumi-sdk-gen`).
 * `--compile` tries the Go and Java ones with the compilers of this machine.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePlugin } from "./pulumi-plugin/bundle";
import { hostedFiles, launcherFiles, PROGRAM, type PluginFile } from "./pulumi-plugin/launcher";
import { compileSdks } from "./pulumi-plugin/compile";
import { generateSdks } from "./pulumi-plugin/sdks";
import { tarball } from "./pulumi-plugin/tar";
import { singleExecutable } from "./support/single-executable";

const root = join(__dirname, "..");
const target = join(root, "dist", "pulumi-plugin");

/** Needs no Node.js on the machine that it runs on; made where the platform is this one. */
const SINGLE = "linux-amd64";
const PLATFORMS = [SINGLE, "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"];

async function main(): Promise<void> {
  const { version, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as { version: string; devDependencies: { "@pulumi/pulumi": string } };
  const bundle = await bundlePlugin(root, version);
  const withNode = launcherFiles(bundle);
  rmSync(target, { recursive: true, force: true });
  write(join(target, "plugin"), withNode);
  write(join(target, "hosted"), hostedFiles(bundle, version, devDependencies["@pulumi/pulumi"]));
  const sums: string[] = [];
  for (const platform of PLATFORMS) {
    const files = platform === SINGLE && isSingle() ? [await executable(bundle)] : withNode;
    const name = `${PROGRAM}-v${version}-${platform}.tar.gz`;
    const bytes = tarball(files);
    writeFileSync(join(target, name), bytes);
    sums.push(`${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
    console.log(`${name.padEnd(52)}${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  writeFileSync(join(target, `${PROGRAM}-v${version}-checksums.txt`), sums.join(""));
  const sdks = join(target, "sdk");
  const { made, missing } = await generateSdks(join(root, "schema.json"), sdks);
  if (made.length > 0) {
    console.log(`SDKs for ${made.join(", ")} are in ${join("dist", "pulumi-plugin", "sdk")}.`);
  }
  if (missing.length > 0) {
    console.log(
      `For the other SDKs: \`npm run engines -- ${missing.join(" ")}\`, and build again.`,
    );
  }
  if (process.argv.includes("--compile")) {
    for (const line of compileSdks(root, sdks, made)) console.log(line);
  }
}

const isSingle = (): boolean => process.platform === "linux" && process.arch === "x64";

const executable = async (bundle: string): Promise<PluginFile> => ({
  name: PROGRAM,
  content: await singleExecutable(bundle),
  executable: true,
});

function write(folder: string, files: readonly PluginFile[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, content, executable: runs } of files) {
    writeFileSync(join(folder, name), content, { mode: runs ? 0o755 : 0o644 });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
