/** What the hosts of a release answer: folders, and a registry of providers. */
import { readFileSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import { releaseFile, type Provider } from "../../../scripts/release/terraform/layout";
import type { Site } from "./public-hosts";
import type { SigningKey } from "./signing-key";

/** The files of a folder. @param below the path that the folder stands for */
export const folderSite =
  (folder: string, below = "/"): Site =>
  (path) => {
    if (!path.startsWith(below)) return undefined;
    const file = join(folder, normalize(`/${path.slice(below.length)}`));
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true
      ? readFileSync(file)
      : undefined;
  };

export const firstOf =
  (...sites: readonly Site[]): Site =>
  (path) => {
    for (const site of sites) {
      const content = site(path);
      if (content !== undefined) return content;
    }
    return undefined;
  };

/** A release that a registry has taken in. */
interface Published {
  readonly provider: Provider;
  /** Folder of the release's files. */
  readonly release: string;
  /** Where the release's files are downloaded from. */
  readonly downloads: string;
  /** Whose signature a registry tells the engines to expect. */
  readonly key: Pick<SigningKey, "id" | "armored">;
}

/**
 * A registry as the Terraform Registry and the OpenTofu Registry are: it knows nothing of a release
 * but its files (https://developer.hashicorp.com/terraform/internals/provider-registry-protocol).
 */
export function registrySite(published: Published): Site {
  const { source, version } = published.provider;
  const api = `/v1/providers/${source}`;
  const sums = checksums(published);
  const protocols = protocolsOf(published);
  const platforms = [...sums.keys()]
    .map((file) => /_([a-z]+)_([a-z0-9]+)\.zip$/.exec(file))
    .flatMap((found) => (found ? [{ os: found[1] ?? "", arch: found[2] ?? "" }] : []));
  const answers = new Map<string, object>([
    ["/.well-known/terraform.json", { "providers.v1": "/v1/providers/" }],
    [`${api}/versions`, { id: source, versions: [{ version, protocols, platforms }] }],
    ...platforms.map(({ os, arch }): [string, object] => [
      `${api}/${version}/download/${os}/${arch}`,
      download(published, { protocols, os, arch }, sums),
    ]),
  ]);
  return (path) => {
    const answer = answers.get(path);
    return answer && JSON.stringify(answer);
  };
}

function download(
  { provider, downloads, key }: Published,
  about: { protocols: readonly string[]; os: string; arch: string },
  sums: ReadonlyMap<string, string>,
): object {
  const filename = releaseFile(provider, `${about.os}_${about.arch}.zip`);
  const list = `${downloads}/${releaseFile(provider, "SHA256SUMS")}`;
  return {
    ...about,
    filename,
    download_url: `${downloads}/${filename}`,
    shasums_url: list,
    shasums_signature_url: `${list}.sig`,
    shasum: sums.get(filename),
    signing_keys: { gpg_public_keys: [{ key_id: key.id, ascii_armor: key.armored }] },
  };
}

function checksums({ provider, release }: Published): ReadonlyMap<string, string> {
  return new Map(
    readFileSync(join(release, releaseFile(provider, "SHA256SUMS")), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("  "))
      .map(([sum = "", file = ""]) => [file, sum]),
  );
}

function protocolsOf({ provider, release }: Published): readonly string[] {
  const text = readFileSync(join(release, releaseFile(provider, "manifest.json")), "utf8");
  // As the registry documents it.
  const manifest = JSON.parse(text) as { metadata: { protocol_versions: string[] } };
  return manifest.metadata.protocol_versions;
}
