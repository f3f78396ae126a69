/** Folders that the engines install a provider from in place of a registry. */
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeEntries } from "../archive";
import { HOSTS, type Package, type Provider } from "./layout";
import type { Archive } from "./release";

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
    writeJson(join(folder, "index.json"), { versions: { [version]: {} } });
    writeJson(join(folder, `${version}.json`), { archives: byPlatform });
  }
}

function linkFiles(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) linkSync(join(from, name), join(to, name));
}

const writeJson = (file: string, content: object): void =>
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
