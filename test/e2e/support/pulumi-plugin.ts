/** The plugin as it is released, for stacks of real engines. */
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../package.json";
import { writeEntries } from "../../../scripts/release/archive";
import { bundle, PULUMI_ENTRY } from "../../../scripts/release/bundle";
import { pulumiFiles } from "../../../scripts/release/launcher";
import type { Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";

let built: Promise<string> | undefined;

/** A folder with the plugin, bundled from the sources; once per process. */
export function pluginFolder(): Promise<string> {
  built ??= (async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "erphost-plugin-")), "plugin");
    writeEntries(folder, pulumiFiles(await bundle(PULUMI_ENTRY)));
    return folder;
  })();
  return built;
}

/** Installs the plugin for the stack's user with `pulumi plugin install`. */
export async function installPlugin(stack: PulumiStack, from?: string): Promise<void> {
  const { code, output } = await stack.run(
    ...["plugin", "install", "resource", "erphost", manifest.version],
    ...["--file", from ?? (await pluginFolder())],
  );
  if (code !== 0) throw new Error(`pulumi plugin install failed:\n${output}`);
}

/** Puts the plugin where `pulumi plugin install` does, without its command. */
export async function placePlugin({ env }: PulumiStack): Promise<void> {
  const target = join(env["PULUMI_HOME"] ?? "", "plugins", `resource-erphost-v${manifest.version}`);
  cpSync(await pluginFolder(), target, { recursive: true });
}

/** A stack on an account, with the plugin where it belongs. @param program a folder, which is copied */
export async function openStack(
  { baseUrl, adminKey }: Pick<Emulator, "baseUrl" | "adminKey">,
  env: Readonly<Record<string, string>> = {},
  program = join(__dirname, "..", "pulumi-plugin", "programs"),
): Promise<PulumiStack> {
  const own = { ERPHOST_BASE_URL: baseUrl, ERPHOST_API_KEY: adminKey };
  const stack = await PulumiStack.create({ program, env: { ...own, ...env } });
  await placePlugin(stack);
  return stack;
}
