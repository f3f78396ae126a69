/** Programs of constructs, applied by a real engine to an emulator. */
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import { ErphostProvider } from "../../../cdktf-bindings";
import { buildMirror, TerraformWorkspace } from "../../harness/terraform-workspace";
import type { EngineName } from "../../harness/terraform-workspace";
import { attach } from "./debugged";
import { opened, openedEmulator } from "./opened";
import { expectDone } from "./output";

export type Deployment = Awaited<ReturnType<typeof deployment>>;

/**
 * An emulator, and a workspace whose commands share one provider; both end with the file's tests.
 * @param env of the workspace, by default with the account
 */
export async function deployment(engine: EngineName, env?: Readonly<Record<string, string>>) {
  buildMirror();
  const emulator = await openedEmulator({ provisionMs: 10 });
  const account = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const workspace = opened(await TerraformWorkspace.create({ engine, env: env ?? account }, ""));
  opened({ close: await attach(workspace) });
  return {
    emulator,
    workspace,
    /** Synthesises a stack with one provider block, which the next command reads. */
    write: (build: (stack: TerraformStack) => void) => {
      const stack = new TerraformStack(Testing.app(), "erp");
      new LocalBackend(stack, { path: "terraform.tfstate" });
      new ErphostProvider(stack, "provider");
      build(stack);
      workspace.write("cdk.tf.json", Testing.synth(stack, true));
    },
    applied: async () => expectDone(await workspace.apply()).output,
  };
}
