import { join } from "node:path";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describeLeftOut } from "../support/pulumi-left-out";

describeLeftOut("dynamic resources", async (env) => {
  const stack = await PulumiStack.create({ program: join(__dirname, "programs", "left-out"), env });
  return {
    stack,
    edit: ({ name, less }) => {
      stack.configure({ name, less: String(less) });
    },
  };
});
