/** The demo's installation on Pulumi: examples/pulumi. */
import { join } from "node:path";
import { PulumiStack, type CommandResult } from "../test/harness/pulumi-stack";
import type { Open, Preview } from "./operator";

const program = join(__dirname, "..", "examples", "pulumi");

/** What `--expect-no-changes` says; the exit code alone would not tell changes from a failure. */
export const readExpectation = (result: CommandResult): Preview => {
  const isChanged = /error: no changes were expected .*but changes were proposed/.test(
    result.output,
  );
  return { ...result, found: result.code === 0 ? "nothing" : isChanged ? "changes" : "failure" };
};

export const openPulumi: Open = async (env, onOutput) => {
  const stack = await PulumiStack.create({ program, env, onOutput });
  return {
    commands: {
      preview: "pulumi preview",
      up: "pulumi up",
      refresh: "pulumi refresh",
      destroy: "pulumi destroy",
    },
    folder: stack.folder,
    secret: { how: "encrypted", plainFiles: [] },
    set: (setting, value) => stack.setConfig(setting, value),
    preview: async () => readExpectation(await stack.preview("--diff", "--expect-no-changes")),
    refresh: () => stack.refresh(),
    previewRefresh: async () => readExpectation(await stack.refresh("--expect-no-changes")),
    up: () => stack.up(),
    destroy: () => stack.destroy(),
    key: async () => {
      const outputs = await stack.outputs();
      return { id: String(outputs["pipelineKeyId"]), value: String(outputs["pipelineKey"]) };
    },
    planned: (output) => {
      // Pulumi counts the stack as well.
      const count = /(\d+) to create/.exec(output)?.[1];
      return count === undefined ? undefined : Number(count) - 1;
    },
    changesIn: (output) =>
      output.split("\n").filter((line) => /^ *[~+-]{1,2}\+? .*erphost|^ {4,}[~+-] /.test(line)),
    remove: () => stack.remove(),
  };
};
