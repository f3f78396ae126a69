/** The demo's installation on Pulumi: examples/pulumi. */
import { join } from "node:path";
import { PulumiStack } from "../test/harness/pulumi-stack";
import type { Open } from "./installation";

const program = join(__dirname, "..", "examples", "pulumi");

export const openPulumi: Open = async (env, onOutput) => {
  const stack = await PulumiStack.create({ program, env, onOutput });
  return {
    commands: {
      preview: "pulumi preview",
      up: "pulumi up",
      refresh: "pulumi refresh",
      destroy: "pulumi destroy",
    },
    secret: "encrypted",
    set: (setting, value) => stack.setConfig(setting, value),
    preview: () => stack.preview("--diff"),
    previewUnchanged: () => stack.preview("--expect-no-changes"),
    refresh: () => stack.refresh(),
    refreshUnchanged: () => stack.refresh("--expect-no-changes"),
    up: () => stack.up(),
    destroy: () => stack.destroy(),
    keyId: async () => String((await stack.outputs())["pipelineKeyId"]),
    planned: (output) => /(\d+) to create/.exec(output)?.[1],
    changesIn: (output) =>
      output.split("\n").filter((line) => /^ *[~+-]{1,2}\+? .*erphost|^ {4,}[~+-] /.test(line)),
    remove: () => stack.remove(),
  };
};
