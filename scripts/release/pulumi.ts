/**
 * Makes `dist/pulumi-plugin`: the plugin's folder, archives for every platform with their
 * checksums, and the SDKs for which Pulumi's generators are there (`npm run engines --
 * pulumi-sdk-gen`). `--all` makes an executable for every platform, not only for this one.
 * `--compile` compiles the Go and Java SDKs with the compilers of this machine.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies, version } from "../../package.json";
import { tarball, writeEntries } from "./archive";
import { bundle, PULUMI_ENTRY } from "./bundle";
import { compileSdks } from "./compile";
import { checksumLine } from "./hashes";
import { hostedFiles, PULUMI_PROGRAM, pulumiFiles } from "./launcher";
import { packagesOf, pulumiProgram, whichPlatforms } from "./runtime/packages";
import { generateSdks } from "./sdks";

const root = join(__dirname, "..", "..");
const target = join(root, "dist", "pulumi-plugin");

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
  const which = whichPlatforms(process.argv);
  for (const { platform, entries, note } of await packagesOf(
    pulumiProgram(source),
    source,
    which,
  )) {
    if (note !== undefined) console.log(`${platform} ${note}`);
    const name = `${PULUMI_PROGRAM}-v${version}-${platform}.tar.gz`;
    const bytes = tarball(entries);
    writeFileSync(join(target, name), bytes);
    sums.push(checksumLine(name, bytes));
    console.log(`${name.padEnd(52)}${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  writeFileSync(join(target, `${PULUMI_PROGRAM}-v${version}-checksums.txt`), sums.join(""));
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
