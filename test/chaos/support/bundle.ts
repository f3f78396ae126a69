/** Programs that trials start by the hundred are bundled once, so that each start is quick. */
import { buildSync } from "esbuild";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
const made = new Map<string, string>();

/** A text of a program, which it has once, and what stands there instead. */
export type Edit = readonly [from: string, to: string];

/** The bundled form of a TypeScript file; it goes when this process ends. */
export function bundled(source: string, edits: readonly Edit[] = []): string {
  const key = JSON.stringify([source, edits]);
  const known = made.get(key);
  if (known !== undefined) return known;
  if (folder === undefined) {
    const fresh = mkdtempSync(join(tmpdir(), "erphost-chaos-"));
    process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
    folder = fresh;
  }
  const outfile = join(folder, `${made.size}.cjs`);
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
  made.set(key, outfile);
  return outfile;
}

function edited(text: string, [from, to]: Edit): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`the program has ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}
