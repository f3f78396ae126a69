/** How the files of a provider's release are named: by the registries, and by the mirrors. */
import type { Entry } from "../archive";
import { version } from "../../../package.json";
import { TERRAFORM_PROGRAM } from "../launcher";

/** A provider in one version. */
export interface Provider {
  /** `NAMESPACE/TYPE`. */
  readonly source: string;
  /** `terraform-provider-TYPE`. */
  readonly program: string;
  readonly version: string;
}

/** Our own. */
export const ERPHOST: Provider = { source: "erphost/erphost", program: TERRAFORM_PROGRAM, version };

/** The hosts whose providers a plain `source` names: Terraform's, and OpenTofu's. */
export const HOSTS = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** `OS_ARCHITECTURE`, in Go's names. */
export const PLATFORMS = [
  "linux_amd64",
  "linux_arm64",
  "darwin_amd64",
  "darwin_arm64",
  "windows_amd64",
  "windows_arm64",
] as const;

/** What is installed on one platform. */
export interface Package {
  readonly platform: string;
  readonly entries: readonly Entry[];
}

/** The protocol's versions that the engines may speak with the provider. */
export const PROTOCOLS = ["6.0"] as const;

/** A file of the release: `terraform-provider-erphost_0.1.0_SHA256SUMS`. */
export const releaseFile = ({ program, version }: Provider, suffix: string): string =>
  `${program}_${version}_${suffix}`;

/** The file that the engines start. */
export const programFile = ({ program, version }: Provider): string => `${program}_v${version}`;

const SYSTEMS: Readonly<Record<string, string>> = { win32: "windows" };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** A machine's platform, as Node.js names its parts; it need not be one of `PLATFORMS`. */
export const platformOf = (system: string, architecture: string): string =>
  `${SYSTEMS[system] ?? system}_${ARCHITECTURES[architecture] ?? architecture}`;
