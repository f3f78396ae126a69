/** Writing generated files, or telling which ones are stale. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format, resolveConfig } from "prettier";

/** Files by path below the checkout, with their text. */
export type Generated = Readonly<Record<string, string>>;

/** Formats as the checkout does, so that what is generated passes the same checks. */
export async function formatted(root: string, path: string, text: string): Promise<string> {
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
