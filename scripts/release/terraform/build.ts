/** Builds everything that a release of the provider consists of, where it is missing or stale. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../bootstrap/programs.cjs";
import { bundle, TERRAFORM_ENTRY } from "../bundle";
import { ERPHOST, HOSTS, PLATFORMS, platformOf, type Package, type Provider } from "./layout";
import { writeNetworkMirror, writeUnpackedMirror } from "./mirrors";
import { packagesOf, type MadePackage, type Which } from "./packages";
import { lockEntry, writeRelease, type Archive } from "./release";

const scripts = join(__dirname, "..");

/** The folders of a release, below dist/. */
export const FOLDERS = {
  release: "terraform-release",
  mirror: "terraform-mirror",
  network: "terraform-network-mirror",
  lock: "terraform-lock",
} as const;

/** What a build was made from, and what came of it. */
interface Stamp {
  /** Hash of all sources. */
  readonly source: string;
  /** Platforms with an executable. */
  readonly executables: readonly string[];
  /** Whether executables could be made. */
  readonly hasGo: boolean;
}

/** @returns lines that say what there is now */
export async function build(dist: string, which: Which): Promise<string[]> {
  const source = await bundle(TERRAFORM_ENTRY);
  const own = platformOf(process.platform, process.arch);
  const wanted: Stamp = {
    source: hashOf(source),
    executables: PLATFORMS.filter((platform) => which === "all" || platform === own),
    hasGo: findProgram("go", process.env["PATH"] ?? "") !== undefined,
  };
  const stampFile = join(dist, FOLDERS.lock, "stamp.json");
  if (isBuilt(dist, stampFile, wanted)) return ["dist/terraform-release is up to date."];
  const packages = await packagesOf(source, which);
  const archives = writeFolders(dist, ERPHOST, packages);
  const made = packages.filter(({ selfContained }) => selfContained);
  const stamp: Stamp = { ...wanted, executables: made.map(({ platform }) => platform) };
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
  return report(packages, archives);
}

/**
 * Writes a provider's release and mirrors into folders of `dist`, which it empties first. A package
 * without files is left out.
 */
export function writeFolders(
  dist: string,
  provider: Provider,
  packages: readonly Package[],
): Archive[] {
  for (const name of Object.values(FOLDERS)) {
    rmSync(join(dist, name), { recursive: true, force: true });
    mkdirSync(join(dist, name), { recursive: true });
  }
  const release = join(dist, FOLDERS.release);
  const installable = packages.filter(({ entries }) => entries.length > 0);
  const archives = writeRelease(release, provider, installable);
  writeUnpackedMirror(join(dist, FOLDERS.mirror), provider, installable);
  writeNetworkMirror(join(dist, FOLDERS.network), provider, release, archives);
  for (const host of HOSTS) {
    const file = join(dist, FOLDERS.lock, `${host}.lock.hcl`);
    writeFileSync(file, lockEntry(host, provider, archives));
  }
  return archives;
}

/** Of everything that the result is made from. */
function hashOf(source: string): string {
  const hash = createHash("sha256").update(process.version).update(source);
  const files = readdirSync(scripts, { recursive: true, withFileTypes: true });
  for (const file of files
    .filter((each) => each.isFile())
    .map(pathOf)
    .sort()) {
    hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

const pathOf = ({ parentPath, name }: { parentPath: string; name: string }): string =>
  join(parentPath, name);

/** What could not be made without Go is not tried again until there is one. */
function isBuilt(dist: string, stampFile: string, wanted: Stamp): boolean {
  const folders = Object.values(FOLDERS).map((name) => join(dist, name));
  if (![...folders, stampFile].every((each) => existsSync(each))) return false;
  // Written below by this very script.
  const { source, executables, hasGo } = JSON.parse(readFileSync(stampFile, "utf8")) as Stamp;
  const isWhole = wanted.executables.every((platform) => executables.includes(platform));
  return source === wanted.source && (isWhole || (!hasGo && !wanted.hasGo));
}

function report(packages: readonly MadePackage[], archives: readonly Archive[]): string[] {
  const { source, version } = ERPHOST;
  const lines = packages.map(({ platform, selfContained, note }) => {
    const archive = archives.find((each) => each.platform === platform);
    const size = archive ? `${(archive.sizeBytes / 1e6).toFixed(1)} MB` : "none";
    const needs = selfContained ? "needs nothing else" : "needs Node.js";
    const about = note ?? (archive ? needs : "no package");
    return `  ${platform.padEnd(14)}${size.padStart(8)}  ${about}`;
  });
  return [`dist/terraform-release holds ${source} ${version} for:`, ...lines];
}
