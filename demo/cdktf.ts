/** The demo's installation in CDKTF: examples/cdktf, synthesised again after every change of a setting. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../test/harness/terraform-workspace";
import type { Open } from "./installation";
import { installation } from "./terraform";

const root = join(__dirname, "..");
const program = join(root, "examples", "cdktf", "main.ts");

/** The program's environment variables, by setting. */
const variables = {
  release: "RELEASE",
  keyEpoch: "KEY_EPOCH",
  protect: "PROTECT",
  erpServer: "ERP_SERVER",
} as const;

export const openCdktf: Open = async (env, onOutput) => {
  const engines: readonly EngineName[] = ["tofu", "terraform"];
  const engine = engines.find(hasEngine);
  if (!engine) throw new Error(`There is neither ${engines.join(" nor ")} on PATH.`);
  buildMirror();
  const workspace = await TerraformWorkspace.create({ engine, env, onOutput }, "");
  const settings: Record<string, string> = {};
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
    secret: "encrypted to its recipient",
    set: async (setting, value) => {
      settings[variables[setting]] = value;
      await synth();
    },
  });
};
