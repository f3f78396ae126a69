/**
 * What a release carries, as the registries read it: a zip per platform, a manifest, the checksums
 * of both, and their signature (see sign.ts).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zip } from "../archive";
import { checksum, checksumLine, contentHash } from "../hashes";
import { PROTOCOLS, releaseFile, type Package, type Provider } from "./layout";

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
  write("manifest.json", manifest());
  writeFileSync(join(folder, releaseFile(provider, "SHA256SUMS")), sums.sort(byFile).join(""));
  return archives;
}

/** By what follows the checksum. */
const byFile = (a: string, b: string): number => (a.slice(64) < b.slice(64) ? -1 : 1);

/** Without it the registries assume protocol 5. */
const manifest = (): Buffer => {
  const content = { version: 1, metadata: { protocol_versions: PROTOCOLS } };
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`);
};

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
