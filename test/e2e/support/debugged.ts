/** The provider as a debugger runs it: one process that serves every command that attaches to it. */
import { join } from "node:path";
import { startProgram } from "../../../scripts/bootstrap/programs.cjs";
import { ERPHOST, HOSTS, platformOf, programFile } from "../../../scripts/release/terraform/layout";
import { untilReady } from "../../harness/servers";
import { MIRROR, type TerraformWorkspace } from "../../harness/terraform-workspace";

const { source, version } = ERPHOST;
const PLATFORM = platformOf(process.platform, process.arch);
const PROGRAM = join(MIRROR, HOSTS[0], source, version, PLATFORM, programFile(ERPHOST));
const RUN_MS_MAX = 2 * 60 * 60_000;

/** A provider that waits for commands, and the variables by which an engine attaches to it. */
export type Debugged = Awaited<ReturnType<typeof startDebugged>>;

/** Starts one in a workspace's folder, with its variables. @param command by default the built one */
export async function startDebugged(
  { env, folder }: Pick<TerraformWorkspace, "env" | "folder">,
  [program, ...words]: readonly [string, ...string[]] = [PROGRAM, "--debug"],
) {
  const options = { cwd: folder, env: { ...env, PATH: "" }, timeoutMs: RUN_MS_MAX };
  const provider = startProgram(program, words, options);
  const line = /^TF_REATTACH_PROVIDERS='(.*)'$/m;
  await untilReady(program, provider, async () => line.test(provider.output()));
  const [, value = ""] = line.exec(provider.output()) ?? [];
  return { attached: { TF_REATTACH_PROVIDERS: value }, provider };
}

/** One provider for a workspace's later commands, with one block. @returns what ends it */
export async function attach(workspace: TerraformWorkspace): Promise<() => void> {
  const { provider, attached } = await startDebugged(workspace);
  Object.assign(workspace.env, attached);
  return () => void provider.signal("SIGKILL");
}
