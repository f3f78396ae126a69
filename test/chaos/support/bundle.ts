/** Programs that trials start by the hundred are bundled once, so that each start is quick. */
import { build, buildSync, type BuildOptions, type Plugin } from "esbuild";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
const bundles = new Map<string, string>();

/** A text that occurs once in a program, and its replacement. */
export type Edit = readonly [from: string, to: string];

/** The bundled form of a TypeScript file; it is removed when this process exits. */
export function bundled(source: string): string {
  const known = bundles.get(source);
  if (known !== undefined) return known;
  const outfile = outputOf(source);
  buildSync({ ...OPTIONS, entryPoints: [source], outfile });
  return outfile;
}

/** The same with an edit of one file that it is made of, below the root of the checkout. */
export async function bundledWith(source: string, file: string, edit: Edit): Promise<string> {
  const outfile = outputOf(JSON.stringify([source, file, edit]));
  const path = join(__dirname, "..", "..", "..", file);
  const contents = edited(readFileSync(path, "utf8"), edit);
  const plugin: Plugin = {
    name: "edit",
    setup: (program) =>
      program.onLoad({ filter: /./ }, (loaded) =>
        loaded.path === path ? { contents, loader: "ts" } : undefined,
      ),
  };
  await build({ ...OPTIONS, entryPoints: [source], outfile, plugins: [plugin] });
  return outfile;
}

const OPTIONS = {
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  logLevel: "error",
} as const satisfies BuildOptions;

function outputOf(key: string): string {
  if (folder === undefined) {
    const fresh = mkdtempSync(join(tmpdir(), "erphost-chaos-"));
    process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
    folder = fresh;
  }
  const outfile = join(folder, `${bundles.size}.cjs`);
  bundles.set(key, outfile);
  return outfile;
}

function edited(text: string, [from, to]: Edit): string {
  const parts = text.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`The program contains this ${parts.length - 1} times instead of once: ${from}`);
}
