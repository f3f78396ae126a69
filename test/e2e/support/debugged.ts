/** The provider as a debugger runs it: one process that serves every command that attaches to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { MIRROR, type TerraformWorkspace } from "../../harness/terraform-workspace";

const PROGRAM = join(
  MIRROR,
  "registry.terraform.io/erphost/erphost/0.1.0/linux_amd64/terraform-provider-erphost_v0.1.0",
);
const WAIT_MS = 20_000;

/** @param use what happens meanwhile, with the variables by which an engine attaches */
export async function withDebugged(
  { env, folder }: TerraformWorkspace,
  use: (attached: Readonly<Record<string, string>>, provider: ChildProcess) => Promise<void>,
): Promise<void> {
  const provider = spawn(PROGRAM, ["--debug"], { env: { ...env, PATH: "" }, cwd: folder });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`the provider printed no address in ${WAIT_MS} ms`));
      }, WAIT_MS);
      let text = "";
      provider.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (!text.includes("\n")) return;
        clearTimeout(late);
        resolve(text);
      });
    });
    const [, value = ""] = /^TF_REATTACH_PROVIDERS='(.*)'\n$/.exec(line) ?? [];
    await use({ TF_REATTACH_PROVIDERS: value }, provider);
  } finally {
    provider.kill("SIGKILL");
  }
}
