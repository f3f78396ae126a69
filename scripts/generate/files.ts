/** Writing generated files, or telling which ones are stale. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format, getFileInfo, resolveConfig } from "prettier";

/** Files by path below the checkout, with their text. */
export type Generated = Readonly<Record<string, string>>;

/** Files that keep the form that others gave them; its patterns start at the working folder. */
const IGNORED = ".prettierignore";

/** Formats as the checkout does, so that what is generated passes the same checks; or not at all. */
async function formatted(root: string, path: string, text: string): Promise<string> {
  const { ignored } = await getFileInfo(path, { ignorePath: IGNORED });
  if (ignored) return text;
  const options = await resolveConfig(join(root, path));
  return format(text, { ...options, filepath: path });
}

/** Writes what differs, or only reports it; answers the paths that differed. */
export async function emit(root: string, files: Generated, write: boolean): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const wanted = await formatted(root, path, text);
    const target = join(root, path);
    if (read(target) === wanted) continue;
    stale.push(path);
    if (!write) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, wanted);
  }
  return stale;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // Not there yet: stale.
  }
}
