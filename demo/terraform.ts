/** The demo's installation on Terraform and OpenTofu: examples/terraform. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../test/harness/terraform-workspace";
import type { Installation, Open } from "./installation";

const program = join(__dirname, "..", "examples", "terraform", "main.tf");

/** The configuration's variables, by setting. */
const variables = {
  release: "release",
  keyEpoch: "key_epoch",
  protect: "protect",
  erpServer: "erp_server",
} as const;

export const openTerraform =
  (engine: EngineName): Open =>
  async (env, onOutput) => {
    if (!hasEngine(engine)) throw new Error(`There is no ${engine} on PATH.`);
    buildMirror();
    const configuration = readFileSync(program, "utf8");
    const workspace = await TerraformWorkspace.create({ engine, env, onOutput }, configuration);
    return installation(workspace, engine, {
      secret: "marked sensitive",
      set: async (setting, value) => {
        workspace.env[`TF_VAR_${variables[setting]}`] = value;
      },
    });
  };

/** @param own what differs between plain Terraform and CDKTF */
export const installation = (
  workspace: TerraformWorkspace,
  engine: EngineName,
  own: Pick<Installation, "secret" | "set">,
): Installation => ({
  ...own,
  commands: {
    preview: `${engine} plan`,
    up: `${engine} apply`,
    refresh: `${engine} plan -refresh-only`,
    destroy: `${engine} destroy`,
  },
  preview: () => workspace.run("plan", "-input=false"),
  previewUnchanged: () => workspace.plan(),
  refresh: () => workspace.run("plan", "-input=false", "-refresh-only"),
  // The exit code of Terraform 1.11 may say otherwise: it compares the order of sensitive paths.
  refreshUnchanged: async () => {
    const planned = await workspace.plan("-refresh-only");
    return { ...planned, code: planned.output.includes("No changes.") ? 0 : 1 };
  },
  up: () => workspace.apply(),
  destroy: () => workspace.destroy(),
  keyId: async () => (await workspace.run("output", "-raw", "pipeline_key_id")).stdout.trim(),
  planned: (output) => /Plan: (\d+) to add/.exec(output)?.[1],
  changesIn: (output) =>
    output.split("\n").filter((line) => /^ +# erphost_|^ +~ \S+ += .* -> (?!\(known)/.test(line)),
  remove: () => workspace.remove(),
});
