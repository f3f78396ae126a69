/** Makes `dist/`, what npm publishes, from nothing: compiled modules and their types. */
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";
import { buildPage, bundleHandler } from "./bootstrap/bundles.cjs";
import { runProgram } from "./bootstrap/programs.cjs";
import { writeCdktnSources } from "./generate/cdktf/cdktn-sources";
import { trimmedDeclarations } from "./publish/declarations";

const root = join(__dirname, "..");
const BUILT = ["provider", "emulator", "cli", "cdktf-bindings"] as const;
const COMPILE_MS_MAX = 10 * 60_000;

async function compile(project: string): Promise<void> {
  const args = [require.resolve("typescript/bin/tsc"), "-p", project];
  const options = { cwd: root, env: process.env, timeoutMs: COMPILE_MS_MAX };
  const { code, output } = await runProgram(process.execPath, args, options);
  if (code !== 0) throw new Error(`${project} does not compile:\n${output}`);
}

async function main(): Promise<void> {
  // Only what this makes: providers and reports in the same folder have separate builds.
  for (const folder of [...BUILT, ".built"]) {
    rmSync(join(root, "dist", folder), { recursive: true, force: true });
  }
  await compile("tsconfig.build.json");
  await bundleHandler(root);
  await buildPage(root);
  await writeCdktnSources();
  await compile("tsconfig.build-cdktn.json");
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [join(root, entry.types)],
  );
  const dist = join(root, "dist");
  const kept = trimmedDeclarations(dist, entries);
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    const isBuilt = BUILT.some((folder) => name.startsWith(folder));
    if (isBuilt && name.endsWith(".d.ts")) rmSync(join(dist, name));
  }
  for (const [name, text] of kept) writeFileSync(name, text);
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
  // On stderr: npm prints the name of the archive that it packs on stdout.
  console.error("dist/ is built.");
}

void main();
