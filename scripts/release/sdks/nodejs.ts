/** The Node.js SDK as a package: compiled, because programs load packages and do not compile them. */
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../bootstrap/files.cjs";
import { runProgram } from "../../bootstrap/programs.cjs";
import { project } from "../project";

const ROOT = join(__dirname, "..", "..", "..");
const STEP_MS_MAX = 5 * 60_000;

/** Where the compiled package is, below the SDK's folder; its sources look for `package.json` there. */
const PACKAGE = "bin";

/** The manifest of the package in `bin`. The sources next to it are for readers. */
export function finishNode(folder: string): void {
  const path = join(folder, "package.json");
  // The generator writes an object.
  const { scripts, devDependencies, ...generated } = JSON.parse(
    readFileSync(path, "utf8"),
  ) as Readonly<Record<string, unknown>>;
  const { home: homepage, repository, bugs } = project;
  const entries = { main: "index.js", types: "index.d.ts" };
  const manifest = { ...generated, homepage, repository, bugs, ...entries };
  writeFiles(folder, { "package.json": `${JSON.stringify(manifest, null, 2)}\n` });
}

/** Compiles the SDK with the checkout's compiler. @returns the folder of the package */
export async function compileNode(folder: string): Promise<string> {
  const target = join(folder, PACKAGE);
  const modules = join(folder, "node_modules");
  rmSync(target, { recursive: true, force: true });
  if (!existsSync(modules)) symlinkSync(join(ROOT, "node_modules"), modules, "junction");
  try {
    const words = ["-p", folder, "--sourceMap", "false", "--declarationMap", "false"];
    await run(process.execPath, [require.resolve("typescript/bin/tsc"), ...words], folder);
  } finally {
    rmSync(modules);
  }
  for (const name of ["package.json", "README.md"]) {
    copyFileSync(join(folder, name), join(target, name));
  }
  copyFileSync(join(ROOT, "LICENSE"), join(target, "LICENSE"));
  return target;
}

/** Packs a compiled SDK as `npm publish` does. @returns path of the package, in `target` */
export async function packNode(compiled: string, target: string): Promise<string> {
  const words = ["pack", compiled, "--json", "--pack-destination", target];
  const packed: unknown = JSON.parse(await run("npm", words, target));
  const [file] = Array.isArray(packed) ? (packed as readonly { readonly filename?: string }[]) : [];
  if (file?.filename === undefined) throw new Error("npm packed no SDK");
  // Older versions of npm write the scope as a folder.
  return join(target, file.filename.replace(/^@/, "").replace("/", "-"));
}

async function run(program: string, words: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, env: process.env, timeoutMs: STEP_MS_MAX };
  const { code, output, stdout } = await runProgram(program, words, options);
  if (code !== 0) throw new Error(`The Node.js SDK could not be packed:\n${output}`);
  return stdout;
}
