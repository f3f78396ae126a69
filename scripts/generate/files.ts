/** Writing generated files, or telling which ones are stale. */
import { join } from "node:path";
import { readIfThere, writeFiles } from "../bootstrap/files.cjs";

/** Files by path below the checkout, with their text. */
export type Generated = Readonly<Record<string, string>>;

/** Files that keep the form that others gave them; its patterns start at the working folder. */
const IGNORED = ".prettierignore";

/** Formats as the checkout does, so that what is generated passes the same checks; or not at all. */
async function format(root: string, path: string, text: string): Promise<string> {
  // Loaded only here, since jest cannot load it.
  const prettier = require("prettier") as typeof import("prettier");
  const { ignored } = await prettier.getFileInfo(path, { ignorePath: IGNORED });
  if (ignored) return text;
  const options = await prettier.resolveConfig(join(root, path));
  return prettier.format(text, { ...options, filepath: path });
}

/** Writes what differs, or only reports it; answers the paths that differed. */
export async function emit(root: string, files: Generated, write: boolean): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    const wanted = await format(root, path, text);
    if (readIfThere(target) === wanted) continue;
    stale.push(path);
    if (write) writeFiles(root, { [path]: wanted });
  }
  return stale;
}

const REMEDY = "Generated files are stale. Run `npm run generate` and commit the result.";

/** What is said of the paths that differed, and the exit code. */
export function reported(stale: readonly string[], write: boolean) {
  if (write) return { lines: stale.map((path) => `wrote ${path}`), code: 0 };
  const lines = stale.map((path) => `stale: ${path}`);
  return stale.length === 0 ? { lines, code: 0 } : { lines: [...lines, REMEDY], code: 1 };
}
