/**
 * Which of a folder's states an engine works on: its backend and workspace. The engine passes
 * neither to its providers, but both can be read.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { jsonOf } from "../../contract";

const dataSchema = z.object({
  backend: z.object({ type: z.string(), config: z.record(z.string(), z.unknown()) }),
});

/**
 * Settings that identify the caller, not the state. A token that is issued for each run would make
 * every run look like another state.
 */
const CREDENTIAL = /password|secret|token|credential|access_key|headers/i;

/**
 * As both engines decide it: the environment, otherwise a file in the data folder.
 * @param read a file's text; undefined where there is none
 * @returns undefined for the default workspace of the default backend
 */
export function workspaceOf(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  read: (file: string) => string | undefined,
): string | undefined {
  const inData = (name: string) => read(resolve(cwd, env["TF_DATA_DIR"] || ".terraform", name));
  const name = (env["TF_WORKSPACE"] || inData("environment"))?.trim();
  const workspace = name === "default" ? "" : name;
  const backend = backendHash(inData("terraform.tfstate"));
  return [workspace, backend].filter(Boolean).join(" ") || undefined;
}

/** Of a scanner that looks at the file, on Windows. */
const PASSING = new Set<unknown>(["EPERM", "EBUSY"]);
const TRIES = 4;
const PAUSE_MS = 50;

/**
 * A file's text; undefined where there is none.
 * @throws Error where it cannot be read: in the place of another state no intent of this one is found
 */
export function textThere(path: string): string | undefined {
  for (let tries = 1; ; tries += 1) {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // The file system's.
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      if (tries === TRIES || !PASSING.has(code)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

function backendHash(text: string | undefined): string | undefined {
  const data = dataSchema.safeParse(jsonOf(text));
  if (!data.success) return undefined;
  const { type, config } = data.data.backend;
  const telling = Object.entries(config).filter(
    ([name, value]) => value !== null && !CREDENTIAL.test(name),
  );
  return createHash("sha256")
    .update(JSON.stringify([type, telling.sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest("hex");
}
