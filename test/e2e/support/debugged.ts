/** The provider as a debugger runs it: one process that serves every command that attaches to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { ERPHOST, HOSTS, platformOf, programFile } from "../../../scripts/release/terraform/layout";
import { MIRROR, type TerraformWorkspace } from "../../harness/terraform-workspace";

const { source, version } = ERPHOST;
const PLATFORM = platformOf(process.platform, process.arch);
const PROGRAM = join(MIRROR, HOSTS[0], source, version, PLATFORM, programFile(ERPHOST));
const WAIT_MS = 60_000;

/** A provider that waits for commands, and the variables by which an engine attaches to it. */
export interface Debugged {
  readonly attached: Readonly<Record<string, string>>;
  readonly provider: ChildProcess;
}

/** Starts one in a workspace's folder, with its variables. @param command by default the built one */
export async function startDebugged(
  { env, folder }: Pick<TerraformWorkspace, "env" | "folder">,
  [program, ...words]: readonly [string, ...string[]] = [PROGRAM, "--debug"],
): Promise<Debugged> {
  const provider = spawn(program, words, { env: { ...env, PATH: "" }, cwd: folder });
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    let said = "";
    const fail = (what: string): void => {
      clearTimeout(late);
      provider.kill("SIGKILL");
      reject(new Error(`${program} ${what}\n${said}`));
    };
    const late = setTimeout(() => {
      fail(`printed no address in ${WAIT_MS} ms`);
    }, WAIT_MS);
    provider.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    provider.once("error", ({ message }) => {
      fail(`did not start: ${message}`);
    });
    // By then its streams are read to their ends, which at `exit` they may not be.
    provider.once("close", (code, signal) => {
      fail(`ended with ${code ?? signal}`);
    });
    provider.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes("\n")) return;
      clearTimeout(late);
      resolve(text);
    });
  });
  const [, value = ""] = /^TF_REATTACH_PROVIDERS='(.*)'\n$/.exec(line) ?? [];
  return { attached: { TF_REATTACH_PROVIDERS: value }, provider };
}

/** One provider for a workspace's later commands, with one block. @returns what ends it */
export async function attach(workspace: TerraformWorkspace): Promise<() => void> {
  const { provider, attached } = await startDebugged(workspace);
  Object.assign(workspace.env, attached);
  return () => void provider.kill("SIGKILL");
}
