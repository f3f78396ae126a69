/** The generic REST provider that people migrate from, and folders that engines install providers from. */
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPath, REGISTRY, type EngineName } from "../../harness/terraform-workspace";

/** Its program, which tells no version. */
export const RESTAPI = {
  source: "mastercard/restapi",
  program: "terraform-provider-restapi",
  version: "1.20.0",
} as const;

export const hasRestapi = (): boolean => onPath(RESTAPI.program) !== undefined;

/** A folder in place of a registry. @param source `NAMESPACE/NAME` */
export function mirrorOf(engine: EngineName, source: string, version: string) {
  const mirror = mkdtempSync(join(tmpdir(), "erphost-mirror-"));
  const folder = join(mirror, REGISTRY[engine], source, version, "linux_amd64");
  mkdirSync(folder, { recursive: true });
  const name = source.split("/").at(-1) ?? source;
  return { mirror, program: join(folder, `terraform-provider-${name}_v${version}`) };
}

/** A folder that an engine installs it from. @throws Error where it is not on PATH */
export function restapiMirror(engine: EngineName): string {
  const installed = onPath(RESTAPI.program);
  if (installed === undefined) throw new Error(`${RESTAPI.program} is not on PATH`);
  const { mirror, program } = mirrorOf(engine, RESTAPI.source, RESTAPI.version);
  symlinkSync(installed, program);
  return mirror;
}

/** The beginning of a configuration with it alone; a create is read from its response. */
export const restapiHeader = (baseUrl: string, apiKey: string): string => `terraform {
  required_providers {
    restapi = {
      source = "${RESTAPI.source}"
    }
  }
}
provider "restapi" {
  uri                  = "${baseUrl}"
  headers              = { Authorization = "Bearer ${apiKey}" }
  id_attribute         = "data/id"
  write_returns_object = true
}
`;
