/** The demo's installation in CDKTF: examples/cdktf, synthesised again after every change of a setting. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import {
  buildMirror,
  TerraformWorkspace,
  type EngineName,
} from "../test/harness/terraform-workspace";
import { isRecord } from "../provider/contract";
import type { Open } from "./installation";
import { expectSealed } from "./secrets";
import { installation, output } from "./terraform";

const root = join(__dirname, "..");
const program = join(root, "examples", "cdktf", "main.ts");

/** The program's environment variables, by setting. */
const variables = {
  release: "RELEASE",
  keyEpoch: "KEY_EPOCH",
  protect: "PROTECT",
  erpServer: "ERP_SERVER",
  pipelineNetwork: "PIPELINE_NETWORK",
} as const;

/** What the owner of the secret store does with what the state has. */
async function decrypted(encrypted: string, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(encrypted), "text");
}

/** The output that SealedApiKey brings; its name ends in a hash of its path. */
async function sealedOutput(workspace: TerraformWorkspace): Promise<string> {
  const outputs: unknown = JSON.parse((await workspace.run("output", "-json")).stdout);
  const [, found] =
    Object.entries(isRecord(outputs) ? outputs : {}).find(([name]) =>
      name.startsWith("pipeline_EncryptedValue"),
    ) ?? [];
  return isRecord(found) ? String(found["value"]) : "";
}

export const openCdktf =
  (engine: EngineName): Open =>
  async (env, onOutput) => {
    buildMirror();
    const workspace = await TerraformWorkspace.create({ engine, env, onOutput }, "");
    const identity = await generateIdentity();
    const settings: Record<string, string> = { RECIPIENT: await identityToRecipient(identity) };
    const synth = async (): Promise<void> => {
      await promisify(execFile)(process.execPath, ["-r", "ts-node/register", program], {
        cwd: root,
        env: { ...process.env, ...settings, CDKTF_OUTDIR: join(workspace.folder, "cdktf.out") },
      });
      const synthesised = join(workspace.folder, "cdktf.out", "stacks", "erp", "cdk.tf.json");
      // The state belongs next to the configuration, wherever the program was started.
      const text = readFileSync(synthesised, "utf8").replace(
        /"path": "[^"]*\.tfstate"/,
        '"path": "terraform.tfstate"',
      );
      workspace.write("cdk.tf.json", text);
    };
    await synth();
    const init = await workspace.run("init");
    if (init.code !== 0) throw new Error(`${engine} init failed:\n${init.output}`);
    return installation(workspace, engine, {
      secret: { how: "encrypted to its recipient", expectKept: expectSealed, plainFiles: [] },
      set: async (setting, value) => {
        settings[variables[setting]] = value;
        await synth();
      },
      key: async () => ({
        id: await output(workspace, "pipeline_key_id"),
        value: await decrypted(await sealedOutput(workspace), identity),
      }),
    });
  };
