/**
 * `init` without flags or settings, from registries that run here under their real names and speak
 * TLS, and from a network mirror. The release is laid out by the code that lays out ours, with a
 * program of a few bytes, which `init` does not start.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { zip, type Entry } from "../../../scripts/release/archive";
import { FOLDERS, writeFolders } from "../../../scripts/release/terraform/build";
import {
  ERPHOST,
  platformOf,
  programFile,
  releaseFile,
} from "../../../scripts/release/terraform/layout";
import { signFile } from "../../../scripts/release/terraform/sign";
import { startPublicHosts, type PublicHosts, type Site } from "../../harness/release/public-hosts";
import { firstOf, folderSite, registrySite } from "../../harness/release/sites";
import { makeSigningKey, type SigningKey } from "../../harness/release/signing-key";
import { REGISTRY } from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";
import { describeWith, stranger } from "../support/stranger";

const RELEASES = "downloads.example.com";
const MIRROR = "mirror.example.com";
const SUMS = releaseFile(ERPHOST, "SHA256SUMS");
const program = (text: string): Entry => ({
  name: programFile(ERPHOST),
  content: Buffer.from(text),
  executable: true,
});
/** What somebody put in the place of a package. */
const OTHER = zip([program("#!/bin/sh\n# not ours\n")]);
const CONFIGURATION = `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}
`;
const THROUGH_MIRROR = `provider_installation {
  network_mirror {
    url = "https://${MIRROR}/"
  }
}
`;

/** A site, but for the files that end like this: these have another content, or are missing. */
const but = (ending: string, content: Buffer | string | undefined, site: Site): Site =>
  content === undefined
    ? (path) => (path.endsWith(ending) ? undefined : site(path))
    : firstOf((path) => (path.endsWith(ending) ? content : undefined), site);

describeWith("init", (engine) => {
  const registry = REGISTRY[engine];
  const folder = mkdtempSync(join(tmpdir(), "erphost-registry-"));
  const release = join(folder, FOLDERS.release);
  const network = join(folder, FOLDERS.network);
  const none: Site = () => undefined;
  const sites: Record<string, Site> = { [registry]: none, [RELEASES]: none, [MIRROR]: none };
  let key: SigningKey;
  let other: SigningKey;
  let hosts: PublicHosts;

  beforeAll(async () => {
    [key, other] = [makeSigningKey(), makeSigningKey()];
    const platform = platformOf(process.platform, process.arch);
    writeFolders(folder, ERPHOST, [{ platform, entries: [program("#!/bin/sh\n")] }]);
    signFile(join(release, SUMS), key.id, key.env);
    hosts = await startPublicHosts(folder, sites);
  });
  afterAll(async () => {
    await hosts.close();
    for (const each of [key, other]) each.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a registry answers of the release. */
  const signedBy = (by: SigningKey): Site =>
    registrySite({ provider: ERPHOST, release, downloads: `https://${RELEASES}`, key: by });

  /** Publishes the release with what is wrong about it, and runs `init`. */
  async function initWith(wrong: Readonly<Record<string, Site>> = {}, settings?: string) {
    const right = { [RELEASES]: folderSite(release), [MIRROR]: folderSite(network) };
    Object.assign(sites, { [registry]: signedBy(key), ...right, ...wrong });
    hosts.requests.length = 0;
    const person = stranger(engine, hosts.env);
    try {
      person.write("main.tf", CONFIGURATION);
      if (settings !== undefined) person.settings(settings);
      const { code, output } = await person.run("init", "-no-color");
      const lock = join(person.folder, ".terraform.lock.hcl");
      const locked = existsSync(lock) ? readFileSync(lock, "utf8") : "";
      return { code, said: unwrapped(output), locked };
    } finally {
      person.remove();
    }
  }

  test("init takes the release from the registry and tells who signed it", async () => {
    const { code, said } = await initWith();
    expect(said).toContain(`Installed erphost/erphost v${ERPHOST.version}`);
    expect(said).toMatch(new RegExp(`signed, key ID ${key.id}`));
    expect(hosts.requests[0]).toBe(`${registry}/.well-known/terraform.json`);
    expect(code).toBe(0);
  });

  test("the network mirror is all that init needs, and it asks nobody else", async () => {
    const { code, locked } = await initWith({}, THROUGH_MIRROR);
    expect(code).toBe(0);
    const asked = hosts.requests.map((request) => request.split("/")[0]);
    expect(new Set(asked)).toEqual(new Set([MIRROR]));
    expect(locked).toContain('"h1:');
  });

  const files = folderSite(release);
  const sums = () => `${readFileSync(join(release, SUMS), "utf8")}${"0".repeat(64)}  more.zip\n`;
  test.each<[string, RegExp, () => Record<string, Site>, string?]>([
    [
      "a release that another key signed",
      /signature from unknown issuer/,
      () => ({ [registry]: signedBy(other) }),
    ],
    [
      "a zip that was changed after it was signed",
      /archive has incorrect checksum/,
      () => ({ [RELEASES]: but(".zip", OTHER, files) }),
    ],
    [
      "checksums that were changed after they were signed",
      /error checking signature|invalid signature/,
      () => ({ [RELEASES]: but("SHA256SUMS", sums(), files) }),
    ],
    [
      "a release without a signature",
      /failed to retrieve cryptographic signature/,
      () => ({ [RELEASES]: but(".sig", undefined, files) }),
    ],
    [
      "a package that does not have the hashes of its mirror",
      /doesn't match (?:the )?any of the expected checksums/,
      () => ({ [MIRROR]: but(".zip", OTHER, folderSite(network)) }),
      THROUGH_MIRROR,
    ],
  ])("%s is refused", async (_, reason, wrong, settings) => {
    const refused = await initWith(wrong(), settings);
    expect(refused).toMatchObject({ code: 1, said: expect.stringMatching(reason), locked: "" });
  });
});
