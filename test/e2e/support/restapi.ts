/** The generic REST provider that people come from, as a mirror of its own. */
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPath, type EngineName } from "../../../scripts/support/terraform-workspace";

const PROGRAM = "terraform-provider-restapi";
const SOURCE = "mastercard/restapi";
const VERSION = "1.20.0";
const HOSTS = { terraform: "registry.terraform.io", tofu: "registry.opentofu.org" } as const;

/** Whether it is on PATH. */
export const hasRestapi = (): boolean => onPath(PROGRAM) !== undefined;

/** A folder that an engine takes it from. @throws Error where it is not on PATH */
export function restapiMirror(engine: EngineName): string {
  const program = onPath(PROGRAM);
  if (program === undefined) throw new Error(`${PROGRAM} is not on PATH`);
  const mirror = mkdtempSync(join(tmpdir(), "erphost-restapi-"));
  const folder = join(mirror, HOSTS[engine], SOURCE, VERSION, "linux_amd64");
  mkdirSync(folder, { recursive: true });
  symlinkSync(program, join(folder, `${PROGRAM}_v${VERSION}`));
  return mirror;
}

/** What a configuration of it begins with; creates are read from their own answers. */
export const restapiHeader = (baseUrl: string, apiKey: string): string => `terraform {
  required_providers {
    restapi = {
      source = "${SOURCE}"
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
