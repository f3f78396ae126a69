/**
 * Makes `dist/pulumi-plugin`: the plugin's folder, archives for every platform with their
 * checksums, and the SDKs for which Pulumi's generators are there (`npm run engines --
 * pulumi-sdk-gen`). `--compile` compiles the Go and Java SDKs with the compilers of this machine.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies, version } from "../../package.json";
import { tarball, writeEntries, type Entry } from "./archive";
import { bundle, PULUMI_ENTRY } from "./bundle";
import { compileSdks } from "./compile";
import { canMakeExecutable, executable, pulumiWarmUp } from "./executable";
import { checksumLine } from "./hashes";
import { hostedFiles, PULUMI_PROGRAM, pulumiFiles } from "./launcher";
import { generateSdks } from "./sdks";

const root = join(__dirname, "..", "..");
const target = join(root, "dist", "pulumi-plugin");

/** Needs no Node.js on the machine that it runs on; made where this is such a machine. */
const SINGLE = "linux-amd64";
const PLATFORMS = [SINGLE, "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"];

async function main(): Promise<void> {
  const source = await bundle(PULUMI_ENTRY);
  rmSync(target, { recursive: true, force: true });
  writeEntries(join(target, "plugin"), pulumiFiles(source));
  const sdk = devDependencies["@pulumi/pulumi"];
  writeEntries(join(target, "hosted"), hostedFiles(source, version, sdk));
  await writeArchives(source);
  await writeSdks(join(target, "sdk"));
}

async function writeArchives(source: string): Promise<void> {
  const sums: string[] = [];
  for (const platform of PLATFORMS) {
    const name = `${PULUMI_PROGRAM}-v${version}-${platform}.tar.gz`;
    const bytes = tarball(await filesFor(platform, source));
    writeFileSync(join(target, name), bytes);
    sums.push(checksumLine(name, bytes));
    console.log(`${name.padEnd(52)}${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  writeFileSync(join(target, `${PULUMI_PROGRAM}-v${version}-checksums.txt`), sums.join(""));
}

async function filesFor(platform: string, source: string): Promise<readonly Entry[]> {
  if (platform !== SINGLE || !canMakeExecutable) return pulumiFiles(source);
  const content = await executable(source, pulumiWarmUp);
  return [{ name: PULUMI_PROGRAM, content, executable: true }];
}

async function writeSdks(folder: string): Promise<void> {
  const { languages, missing } = await generateSdks(join(root, "schema.json"), folder);
  if (languages.length > 0) {
    const place = join("dist", "pulumi-plugin", "sdk");
    console.log(`SDKs for ${languages.join(", ")} are in ${place}.`);
  }
  if (missing.length > 0) {
    console.log(
      `For the other SDKs, run \`npm run engines -- ${missing.join(" ")}\` and build again.`,
    );
  }
  if (process.argv.includes("--compile")) {
    for (const line of await compileSdks(root, folder, languages)) console.log(line);
  }
}

void main();
