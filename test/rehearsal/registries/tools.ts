/** The registries' programs, pinned in ../tools and kept in the user's cache. */
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../../../scripts/bootstrap/lock.cjs";
import { findProgram, lastLines, runProgram } from "../../../scripts/bootstrap/programs.cjs";
import { baseFolder } from "../../../scripts/engines/cache.cjs";

const PINS = join(__dirname, "..", "tools");
const INSTALL_MS_MAX = 15 * 60_000;

/** What is installed, and how. */
interface Tools {
  readonly name: string;
  /** Files of ../tools that the installation is made from. */
  readonly pins: readonly string[];
  readonly install: (folder: string) => Promise<void>;
}

/**
 * A folder of the cache that holds what the pins say; made once, by whoever comes first. A changed
 * pin is another folder.
 */
async function cached({ name, pins, install }: Tools, env: NodeJS.ProcessEnv): Promise<string> {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const pin of pins) hash.update(readFileSync(join(PINS, pin)));
  const folder = join(baseFolder(env), "release", `${name}-${hash.digest("hex").slice(0, 16)}`);
  return withLock(`${folder}.lock`, name, async () => {
    if (existsSync(folder)) return folder;
    const draft = `${folder}.${randomUUID()}`;
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    try {
      for (const pin of pins) cpSync(join(PINS, pin), join(draft, pin));
      await install(draft);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return folder;
  });
}

async function must(program: string, words: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, env: process.env, timeoutMs: INSTALL_MS_MAX };
  const { code, output } = await runProgram(program, words, options);
  if (code === 0) return;
  throw new Error(`${program} ${words.join(" ")} failed:\n${lastLines(output, 20)}`);
}

/** Verdaccio, Node.js at the minimum, and the npm that each Node.js comes with. @returns their folder */
export const npmTools = (): Promise<string> =>
  cached(
    {
      name: "npm",
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
  const folder = await cached(
    {
      name: "python",
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
