/** The Python SDK as a wheel and as sources for `pip`. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON_PACKAGE } from "../../../provider/pulumi/plugin/schema/languages";
import { inFolder } from "../../bootstrap/files.cjs";
import { withLock } from "../../bootstrap/lock.cjs";
import { findProgram, runProgram } from "../../bootstrap/programs.cjs";
import { baseFolder } from "../../engines/cache.cjs";
import { project } from "../project";

const LICENCE = join(__dirname, "..", "..", "..", "LICENSE");
const STEP_MS_MAX = 10 * 60_000;
/** Earlier ones read no licence from `license`, and warn of the table that the generator writes. */
const SETUPTOOLS_MIN = "77";
/** What builds the packages. */
const BUILDERS = ["setuptools==80.9.0"];
/** 2020-01-01: the same sources give the same bytes. */
const EPOCH = "1577836800";

/** Gives the project what PyPI shows: licence and authors. @throws Error for another form of it */
export function finishPython(folder: string): void {
  const path = join(folder, "pyproject.toml");
  const text = readFileSync(path, "utf8")
    .replace(/^ {2}\[project\.license\]\n +text = .*\n/m, "")
    .replace(
      /^( {2}version = .*)$/m,
      `$1\n  license = ${JSON.stringify(project.license)}\n  authors = [{ name = "erphost" }]`,
    )
    .replace(/setuptools>=[\d.]+/, `setuptools>=${SETUPTOOLS_MIN}`);
  if (!text.includes("license = ")) throw new Error("the Python project has another form");
  writeFileSync(path, text);
}

/** Copies the page of the project into the module, where the generator puts one as well. */
export const placePythonReadme = (folder: string): void =>
  copyFileSync(join(folder, "README.md"), join(folder, PYTHON_PACKAGE, "README.md"));

/** A cached virtual environment of fixed packages; undefined without Python, or if pip fails. */
export async function pythonEnvironment(packages: readonly string[]): Promise<string | undefined> {
  const { env } = process;
  const folder = join(baseFolder(env), "python", packages.join("_").replace(/=/g, ""));
  const python = ["python3", "python"].find((name) => findProgram(name, env["PATH"] ?? ""));
  if (python === undefined) return undefined;
  const options = { env, timeoutMs: STEP_MS_MAX };
  // Two processes that made it at once would clear what the other one installs.
  return withLock(`${folder}.lock`, "the packages of Python", async () => {
    if (existsSync(join(folder, "complete"))) return folder;
    const made = await runProgram(python, ["-m", "venv", "--clear", folder], options);
    if (made.code !== 0) return undefined;
    const words = ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages];
    if ((await runProgram(pythonOf(folder), words, options)).code !== 0) return undefined;
    mkdirSync(join(folder, "complete"));
    return folder;
  });
}

/** The interpreter of a virtual environment. */
export const pythonOf = (environment: string): string =>
  process.platform === "win32"
    ? join(environment, "Scripts", "python.exe")
    : join(environment, "bin", "python");

/** Setuptools replaces the arguments. */
const BUILD = `import sys
from setuptools import build_meta
target = sys.argv[1]
print(build_meta.build_sdist(target))
print(build_meta.build_wheel(target))
`;

/**
 * Builds both from a copy, because setuptools leaves its own files next to the sources.
 * @returns paths of the sources and of the wheel, in the folder `target`; undefined without Python
 */
export async function packPython(
  folder: string,
  target: string,
): Promise<readonly string[] | undefined> {
  const environment = await pythonEnvironment(BUILDERS);
  if (environment === undefined) return undefined;
  return inFolder("erphost-python-", async (work) => {
    cpSync(folder, work, { recursive: true });
    copyFileSync(LICENCE, join(work, "LICENSE"));
    const { code, output, stdout } = await runProgram(
      pythonOf(environment),
      ["-c", BUILD, target],
      { cwd: work, env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH }, timeoutMs: STEP_MS_MAX },
    );
    if (code !== 0) throw new Error(`The Python SDK could not be packed:\n${output}`);
    return stdout
      .split("\n")
      .filter((line) => /^\S+\.(?:tar\.gz|whl)$/.test(line))
      .map((name) => join(target, name));
  });
}
