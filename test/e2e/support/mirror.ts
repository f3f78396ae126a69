/** Folders that an engine installs a provider from in place of a registry. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REGISTRY, type EngineName } from "../../harness/terraform-workspace";

/** @param source `NAMESPACE/NAME` */
export function mirrorOf(engine: EngineName, source: string, version: string) {
  const mirror = mkdtempSync(join(tmpdir(), "erphost-mirror-"));
  const folder = join(mirror, REGISTRY[engine], source, version, "linux_amd64");
  mkdirSync(folder, { recursive: true });
  const name = source.split("/").at(-1) ?? source;
  return { mirror, program: join(folder, `terraform-provider-${name}_v${version}`) };
}
