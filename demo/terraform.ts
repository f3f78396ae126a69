/** The demo's installation on Terraform and OpenTofu: examples/terraform. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { snake } from "../provider/contract";
import {
  buildMirror,
  TerraformWorkspace,
  type CommandResult,
  type EngineName,
} from "../test/harness/terraform-workspace";
import type { Installation, Open, Preview } from "./operator";

const program = join(__dirname, "..", "examples", "terraform", "main.tf");

/** What `plan -detailed-exitcode` says. */
export const readExitCode = (result: CommandResult): Preview => ({
  ...result,
  found: result.code === 0 ? "nothing" : result.code === 2 ? "changes" : "failure",
});

export const openTerraform =
  (engine: EngineName): Open =>
  async (env, onOutput) => {
    buildMirror();
    const configuration = readFileSync(program, "utf8");
    const workspace = await TerraformWorkspace.create({ engine, env, onOutput }, configuration);
    return installation(workspace, engine, {
      secret: {
        how: "marked sensitive",
        plainFiles: [workspace.stateFile, `${workspace.stateFile}.backup`],
      },
      set: async (setting, value) => {
        workspace.env[`TF_VAR_${snake(setting)}`] = value;
      },
      key: async () => ({
        id: await output(workspace, "pipeline_key_id"),
        value: await output(workspace, "pipeline_key"),
      }),
    });
  };

/** An output of the state, secret or not. */
export const output = async (workspace: TerraformWorkspace, name: string): Promise<string> =>
  (await workspace.run("output", "-raw", name)).stdout.trim();

const installation = (
  workspace: TerraformWorkspace,
  engine: EngineName,
  own: Pick<Installation, "secret" | "set" | "key">,
): Installation => ({
  ...own,
  commands: {
    preview: `${engine} plan`,
    up: `${engine} apply`,
    refresh: `${engine} plan -refresh-only`,
    destroy: `${engine} destroy`,
  },
  folder: workspace.folder,
  preview: async () => readExitCode(await workspace.plan()),
  refresh: () => workspace.run("plan", "-input=false", "-refresh-only"),
  previewRefresh: async () => {
    const planned = readExitCode(await workspace.plan("-refresh-only"));
    // The exit code of Terraform 1.11 may say otherwise: it compares the order of sensitive paths.
    const isSame = planned.found === "changes" && planned.output.includes("No changes.");
    return isSame ? { ...planned, found: "nothing" } : planned;
  },
  up: () => workspace.apply(),
  destroy: () => workspace.destroy(),
  planned: (text) => {
    const count = /Plan: (\d+) to add/.exec(text)?.[1];
    return count === undefined ? undefined : Number(count);
  },
  changesIn: (text) =>
    text.split("\n").filter((line) => /^ +# erphost_|^ +~ \S+ += .* -> (?!\(known)/.test(line)),
  remove: () => workspace.remove(),
});
