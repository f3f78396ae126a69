/** The generic REST provider that people come from, as a mirror of its own. */
import { symlinkSync } from "node:fs";
import { onPath, type EngineName } from "../../harness/terraform-workspace";
import { mirrorOf } from "./mirror";

const PROGRAM = "terraform-provider-restapi";
const SOURCE = "mastercard/restapi";
const VERSION = "1.20.0";

/** Whether it is on PATH. */
export const hasRestapi = (): boolean => onPath(PROGRAM) !== undefined;

/** A folder that an engine takes it from. @throws Error where it is not on PATH */
export function restapiMirror(engine: EngineName): string {
  const found = onPath(PROGRAM);
  if (found === undefined) throw new Error(`${PROGRAM} is not on PATH`);
  const { mirror, program } = mirrorOf(engine, SOURCE, VERSION);
  symlinkSync(found, program);
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
