/** docs/guides/install.md as a stranger follows it, and releases that were tampered with. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { zip } from "../../../scripts/release/archive";
import { FOLDERS, writeFolders } from "../../../scripts/release/terraform/build";
import * as layout from "../../../scripts/release/terraform/layout";
import { signFile } from "../../../scripts/release/terraform/sign";
import { startPublicHosts, type PublicHosts, type Site } from "../../harness/release/public-hosts";
import { firstOf, folderSite, registrySite } from "../../harness/release/sites";
import { makeSigningKey, type SigningKey } from "../../harness/release/signing-key";
import {
  buildMirror,
  hasEngine,
  onPath,
  REGISTRY,
  titled,
  type EngineName,
} from "../../harness/terraform-workspace";
import { Stranger } from "../../rehearsal/stranger";
import { sharedFolder } from "../../support/folder";
import { BOTH } from "../support/engines";
import { blocksIn, guide } from "../support/guide";
import { opened } from "../support/opened";
import { expectDone, unwrapped } from "../support/output";
import { RESTAPI } from "../support/restapi";

const { ERPHOST } = layout;
const root = join(__dirname, "../../..");
const dist = join(root, "dist");
const OWN = layout.platformOf(process.platform, process.arch);
const RELEASES = "downloads.example.com";
const MIRROR = "mirror.example.com";
/** Serves the mirror that our build lays out, and not the one that an engine has copied. */
const OURS = "ours.example.com";
const SUMS = layout.releaseFile(ERPHOST, "SHA256SUMS");
/** What somebody put in the place of a package. */
const OTHER = zip([
  { name: layout.programFile(ERPHOST), content: Buffer.from("not ours"), executable: true },
]);
const THROUGH_OURS = `provider_installation {
  network_mirror { url = "https://${OURS}/" }
}`;

/** A site, but for the files that end like this: these have another content, or are missing. */
const but =
  (ending: string, content: Buffer | string | undefined, site: Site): Site =>
  (path) =>
    path.endsWith(ending) ? content : site(path);

const [part = ""] = /^## Terraform and OpenTofu\n[^]*?(?=^## )/m.exec(guide("install")) ?? [];
const blocks = blocksIn(part).map(({ text }) => text);
const unnamed = new Set(blocks);

/** The one block of the guide in which this stands. */
function block(words: string): string {
  const [found, ...more] = blocks.filter((text) => text.includes(words));
  if (found === undefined || more.length > 0) throw new Error(`not one block has ${words}`);
  unnamed.delete(found);
  return found;
}

// All of them before any test, because not every machine can run every test.
const CONFIGURATION = block("required_providers");
const INSTALLATION = block("terraform init    #");
const COPYING = block("providers mirror");
const COPIED_FOLDER = block('path = "/opt/terraform-mirror"');
const OWN_FOLDER = block('path    = "/opt/terraform-mirror"');
const NETWORK_MIRROR = block("network_mirror {");
const PLUGIN_FOLDER = block("-plugin-dir=");
const LOCKING = [
  ["the registry", block("lock -platform")],
  ["a folder", block("-fs-mirror=")],
  ["a network mirror", block("-net-mirror=")],
] as const;
const OVERRIDES = block("dev_overrides");

const withSecond = (): string =>
  CONFIGURATION.replace(
    "    }\n  }\n}\n",
    `    }\n    restapi = {\n      source = "${RESTAPI.source}"\n    }\n  }\n}\n`,
  );

/** What a registry and the host of the releases answer. */
type Published = Readonly<Record<"api" | "files", Site>>;

/** Where each engine looks for its settings in a home. */
const SETTINGS = { terraform: ".terraformrc", tofu: ".tofurc" } as const;

function claims(engine: EngineName): void {
  const folder = sharedFolder();
  const mirror = join(folder, "terraform-mirror");
  const sites: Record<string, Site> = {};
  const network = folderSite(join(folder, ERPHOST.program, FOLDERS.network));
  let key: SigningKey;
  let other: SigningKey;
  let hosts: PublicHosts;
  let ours: Published;

  /** A release of a few bytes; what `init` installs it does not start. */
  function small(provider: layout.Provider): string {
    const place = join(folder, provider.program);
    const name = layout.programFile(provider);
    const packages = [...new Set(["linux_amd64", "darwin_arm64", OWN])].map((platform) => ({
      platform,
      entries: [{ name, content: Buffer.from(`#!/bin/sh\n# ${platform}\n`), executable: true }],
    }));
    writeFolders(place, provider, packages);
    return join(place, FOLDERS.release);
  }

  function publish(provider: layout.Provider, release: string, by = key): Published {
    const sums = layout.releaseFile(provider, "SHA256SUMS");
    const signed = mkdtempSync(join(folder, "signed-"));
    copyFileSync(join(release, sums), join(signed, sums));
    signFile(join(signed, sums), key.id, key.env);
    return {
      api: registrySite({ provider, release, downloads: `https://${RELEASES}`, key: by }),
      files: firstOf(folderSite(signed), folderSite(release)),
    };
  }

  const serve = (...published: readonly Published[]): void => {
    sites[REGISTRY[engine]] = firstOf(...published.map(({ api }) => api));
    sites[RELEASES] = firstOf(...published.map(({ files }) => files));
  };

  /** Somebody with the guide's configuration, and perhaps settings from it. */
  function somebody(settings?: string): Stranger {
    hosts.requests.length = 0;
    const env = { CHECKPOINT_DISABLE: "1", ...hosts.env };
    const programs = { [engine]: { file: onPath(engine) ?? "" } };
    const person = new Stranger(mkdtempSync(join(folder, "person-")), { programs, env });
    person.write({ "main.tf": withSecond() });
    if (settings !== undefined) person.writeAtHome(SETTINGS[engine], here(settings));
    return person;
  }

  /** Runs lines of a shell, in which `terraform` is the engine. */
  const shell = (person: Stranger, lines: string) =>
    person.try("sh", "-ec", lines.replace(/\bterraform(?= )/g, engine));
  const here = (text: string): string => text.replaceAll("/opt/terraform-mirror", mirror);
  const asked = (): string[] => [
    ...new Set(hosts.requests.map((each) => each.split("/")[0] ?? "")),
  ];
  const askedFor = (source: string): string[] =>
    hosts.requests.filter((request) => request.includes(`/${source}/`));

  beforeAll(async () => {
    [key, other] = [opened(makeSigningKey()), opened(makeSigningKey())];
    mkdirSync(mirror);
    sites[MIRROR] = folderSite(mirror, "/terraform/");
    sites[OURS] = network;
    ours = publish(ERPHOST, small(ERPHOST));
    serve(ours, publish(RESTAPI, small(RESTAPI)));
    hosts = opened(await startPublicHosts(folder, sites));
    expectDone(await shell(somebody(), here(COPYING)));
  });

  test("the copied folder is enough for all providers, and nobody is asked", async () => {
    const person = somebody(COPIED_FOLDER);
    expectDone(await person.try(engine, "init"));
    expect(hosts.requests).toEqual([]);
    expect(contentHashes(person)).toEqual([1, 1]);
  });

  test("erphost alone comes from the folder where it alone is included", async () => {
    expectDone(await somebody(OWN_FOLDER).try(engine, "init"));
    expect(askedFor(ERPHOST.source)).toEqual([]);
    expect(askedFor(RESTAPI.source)).not.toEqual([]);
  });

  test("erphost alone comes from the network mirror, over TLS", async () => {
    expectDone(await somebody(NETWORK_MIRROR).try(engine, "init"));
    const asks = askedFor(ERPHOST.source).filter((each) => !each.startsWith(`${MIRROR}/`));
    expect([asks, asked().includes(MIRROR)]).toEqual([[], true]);
    expect(asked()).toContain(REGISTRY[engine]);
    expect(askedFor(`${MIRROR}/terraform/${REGISTRY[engine]}/${RESTAPI.source}`)).toEqual([]);
  });

  test("init -plugin-dir shuts out registries and mirrors", async () => {
    expectDone(await shell(somebody(), here(PLUGIN_FOLDER)));
    expect(hosts.requests).toEqual([]);
    const alone = join(folder, ERPHOST.program, FOLDERS.mirror);
    const words = ["init", "-no-color", `-plugin-dir=${alone}`];
    const { code, output } = await somebody().try(engine, ...words);
    expect(code).toBe(1);
    expect(unwrapped(output)).toContain(`provider ${REGISTRY[engine]}/${RESTAPI.source}`);
    expect(hosts.requests).toEqual([]);
  });

  test.each(LOCKING)("checksums of several platforms are locked from %s", async (_, commands) => {
    const person = somebody();
    expectDone(await shell(person, here(commands)));
    expect(contentHashes(person)).toEqual([2, 2]);
  });

  test("an override starts what was just built, without init", async () => {
    buildMirror();
    const built = /"\/opt\/erphost\/dist\/(.*)\/[^/]*\/linux_amd64"/;
    expect(OVERRIDES).toMatch(built);
    const person = somebody(OVERRIDES.replace(built, `"${dist}/$1/${ERPHOST.version}/${OWN}"`));
    person.write({ "main.tf": CONFIGURATION });
    const { output } = expectDone(await person.try(engine, "validate", "-no-color"));
    expect(unwrapped(output)).toContain("Provider development overrides are in effect");
    expect(hosts.requests).toEqual([]);
  });

  /** Publishes erphost with what is wrong about it, and runs `init` for it alone. */
  async function initWith(wrong: Readonly<Record<string, Site>> = {}, settings?: string) {
    serve(ours);
    Object.assign(sites, { [OURS]: network, ...wrong });
    const person = somebody(settings);
    person.write({ "main.tf": CONFIGURATION });
    const { code, output } = await shell(person, INSTALLATION.replace("init", "init -no-color"));
    const lock = join(person.folder, ".terraform.lock.hcl");
    const locked = existsSync(lock) ? readFileSync(lock, "utf8") : "";
    return { code, said: unwrapped(output), locked };
  }

  test("init takes the release from the registry and tells who signed it", async () => {
    const { said } = await initWith();
    expect(said).toContain(`Installed erphost/erphost v${ERPHOST.version}`);
    expect(said).toMatch(new RegExp(`signed, key ID ${key.id}`));
    expect(hosts.requests[0]).toBe(`${REGISTRY[engine]}/.well-known/terraform.json`);
  });

  test("the network mirror of the build is all that init needs, and it asks nobody else", async () => {
    const { code, locked } = await initWith({}, THROUGH_OURS);
    expect(code).toBe(0);
    expect(asked()).toEqual([OURS]);
    expect(locked).toContain('"h1:');
  });

  const sums = () => `${String(ours.files(`/${SUMS}`))}${"0".repeat(64)}  more.zip\n`;
  test.each<[string, RegExp, () => Record<string, Site>, string | undefined]>([
    [
      "a release that another key signed",
      /signature from unknown issuer/,
      () => ({ [REGISTRY[engine]]: publish(ERPHOST, small(ERPHOST), other).api }),
      undefined,
    ],
    [
      "checksums that were changed after they were signed",
      /error checking signature|invalid signature/,
      () => ({ [RELEASES]: but("SHA256SUMS", sums(), ours.files) }),
      undefined,
    ],
    [
      "a release without a signature",
      /failed to retrieve cryptographic signature/,
      () => ({ [RELEASES]: but(".sig", undefined, ours.files) }),
      undefined,
    ],
    [
      "a package that does not have the hashes of its mirror",
      /doesn't match (?:the )?any of the expected checksums/,
      () => ({ [OURS]: but(".zip", OTHER, network) }),
      THROUGH_OURS,
    ],
  ])("%s is refused", async (_, reason, wrong, settings) => {
    const refused = await initWith(wrong(), settings);
    expect(refused).toMatchObject({ code: 1, said: expect.stringMatching(reason), locked: "" });
  });
}
// gpg signs a release.
for (const engine of BOTH) {
  const isHere = onPath("gpg") !== undefined && hasEngine(engine);
  (isHere ? describe : describe.skip)(`the installation, with ${titled(engine)}:`, () =>
    claims(engine),
  );
}

/** How many platforms' packages the lock file knows, by provider. */
function contentHashes({ folder }: Stranger): number[] {
  const lock = readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");
  const entries = lock.split(/^provider /m).slice(1);
  return entries.map((entry) => entry.match(/"h1:/g)?.length ?? 0);
}

test("no block of the guide is left out", () => {
  expect([...unnamed]).toEqual([]);
});
