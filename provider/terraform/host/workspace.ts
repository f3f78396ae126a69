/** Which workspace an engine works in. It tells its providers nothing of it, but leaves it to be read. */
import { resolve } from "node:path";

/**
 * As both engines decide it: the environment, else a file in the data folder.
 * @param read a file's text; undefined where there is none
 * @returns undefined in the default one
 */
export function workspaceOf(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  read: (file: string) => string | undefined,
): string | undefined {
  const given = env["TF_WORKSPACE"];
  const name = given || read(resolve(cwd, env["TF_DATA_DIR"] || ".terraform", "environment"));
  const trimmed = name?.trim();
  return trimmed === undefined || trimmed === "" || trimmed === "default" ? undefined : trimmed;
}
