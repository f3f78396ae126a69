/** Makes `dist/`, what npm publishes, from nothing: compiled modules and their types. */
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

// Only what this makes: providers and reports beside it have builds of their own.
for (const made of ["provider", "emulator", "cli", "cdktf-bindings", ".built"]) {
  rmSync(join(root, "dist", made), { recursive: true, force: true });
}
const compiler = require.resolve("typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
console.log("dist/ is built.");
