/**
 * Makes `dist/terraform-mirror`, a filesystem mirror that `init -plugin-dir` takes offline, and
 * `dist/terraform-release`: zip files, their checksums and entries for lock files.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProvider } from "./terraform/bundle";
import { singleExecutable } from "./terraform/executable";
import { contentHash, zipHash } from "./terraform/hashes";
import { launcherEntries } from "./terraform/launcher";
import { zip, type Entry } from "./terraform/zip";

const root = join(__dirname, "..");
const mirror = join(root, "dist/terraform-mirror");
const release = join(root, "dist/terraform-release");

/** Where either engine looks for `erphost/erphost`. */
const HOSTS = ["registry.terraform.io", "registry.opentofu.org"];
const SOURCE = "erphost/erphost";
/** Node's own executables are copied for this one; it is the one that everything is tried on. */
const SINGLE = "linux_amd64";
const WITH_LAUNCHER = ["linux_arm64", "darwin_amd64", "darwin_arm64"];

interface Package {
  readonly platform: string;
  readonly entries: readonly Entry[];
}

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  const program = `terraform-provider-erphost_v${version}`;
  const bundle = await bundleProvider(root);
  const stamp = stampOf(bundle);
  if (isBuilt(stamp)) {
    console.log("dist/terraform-mirror is up to date.");
    return;
  }
  for (const folder of [mirror, release]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const packages: Package[] = [
    { platform: SINGLE, entries: [await executableEntry(program, bundle)] },
    ...WITH_LAUNCHER.map((platform) => ({ platform, entries: launcherEntries(program, bundle) })),
  ];
  for (const each of packages) layOut(version, each);
  writeRelease(version, packages);
  writeFileSync(join(release, "stamp"), stamp);
  console.log(`dist/terraform-mirror holds ${SOURCE} ${version} for:`);
  for (const { platform, entries } of packages) {
    const size = entries.reduce((sum, { content }) => sum + content.length, 0);
    console.log(`  ${platform.padEnd(14)}${(size / 1e6).toFixed(1)} MB`);
  }
}

const parts = join(__dirname, "terraform");

/** What the result is made of. */
const stampOf = (bundle: string): string =>
  createHash("sha256")
    .update(process.version)
    .update(bundle)
    .update(readFileSync(__filename))
    .update(
      Buffer.concat(
        readdirSync(parts)
          .sort()
          .map((name) => readFileSync(join(parts, name))),
      ),
    )
    .digest("hex");

function isBuilt(stamp: string): boolean {
  const file = join(release, "stamp");
  return existsSync(mirror) && existsSync(file) && readFileSync(file, "utf8") === stamp;
}

/** On another machine than linux x64 there is no executable to copy, and a launcher does it. */
async function executableEntry(program: string, bundle: string): Promise<Entry> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("The single executable is made on linux x64 alone; build there.");
  }
  const work = mkdtempSync(join(tmpdir(), "erphost-build-"));
  try {
    const target = join(work, program);
    await singleExecutable(process.execPath, bundle, work, target);
    return { name: program, content: readFileSync(target), executable: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One folder per host; the files of the second are links to those of the first. */
function layOut(version: string, { platform, entries }: Package): void {
  const [first, ...others] = HOSTS.map((host) => join(mirror, host, SOURCE, version, platform));
  for (const folder of [first, ...others]) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
  }
  for (const { name, content, executable } of entries) {
    const file = join(first ?? "", name);
    writeFileSync(file, content, { mode: executable ? 0o755 : 0o644 });
    for (const other of others) linkSync(file, join(other, name));
  }
}

function writeRelease(version: string, packages: readonly Package[]): void {
  const made = packages.map(({ platform, entries }) => {
    const file = `terraform-provider-erphost_${version}_${platform}.zip`;
    const bytes = zip(entries);
    writeFileSync(join(release, file), bytes);
    return { file, checksum: zipHash(bytes), content: contentHash(entries) };
  });
  const sums = made.map(({ file, checksum }) => `${checksum}  ${file}\n`).join("");
  writeFileSync(join(release, `terraform-provider-erphost_${version}_SHA256SUMS`), sums);
  // Packages with the same launcher in them have the same hash.
  const hashes = new Set(
    [...made.map(({ content }) => content), ...made.map(({ checksum }) => `zh:${checksum}`)].sort(),
  );
  for (const host of HOSTS) {
    const lines = [...hashes].map((hash) => `    "${hash}",\n`).join("");
    const text = `provider "${host}/${SOURCE}" {\n  version = "${version}"\n  hashes = [\n${lines}  ]\n}\n`;
    writeFileSync(join(release, `${host}.lock.hcl`), text);
  }
}

interface Lock {
  withLock(file: string, what: string, work: () => Promise<void>): Promise<void>;
}

/** Two processes that build at once would take each other's files away. */
const lock = require("./prepare/lock.cjs") as Lock;

lock
  .withLock(join(root, "node_modules/.cache/terraform-mirror.lock"), "the provider", main)
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
