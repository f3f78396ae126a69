/** Programs that trials start by the hundred are bundled once, so that each start is quick. */
import { buildSync } from "esbuild";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
const bundles = new Map<string, string>();

/** A text that occurs once in a program, and its replacement. */
export type Edit = readonly [from: string, to: string];

/** The bundled form of a TypeScript file; it is removed when this process exits. */
export function bundled(source: string, edits: readonly Edit[] = []): string {
  const key = JSON.stringify([source, edits]);
  const known = bundles.get(key);
  if (known !== undefined) return known;
  if (folder === undefined) {
    const fresh = mkdtempSync(join(tmpdir(), "erphost-chaos-"));
    process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
    folder = fresh;
  }
  const outfile = join(folder, `${bundles.size}.cjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    logLevel: "error",
  });
  writeFileSync(outfile, edits.reduce(edited, readFileSync(outfile, "utf8")));
  bundles.set(key, outfile);
  return outfile;
}

function edited(text: string, [from, to]: Edit): string {
  const parts = text.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`The program contains this ${parts.length - 1} times instead of once: ${from}`);
}
