/** The public hosts of a release under their own names: registries of providers, and GitHub. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { onInterrupt } from "../../../scripts/bootstrap/interrupt.cjs";
import { step } from "../../../scripts/bootstrap/progress.cjs";
import { FOLDERS } from "../../../scripts/release/terraform/build";
import { ERPHOST, HOSTS } from "../../../scripts/release/terraform/layout";
import { startPublicHosts, type Site } from "../../harness/release/public-hosts";
import { makeSigningKey, type SigningKey } from "../../harness/release/signing-key";
import { firstOf, folderSite, registrySite } from "../../harness/release/sites";
import { home } from "../../../scripts/release/project";
import { DIST, PULUMI, runTask } from "../artifacts";

/** `OWNER/NAME` on GitHub. */
const REPOSITORY = new URL(home).pathname.slice(1);
const RELEASES = `/${REPOSITORY}/releases/download/v${version}`;

/** Hosts that somebody reaches with these variables. */
export type Hosts = Awaited<ReturnType<typeof start>>;

/** @param folder an empty one of its own */
export async function startProviderHosts(folder: string) {
  mkdirSync(folder, { recursive: true });
  const key = makeSigningKey();
  const forget = onInterrupt(() => key.remove());
  try {
    await step("building the Terraform release, signed", () =>
      runTask("build:terraform", ["--sign", key.id], key.env),
    );
    return await start(folder, providerSites(key));
  } finally {
    forget();
    key.remove();
  }
}

function providerSites(key: SigningKey): Readonly<Record<string, Site>> {
  const release = join(DIST, FOLDERS.release);
  const downloads = `${home}/releases/download/v${version}`;
  const registry = registrySite({ provider: ERPHOST, release, downloads, key });
  return {
    ...Object.fromEntries(HOSTS.map((host) => [host, registry])),
    "github.com": folderSite(release, `${RELEASES}/`),
  };
}

async function start(folder: string, sites: Readonly<Record<string, Site>>) {
  const hosts = await startPublicHosts(folder, sites);
  // The registries that have no name of their own are reached without the proxy.
  const env = { ...hosts.env, NO_PROXY: "127.0.0.1,localhost" };
  return { env, stop: () => hosts.close() };
}

/** GitHub's own interface, by which Pulumi gets the plugin that a package names. */
export async function startGitHub(folder: string) {
  mkdirSync(folder, { recursive: true });
  const api = `/repos/${REPOSITORY}/releases`;
  const assets = readdirSync(PULUMI)
    .filter((name) => name.endsWith(".tar.gz"))
    .map((name) => ({ name, url: `https://api.github.com${api}/assets/${name}` }));
  const release: Site = (path) =>
    path === `${api}/tags/v${version}` ? JSON.stringify({ assets }) : undefined;
  const archives = folderSite(PULUMI, `${api}/assets/`);
  return start(folder, { "api.github.com": firstOf(release, archives) });
}
