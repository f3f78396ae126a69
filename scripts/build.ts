/** Makes `dist/`, what npm publishes, from nothing: compiled modules and their types. */
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeCdktnSources } from "./generate/cdktf/cdktn-sources";

const root = join(__dirname, "..");

function compile(project: string): void {
  const compiler = require.resolve("typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function main(): Promise<void> {
  // Only what this makes: providers and reports in the same folder have separate builds.
  for (const folder of ["provider", "emulator", "cli", "cdktf-bindings", ".built"]) {
    rmSync(join(root, "dist", folder), { recursive: true, force: true });
  }
  compile("tsconfig.build.json");
  await writeCdktnSources();
  compile("tsconfig.build-cdktn.json");
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
  console.log("dist/ is built.");
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
