/**
 * `init` without flags or settings, from registries that run here under their real names and speak
 * TLS, and from a network mirror. The release is laid out by the code that lays out ours, with a
 * program of a few bytes, which `init` does not start.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
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
import { hasEngine, onPath, type EngineName } from "../../harness/terraform-workspace";
import { expectDone, unwrapped } from "../support/output";
import { stranger, type Stranger } from "../support/stranger";

const HOST = { terraform: "registry.terraform.io", tofu: "registry.opentofu.org" } as const;
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

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) && onPath("gpg") !== undefined ? test : test.skip;
  const folder = mkdtempSync(join(tmpdir(), "erphost-registry-"));
  const release = join(folder, FOLDERS.release);
  const network = join(folder, FOLDERS.network);
  const sites: Record<string, Site> = { [HOST[engine]]: none, [RELEASES]: none, [MIRROR]: none };
  let key: SigningKey;
  let other: SigningKey;
  let hosts: PublicHosts;
  let person: Stranger;

  beforeAll(async () => {
    if (onPath("gpg") === undefined) return;
    [key, other] = [makeSigningKey(), makeSigningKey()];
    hosts = await startPublicHosts(folder, sites);
  });
  afterAll(async () => {
    if (onPath("gpg") === undefined) return;
    await hosts.close();
    for (const each of [key, other]) each.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Lays the release out, publishes it with what is wrong about it, and runs `init`. */
  async function initWith(wrong: Partial<Record<string, Site>> = {}, settings = "") {
    const entries = [program("#!/bin/sh\n")];
    const platform = platformOf(process.platform, process.arch);
    writeFolders(folder, ERPHOST, [{ platform, entries }]);
    signFile(join(release, SUMS), key.id, key.env);
    const published = { provider: ERPHOST, release, downloads: `https://${RELEASES}`, key };
    Object.assign(sites, {
      [HOST[engine]]: registrySite(published),
      [RELEASES]: folderSite(release),
      [MIRROR]: folderSite(network),
      ...wrong,
    });
    hosts.requests.length = 0;
    person = stranger(engine, hosts.env);
    try {
      person.write("main.tf", CONFIGURATION);
      if (settings !== "") person.settings(settings);
      const result = await person.run("init", "-no-color");
      return { ...result, said: unwrapped(result.output), lock: lockOf(person) };
    } finally {
      person.remove();
    }
  }

  testWithEngine("init takes the release from the registry and tells who signed it", async () => {
    const { said } = expectDone(await initWith()) as Awaited<ReturnType<typeof initWith>>;
    expect(said).toContain(`Installed erphost/erphost v${ERPHOST.version}`);
    expect(said).toMatch(new RegExp(`signed, key ID ${key.id}`));
    expect(hosts.requests[0]).toBe(`${HOST[engine]}/.well-known/terraform.json`);
  });

  testWithEngine("a release that another key signed is refused", async () => {
    const downloads = `https://${RELEASES}`;
    const published = { provider: ERPHOST, release, downloads, key: other };
    const { code, said, lock } = await initWith({ [HOST[engine]]: registrySite(published) });
    expect(code).toBe(1);
    expect(said).toMatch(/signature from unknown issuer/);
    expect(lock).toBe("");
  });

  testWithEngine("a zip that was changed after it was signed is refused", async () => {
    const { code, said, lock } = await initWith({
      [RELEASES]: firstOf(
        (path) => (path.endsWith(".zip") ? OTHER : undefined),
        folderSite(release),
      ),
    });
    expect(code).toBe(1);
    expect(said).toMatch(/archive has incorrect checksum/);
    expect(lock).toBe("");
  });

  testWithEngine("checksums that were changed after they were signed are refused", async () => {
    const { code, said, lock } = await initWith({
      [RELEASES]: firstOf(
        (path) => (path.endsWith("SHA256SUMS") ? sumsWithMore(release) : undefined),
        folderSite(release),
      ),
    });
    expect(code).toBe(1);
    expect(said).toMatch(/error checking signature|invalid signature/);
    expect(lock).toBe("");
  });

  testWithEngine("a release without a signature is refused", async () => {
    const { code, said } = await initWith({
      [RELEASES]: (path) => (path.endsWith(".sig") ? undefined : folderSite(release)(path)),
    });
    expect(code).toBe(1);
    expect(said).toMatch(/failed to retrieve cryptographic signature/);
  });

  testWithEngine("the network mirror is all that init needs, and it asks nobody else", async () => {
    const { lock } = expectDone(await initWith({}, THROUGH_MIRROR)) as { lock?: string };
    expect(new Set(hosts.requests.map((request) => request.split("/")[0]))).toEqual(
      new Set([MIRROR]),
    );
    expect(lock).toContain('"h1:');
  });

  testWithEngine("a package that does not have the hashes of its mirror is refused", async () => {
    const site = firstOf(
      (path) => (path.endsWith(".zip") ? OTHER : undefined),
      folderSite(network),
    );
    const { code, said, lock } = await initWith({ [MIRROR]: site }, THROUGH_MIRROR);
    expect(code).toBe(1);
    expect(said).toMatch(/doesn't match (?:the )?any of the expected checksums/);
    expect(lock).toBe("");
  });
});

function none(): undefined {
  return undefined;
}

const sumsWithMore = (release: string): string =>
  `${readFileSync(join(release, SUMS), "utf8")}${"0".repeat(64)}  more.zip\n`;

function lockOf({ folder }: Stranger): string {
  try {
    return readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");
  } catch {
    return "";
  }
}
