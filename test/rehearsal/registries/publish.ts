/** Publishing, with the programs that publish. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines, runProgram, type Finished } from "../../../scripts/bootstrap/programs.cjs";
import type { NpmRegistry } from "./npm";
import type { PythonIndex } from "./python";

const PUBLISH_MS_MAX = 5 * 60_000;

/** `npm publish` of an archive or a folder, by somebody who may. A refusal is an answer. */
export function publishToNpm(
  registry: NpmRegistry,
  archive: string,
  ...options: readonly string[]
): Promise<Finished> {
  const settings = join(registry.storage, "..", "publisher.npmrc");
  writeFileSync(settings, registry.login);
  // A machine at home cannot attest where an archive was built.
  const words = [
    "publish",
    archive,
    "--userconfig",
    settings,
    "--no-provenance",
    "--loglevel=warn",
  ];
  const env = { ...process.env, npm_config_registry: registry.address };
  return runProgram("npm", [...words, ...options], { env, timeoutMs: PUBLISH_MS_MAX });
}

/** `twine upload` of wheels. A refusal is an answer. */
export function publishToPython(
  { uploads }: PythonIndex,
  tools: string,
  files: readonly string[],
): Promise<Finished> {
  const login = ["--username", "rehearsal", "--password", "rehearsal", "--non-interactive"];
  const words = [
    ...["-m", "twine", "upload"],
    // The index says why only in its answer.
    ...["--verbose", "--disable-progress-bar"],
    "--repository-url",
    uploads,
    ...login,
    ...files,
  ];
  return runProgram(join(tools, "python"), words, { env: process.env, timeoutMs: PUBLISH_MS_MAX });
}

/** @throws Error where it was refused */
export function expectPublished(what: string, { code, output }: Finished): void {
  if (code !== 0) throw new Error(`${what} could not be published:\n${lastLines(output, 20)}`);
}
