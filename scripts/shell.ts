/**
 * `npm run shell`: a shell in which everything is ready to try by hand. The emulator runs, its
 * address and a key are in the environment, the engines are on PATH, and Pulumi keeps its state in
 * a separate folder, which is deleted when the shell exits. Arguments are passed to the shell.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../emulator";
import { becomeProgram } from "./bootstrap/programs.cjs";

async function main(words: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-shell-"));
  const emulator = await startEmulator();
  try {
    mkdirSync(join(folder, "state"));
    if (words.length === 0) {
      console.log(`Engines built here host few languages, which is not erphost's fault: runtime.options.virtualenv is ignored, and
package add, folder plugins, policy packs and the code that \`pulumi import\` writes do not work. An installed Pulumi does all that.
The emulator runs at ${emulator.url} (dashboard and API); its key is in ERPHOST_API_KEY.
Try: npm run -s erphost -- whoami, or: cd examples/pulumi && pulumi stack init dev && pulumi up
Or, after npm run build:terraform: cd examples/terraform && tofu init -plugin-dir=../../dist/terraform-mirror && tofu apply`);
    }
    const shell = process.env["SHELL"] ?? "sh";
    const env = {
      ...process.env,
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_INTENTS_DIR: join(folder, "intents"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: process.env["PULUMI_CONFIG_PASSPHRASE"] ?? "emulator",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    return await becomeProgram(shell, words, { env });
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
