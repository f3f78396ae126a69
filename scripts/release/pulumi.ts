/** `npm run build:pulumi`: plugin, archives, checksums and possible SDKs, in dist/pulumi-plugin. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { devDependencies, version } from "../../package.json";
import { runCommand } from "../../test/support/command-line";
import { checksumLine, tarball, writeEntries } from "./archive";
import { bundle, PULUMI_ENTRY } from "./bundle";
import { hostedFiles, PULUMI_PROGRAM, pulumiFiles } from "./launcher";
import { packagesOf, pulumiProgram, type Package } from "./runtime/packages";
import { writeSdks } from "./sdks/generate";

const root = join(__dirname, "..", "..");

const usage = `Usage: npm run build:pulumi -- [--all] [--compile]

  --all        makes an executable for each of six platforms (linux, darwin and windows, amd64 and
               arm64), and exits with 1 where one cannot be made; without it only for this machine's,
               and the other archives start the Node.js that is on PATH
  --compile    compiles the SDKs for Go and Java with the compilers of this machine

It writes to dist/pulumi-plugin: an archive per platform, as \`pulumi plugin install\` expects it, and
their checksums; the SDKs, those for Node.js and Python as packages. SDKs need Pulumi's generators:
\`npm run engines -- pulumi-sdk-gen pulumi-sdk-gen-csharp-java\`.
`;

/** @public Loaded by name. @returns 1 where a build of all lacks an executable */
export async function main(
  args: readonly string[],
  target = join(root, "dist", "pulumi-plugin"),
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: "boolean", default: false },
      compile: { type: "boolean", default: false },
    },
  });
  const source = await bundle(PULUMI_ENTRY);
  rmSync(target, { recursive: true, force: true });
  writeEntries(join(target, "plugin"), pulumiFiles(source));
  const sdk = devDependencies["@pulumi/pulumi"];
  writeEntries(join(target, "hosted"), hostedFiles(source, version, sdk));
  const packages = await packagesOf(pulumiProgram(source), source, values.all ? "all" : "own");
  writeArchives(target, packages);
  for (const line of await writeSdks(target, values.compile)) console.log(line);
  return values.all && packages.some(({ selfContained }) => !selfContained) ? 1 : 0;
}

function writeArchives(target: string, packages: readonly Package[]): void {
  const sums: string[] = [];
  for (const { platform, entries, note } of packages) {
    if (note !== undefined) console.log(`${platform} ${note}`);
    const name = `${PULUMI_PROGRAM}-v${version}-${platform}.tar.gz`;
    const bytes = tarball(entries);
    writeFileSync(join(target, name), bytes);
    sums.push(checksumLine(name, bytes));
    console.log(`${name.padEnd(52)}${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  writeFileSync(join(target, `${PULUMI_PROGRAM}-v${version}-checksums.txt`), sums.join(""));
}

if (require.main === module) runCommand(main, usage);
