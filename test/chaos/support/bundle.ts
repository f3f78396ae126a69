/** Programs that trials start by the hundred are bundled once, so that each start is quick. */
import { buildSync } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
const bundles = new Map<string, string>();

/** The bundled form of a TypeScript file; it is removed when this process exits. */
export function bundled(source: string): string {
  const known = bundles.get(source);
  if (known !== undefined) return known;
  if (folder === undefined) {
    const fresh = mkdtempSync(join(tmpdir(), "erphost-chaos-"));
    process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
    folder = fresh;
  }
  const outfile = join(folder, `${bundles.size}.cjs`);
  bundles.set(source, outfile);
  const how = { bundle: true, platform: "node", target: "node22", format: "cjs" } as const;
  buildSync({ ...how, entryPoints: [source], outfile, logLevel: "error" });
  return outfile;
}
