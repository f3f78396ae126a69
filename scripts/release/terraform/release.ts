/**
 * What a release carries, as the registries read it: a zip per platform, a manifest, the checksums
 * of both, and their signature (see sign.ts); and the folders that the engines install a provider
 * from in place of a registry.
 */
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checksum, checksumLine, contentHash, writeEntries, zip } from "../archive";
import { HOSTS, PROTOCOLS, releaseFile, type Package, type Provider } from "./layout";

/** One platform's zip. */
export interface Archive {
  readonly platform: string;
  readonly file: string;
  readonly sizeBytes: number;
  /** As lock files and mirrors hold them: `h1:` of the content, `zh:` of the zip. */
  readonly hashes: readonly [content: string, zip: string];
}

/** Writes everything but the signature into a folder that exists. */
export function writeRelease(
  folder: string,
  provider: Provider,
  packages: readonly Package[],
): Archive[] {
  const sums: string[] = [];
  const write = (suffix: string, bytes: Buffer): string => {
    const file = releaseFile(provider, suffix);
    writeFileSync(join(folder, file), bytes);
    sums.push(checksumLine(file, bytes));
    return file;
  };
  const archives = packages.map(({ platform, entries }): Archive => {
    const bytes = zip(entries);
    const file = write(`${platform}.zip`, bytes);
    const hashes = [contentHash(entries), `zh:${checksum(bytes)}`] as const;
    return { platform, file, sizeBytes: bytes.length, hashes };
  });
  // Without it the registries assume protocol 5.
  const manifest = { version: 1, metadata: { protocol_versions: PROTOCOLS } };
  write("manifest.json", Buffer.from(jsonText(manifest)));
  writeFileSync(join(folder, releaseFile(provider, "SHA256SUMS")), sums.sort(byFile).join(""));
  return archives;
}

/** By what follows the checksum. */
const byFile = (a: string, b: string): number => (a.slice(64) < b.slice(64) ? -1 : 1);

/** A lock file's entry that holds on every platform. */
export function lockEntry(
  host: string,
  { source, version }: Provider,
  archives: readonly Archive[],
): string {
  // Packages with the same launcher in them have the same content.
  const hashes = [...new Set(archives.flatMap((archive) => archive.hashes))].sort();
  const lines = hashes.map((hash) => `    "${hash}",\n`).join("");
  return `provider "${host}/${source}" {\n  version = "${version}"\n  hashes = [\n${lines}  ]\n}\n`;
}

/** A filesystem mirror in the unpacked layout. The hosts' files are links to one another. */
export function writeUnpackedMirror(
  mirror: string,
  { source, version }: Provider,
  packages: readonly Package[],
): void {
  for (const { platform, entries } of packages) {
    const [first = "", ...others] = HOSTS.map((host) =>
      join(mirror, host, source, version, platform),
    );
    writeEntries(first, entries);
    const names = entries.map(({ name }) => name);
    for (const other of others) linkFiles(first, other, names);
  }
}

/**
 * A network mirror, which any web server can serve over TLS; as a folder it is a filesystem mirror
 * in the packed layout. `terraform providers mirror` writes the same.
 * @param release the folder of the zips, on the same disk
 */
export function writeNetworkMirror(
  mirror: string,
  { source, version }: Provider,
  release: string,
  archives: readonly Archive[],
): void {
  const byPlatform = Object.fromEntries(
    archives.map(({ platform, file, hashes }) => [platform, { hashes, url: file }] as const),
  );
  for (const host of HOSTS) {
    const folder = join(mirror, host, source);
    const files = archives.map(({ file }) => file);
    linkFiles(release, folder, files);
    writeFileSync(join(folder, "index.json"), jsonText({ versions: { [version]: {} } }));
    writeFileSync(join(folder, `${version}.json`), jsonText({ archives: byPlatform }));
  }
}

function linkFiles(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) linkSync(join(from, name), join(to, name));
}

const jsonText = (content: object): string => `${JSON.stringify(content, undefined, 2)}\n`;
