/**
 * Makes `dist/terraform-mirror`, a filesystem mirror that `init -plugin-dir` takes offline, and
 * `dist/terraform-release`: zip archives, their checksums and entries for lock files.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { withLock } from "../bootstrap/lock.cjs";
import { writeEntries, zip, type Entry } from "./archive";
import { bundle, TERRAFORM_ENTRY } from "./bundle";
import { canMakeExecutable, executable } from "./executable";
import { checksum, checksumLine, contentHash } from "./hashes";
import { TERRAFORM_PROGRAM, terraformFiles } from "./launcher";
import { terraformWarmUp } from "./terraform-calls";

const root = join(__dirname, "..", "..");
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
  const source = await bundle(TERRAFORM_ENTRY);
  const stamp = stampOf(source);
  if (isBuilt(stamp)) {
    console.log("dist/terraform-mirror is up to date.");
    return;
  }
  for (const folder of [mirror, release]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const withNode = terraformFiles(source, version);
  const packages: Package[] = [
    { platform: SINGLE, entries: [await single(source)] },
    ...WITH_LAUNCHER.map((platform) => ({ platform, entries: withNode })),
  ];
  for (const each of packages) layOut(each);
  writeRelease(packages);
  writeFileSync(join(release, "stamp"), stamp);
  console.log(`dist/terraform-mirror holds ${SOURCE} ${version} for:`);
  for (const { platform, entries } of packages) {
    const size = entries.reduce((sum, { content }) => sum + content.length, 0);
    console.log(`  ${platform.padEnd(14)}${(size / 1e6).toFixed(1)} MB`);
  }
}

/** Of everything that the result is made from. */
const stampOf = (source: string): string => {
  const hash = createHash("sha256").update(process.version).update(source);
  for (const name of readdirSync(__dirname).sort()) {
    hash.update(readFileSync(join(__dirname, name)));
  }
  return hash.digest("hex");
};

function isBuilt(stamp: string): boolean {
  const file = join(release, "stamp");
  return existsSync(mirror) && existsSync(file) && readFileSync(file, "utf8") === stamp;
}

async function single(source: string): Promise<Entry> {
  if (!canMakeExecutable) {
    throw new Error("The single executable can only be made on Linux x64; build there.");
  }
  const content = await executable(source, terraformWarmUp());
  return { name: `${TERRAFORM_PROGRAM}_v${version}`, content, executable: true };
}

/** One folder per host; the files of the second are links to those of the first. */
function layOut({ platform, entries }: Package): void {
  const [first = "", ...others] = HOSTS.map((host) =>
    join(mirror, host, SOURCE, version, platform),
  );
  writeEntries(first, entries);
  for (const other of others) {
    mkdirSync(other, { recursive: true });
    for (const { name } of entries) linkSync(join(first, name), join(other, name));
  }
}

function writeRelease(packages: readonly Package[]): void {
  const files = packages.map(({ platform, entries }) => {
    const name = `${TERRAFORM_PROGRAM}_${version}_${platform}.zip`;
    const bytes = zip(entries);
    writeFileSync(join(release, name), bytes);
    return {
      line: checksumLine(name, bytes),
      hashes: [contentHash(entries), `zh:${checksum(bytes)}`],
    };
  });
  const sums = files.map(({ line }) => line).join("");
  writeFileSync(join(release, `${TERRAFORM_PROGRAM}_${version}_SHA256SUMS`), sums);
  // Packages with the same launcher in them have the same hash.
  const hashes = [...new Set(files.flatMap((file) => file.hashes))].sort();
  for (const host of HOSTS) {
    const lines = hashes.map((hash) => `    "${hash}",\n`).join("");
    const text = `provider "${host}/${SOURCE}" {\n  version = "${version}"\n  hashes = [\n${lines}  ]\n}\n`;
    writeFileSync(join(release, `${host}.lock.hcl`), text);
  }
}

// Two processes that build at once would remove each other's files.
void withLock(join(root, "node_modules/.cache/terraform-mirror.lock"), "the provider", main);
