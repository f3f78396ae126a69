/** Builds everything that a release of the provider consists of, where it is missing or stale. */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { filesBelow, writeFiles } from "../../bootstrap/files.cjs";
import { findProgram } from "../../bootstrap/programs.cjs";
import { bundle, TERRAFORM_ENTRY } from "../bundle";
import { release as project } from "../project";
import * as runtime from "../runtime/packages";
import { ERPHOST, HOSTS, PLATFORMS, platformOf, type Package, type Provider } from "./layout";
import { lockEntry, writeNetworkMirror, writeRelease, writeUnpackedMirror } from "./release";
import type { Archive } from "./release";

const scripts = join(__dirname, "..");
const root = join(scripts, "../..");

/** The folders of a release, below dist/. The first holds the stamp, so that it is removed first. */
export const FOLDERS = {
  lock: "terraform-lock",
  release: "terraform-release",
  mirror: "terraform-mirror",
  network: "terraform-network-mirror",
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

/**
 * Whatever cannot be made on this machine is left out or replaced, and a line says so.
 * @returns what there is now, for a person; and the platforms that were asked for and have no
 *   executable
 */
export async function build(dist: string, which: Which) {
  const source = await bundle(TERRAFORM_ENTRY);
  // They are not made from what the stamp knows, and take no time.
  const pages = join(dist, "terraform-registry");
  rmSync(pages, { recursive: true, force: true });
  writePages(root, pages, `${project.home}/blob/v${project.version}`);
  const own = platformOf(process.platform, process.arch);
  const wanted: Stamp = {
    source: hashOf(source),
    executables: PLATFORMS.filter((platform) => which === "all" || platform === own),
    hasGo: findProgram("go", process.env["PATH"] ?? "") !== undefined,
  };
  const stampFile = join(dist, FOLDERS.lock, "stamp.json");
  const built = stampThere(dist, stampFile);
  if (built && isCurrent(built, wanted)) {
    const lines = ["dist/terraform-release is up to date."];
    return { lines, without: missing(wanted, built.executables) };
  }
  const packages = await packagesOf(source, which);
  const archives = writeFolders(dist, ERPHOST, packages);
  const made = packages.filter(({ selfContained }) => selfContained);
  const executables = made.map(({ platform }) => platform);
  writeFileSync(stampFile, `${JSON.stringify({ ...wanted, executables } satisfies Stamp)}\n`);
  return { lines: report(packages, archives), without: missing(wanted, executables) };
}

const missing = (wanted: Stamp, executables: readonly string[]): string[] =>
  wanted.executables.filter((platform) => !executables.includes(platform));

/** Writes release and mirrors into folders of `dist`, emptied first; no empty package. */
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

/** For which platforms an executable is made: for this machine's, or for every one. */
export type Which = "own" | "all";

/** @public One for each platform; without files where the platform has no package. Loaded by name. */
export async function packagesOf(source: string, which: Which): Promise<runtime.Package[]> {
  const packages = await runtime.packagesOf(runtime.terraformProgram(source), source, which);
  return packages.map((each) => ({ ...each, platform: each.platform.replace("-", "_") }));
}

/** Of everything that the result is made from. */
function hashOf(source: string): string {
  const hash = createHash("sha256").update(process.version).update(source);
  for (const file of filesBelow(scripts)) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** Undefined where something is missing. */
function stampThere(dist: string, stampFile: string): Stamp | undefined {
  const folders = Object.values(FOLDERS).map((name) => join(dist, name));
  if (![...folders, stampFile].every((each) => existsSync(each))) return undefined;
  // Written by this very script.
  return JSON.parse(readFileSync(stampFile, "utf8")) as Stamp;
}

/** What could not be made without Go is not tried again until there is one. */
const isCurrent = (built: Stamp, wanted: Stamp): boolean =>
  built.source === wanted.source &&
  (missing(wanted, built.executables).length === 0 || (!built.hasGo && !wanted.hasGo));

function report(packages: readonly runtime.Package[], archives: readonly Archive[]): string[] {
  const { source, version } = ERPHOST;
  const lines = packages.map(({ platform, selfContained, note }) => {
    const archive = archives.find((each) => each.platform === platform);
    const size = archive ? `${(archive.sizeBytes / 1e6).toFixed(1)} MB` : "none";
    const needs = selfContained ? "needs nothing else" : "needs Node.js";
    return `  ${platform.padEnd(14)}${size.padStart(8)}  ${note ?? (archive ? needs : "no package")}`;
  });
  return [`dist/terraform-release holds ${source} ${version} for:`, ...lines];
}

/** What the registries read below docs/. */
const SHOWN =
  /^(?:index\.md|(?:actions|list-resources|resources|data-sources|ephemeral-resources|functions|guides)\/[^/]+\.md)$/;

/**
 * Copies the pages that a registry shows, with the licence. It takes them from the tagged commit of a
 * repository that has a name of its own (docs/decisions/0016), where nothing else of this checkout is.
 * @param root the checkout
 * @param at where the checkout's files are shown: `https://github.com/erphost/erphost/blob/v0.1.0`
 * @returns how many pages there are
 */
export function writePages(root: string, target: string, at: string): number {
  const docs = join(root, "docs");
  const files = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => SHOWN.test(file) && statSync(join(docs, file)).isFile());
  for (const file of files) {
    const text = readFileSync(join(docs, file), "utf8");
    writeFiles(target, { [`docs/${file}`]: withWholeLinks(text, `docs/${file}`, at) });
  }
  copyFileSync(join(root, "LICENSE"), join(target, "LICENSE"));
  return files.length;
}

/** Links to other files lead to the checkout's home, because a registry has none of them. */
const withWholeLinks = (text: string, page: string, at: string): string =>
  text.replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link: string) => {
    const [path = "", heading] = link.split("#");
    const file = posix.join(posix.dirname(page), path);
    return `](${at}/${file}${heading === undefined ? "" : `#${heading}`})`;
  });
