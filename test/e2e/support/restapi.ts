/** The generic REST provider that people migrate from, in a separate mirror. */
import { symlinkSync } from "node:fs";
import { onPath, type EngineName } from "../../harness/terraform-workspace";
import { mirrorOf } from "./mirror";

const PROGRAM = "terraform-provider-restapi";
const SOURCE = "mastercard/restapi";
const VERSION = "1.20.0";

/** Its program, which tells no version. */
export const RESTAPI = { source: SOURCE, program: PROGRAM, version: VERSION } as const;

/** Whether it is on PATH. */
export const hasRestapi = (): boolean => onPath(PROGRAM) !== undefined;

/** A folder that an engine installs it from. @throws Error where it is not on PATH */
export function restapiMirror(engine: EngineName): string {
  const installed = onPath(PROGRAM);
  if (installed === undefined) throw new Error(`${PROGRAM} is not on PATH`);
  const { mirror, program } = mirrorOf(engine, SOURCE, VERSION);
  symlinkSync(installed, program);
  return mirror;
}

/** Its provider block; a create is read from its response. */
export const restapiProvider = (baseUrl: string, apiKey: string): string => `provider "restapi" {
  uri                  = "${baseUrl}"
  headers              = { Authorization = "Bearer ${apiKey}" }
  id_attribute         = "data/id"
  write_returns_object = true
}
`;

/** The beginning of a configuration with it alone. */
export const restapiHeader = (baseUrl: string, apiKey: string): string => `terraform {
  required_providers {
    restapi = {
      source = "${SOURCE}"
    }
  }
}
${restapiProvider(baseUrl, apiKey)}`;
