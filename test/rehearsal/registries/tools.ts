/** The registries' programs, pinned in ../tools and kept in the user's cache. */
import { join } from "node:path";
import { findProgram } from "../../../scripts/bootstrap/programs.cjs";
import { cachedTools, must } from "../../harness/cached-tools";

const PINS = join(__dirname, "..", "tools");

/** Verdaccio, Node.js at the minimum, and the npm that each Node.js comes with. @returns their folder */
export const npmTools = (): Promise<string> =>
  cachedTools(
    {
      name: "npm",
      from: PINS,
      pins: ["package.json", "package-lock.json"],
      install: (folder) => must("npm", ["ci", "--ignore-scripts", "--loglevel=error"], folder),
    },
    process.env,
  );

/**
 * pypiserver and twine. They are run by `python -m`: scripts of an environment that was moved no
 * longer find it.
 * @returns the folder of their Python @throws Error where the machine has none
 */
export async function pythonTools(): Promise<string> {
  const python = findProgram("python3", process.env["PATH"] ?? "");
  if (python === undefined) throw new Error("The Python SDK needs python3 on PATH.");
  const folder = await cachedTools(
    {
      name: "python",
      from: PINS,
      pins: ["requirements.txt"],
      install: async (draft) => {
        await must(python, ["-m", "venv", "venv"], draft);
        const pip = ["-m", "pip", "install", "-q", "--require-hashes", "--only-binary=:all:"];
        await must(join(draft, "venv/bin/python"), [...pip, "-r", "requirements.txt"], draft);
      },
    },
    process.env,
  );
  return join(folder, "venv", "bin");
}
