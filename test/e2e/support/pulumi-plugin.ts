/** The plugin as it is released, for stacks of real engines. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../package.json";
import { bundlePlugin } from "../../../scripts/pulumi-plugin/bundle";
import { launcherFiles } from "../../../scripts/pulumi-plugin/launcher";
import type { PulumiStack } from "../../harness/pulumi-stack";

const root = join(__dirname, "..", "..", "..");
let made: Promise<string> | undefined;

/** A folder with the plugin, bundled from the sources; once per process. */
export function pluginFolder(): Promise<string> {
  made ??= (async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "erphost-plugin-")), "plugin");
    mkdirSync(folder);
    for (const file of launcherFiles(await bundlePlugin(root, manifest.version))) {
      writeFileSync(join(folder, file.name), file.content, {
        mode: file.executable ? 0o755 : 0o644,
      });
    }
    return folder;
  })();
  return made;
}

/** Installs the plugin for the stack's person, as `pulumi plugin install` does for everyone. */
export async function installPlugin(stack: PulumiStack, from?: string): Promise<void> {
  const { code, output } = await stack.run(
    ...["plugin", "install", "resource", "erphost", manifest.version],
    ...["--file", from ?? (await pluginFolder())],
  );
  if (code !== 0) throw new Error(`pulumi plugin install failed:\n${output}`);
}
