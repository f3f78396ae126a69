import { rmSync } from "node:fs";
import { join } from "node:path";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describePlaces } from "../support/pulumi-places";

describePlaces("the dynamic classes", async (env) => {
  const stack = await PulumiStack.create({ program: join(__dirname, "programs", "places"), env });
  return {
    stack,
    brief: true,
    // A file takes no command, as a setting of the stack would.
    edit: (edited) => {
      if (edited) stack.write("edited", "");
      else rmSync(join(stack.program, "edited"), { force: true });
    },
  };
});
