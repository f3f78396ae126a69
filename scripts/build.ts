/** Makes `dist/`, what npm publishes, from nothing: compiled modules and their types. */
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = require.resolve("typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
console.log("dist/ is built.");
